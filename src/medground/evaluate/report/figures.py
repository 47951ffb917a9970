"""The numbers that both formats of the report show, and their plots."""

from __future__ import annotations

from medground.evaluate.base import RunHeader
from medground.evaluate.compare import Comparison, Row
from medground.evaluate.metrics.share import Share
from medground.evaluate.report.content import Report
from medground.evaluate.report.elements import Markup
from medground.evaluate.report.plots import Interval, bars, dots, stacked
from medground.evaluate.tally import UNFINISHED

STATUSES = ("answered", "not judged", "unanswerable", "failed", "unreadable", "budget", UNFINISHED)
COSTS = ("run", "tokens in", "tokens out", "model calls", "searches", "seconds", "US $")
_COSTS = ("input_tokens", "output_tokens", "model_calls", "searches", "seconds", "money")


def accuracy_plot(report: Report) -> Markup:
    """Accuracies with their intervals, the baseline first."""
    base = report.baseline
    name = base.name.partition(":")[0] if base is not None else ""
    first = [Interval(name, base.share, base.low, base.high, baseline=True)] if base is not None else []
    runs = [
        Interval(row.name, row.accuracy.value, *row.accuracy.interval)
        for row in report.comparison.rows
        if row.accuracy.value is not None
    ]
    return dots([*first, *runs])


def status_plot(comparison: Comparison) -> Markup:
    """Shares of the statuses."""
    return stacked([(row.name, _statuses(row)) for row in comparison.rows], STATUSES)


def used_statuses(comparison: Comparison) -> list[str]:
    """The statuses that at least one question has."""
    return [status for status in STATUSES if any(_statuses(row).get(status) for row in comparison.rows)]


def status_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Counts of the used statuses."""
    used = used_statuses(comparison)
    return [(row.name, *(f"{_statuses(row).get(status, 0):,}" for status in used)) for row in comparison.rows]


def when_answering(row: Row) -> Share:
    """Correct answers among those given: how good a recipe is when it answers."""
    return Share(row.accuracy.right, row.statuses.get("answered", 0) if row.accuracy.of else 0)


def cost_plot(comparison: Comparison) -> Markup:
    """Tokens per question; seconds if no run used tokens."""
    tokens = [(row.name, row.cost.input_tokens + row.cost.output_tokens) for row in comparison.rows]
    if any(count for _, count in tokens):
        return bars([(name, count, f"{count:,.0f} tokens") for name, count in tokens], "Tokens per question")
    seconds = [(row.name, row.cost.seconds, f"{row.cost.seconds:.3f} s") for row in comparison.rows]
    return bars(seconds, "Seconds per question")


def cost_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """The mean cost of a question, with its ratio to the base."""
    rows = []
    for row in comparison.rows:
        cells = []
        for name in _COSTS:
            value, ratio = getattr(row.cost, name), row.cost_ratio[name]
            times = "" if ratio is None or row.name == comparison.cost_base else f" (×{ratio:,.2f})"
            cells.append("unknown" if value is None else f"{value:,.4g}{times}")
        rows.append((row.name, *cells))
    return rows


def percent(value: float | None) -> str:
    """A share in percent."""
    return "–" if value is None else f"{100 * value:.1f} %"


def signed(value: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−")


def _statuses(row: Row) -> dict[str, int]:
    return {**row.statuses, UNFINISHED: row.unfinished}


def facts(header: RunHeader) -> list[tuple[str, str]]:
    """Names and values from the header."""
    return [
        ("recipe", header.recipe),
        ("model", header.versions.get("model", header.model)),
        ("settings", header.settings_hash),
        ("prompts", header.prompts_hash),
        ("corpora", ", ".join(f"{name} {digest[:12]}" for name, digest in header.snapshots.items()) or "none"),
        ("data", f"{header.dataset} {header.dataset_hash[:12]}, split {header.split}"),
        ("versions", ", ".join(f"{k} {v}" for k, v in header.versions.items() if k != "model")),
        ("started", header.started),
        *(("accepted", difference) for difference in header.accepted),
    ]


def warnings_in(comparison: Comparison) -> list[str]:
    """The warnings about runs, then those about pairs of runs."""
    warnings = [f"{row.name}: {text}" for row in comparison.rows for text in row.warnings]
    return warnings + [
        f"{pair.other} against {pair.first}: {text}" for pair in comparison.pairs for text in pair.warnings
    ]
