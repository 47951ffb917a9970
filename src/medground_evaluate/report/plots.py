"""All plots, as SVG: those of a report, and the same in a notebook.

All text is escaped; only what `plots.svg` and Jinja2 write is markup.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup

from medground.wording import template
from medground_evaluate.compare import Comparison
from medground_evaluate.report.content import (
    ACCURACY,
    STATUSES,
    Report,
    accuracy_rows,
    read_report,
    statuses_of,
    used_statuses,
)


def accuracy_plot(report: Report) -> Markup:
    """Accuracies: a dot with its interval as a whisker for each run, and a dashed line at the baseline, the first."""
    base = report.baseline
    rows = [(base.name.partition(":")[0], base.share, base.low, base.high)] if base is not None else []
    known = ((row.name, row.accuracy.value, *row.accuracy.interval) for row in report.comparison.rows)
    rows += [(name, value, low, high) for name, value, low, high in known if value is not None]
    ends = {  # of the axis: tenths around all values, 0 to 1
        "left": max(0.0, int(min(low for *_, low, _ in rows) * 10 - 1e-9) / 10),
        "right": min(1.0, (int(max(high for *_, high in rows) * 10 - 1e-9) + 1) / 10),
    }
    return _plot("accuracy", "Accuracy with 95 % intervals", rows, base=base, **ends)


def status_plot(comparison: Comparison) -> Markup:
    """Shares of the statuses: a stacked bar for each run. Parts are coloured by their position in `STATUSES`."""

    def parts(counts: Mapping[str, int]) -> list[tuple[int, str, int]]:
        return [(place, kind, counts[kind]) for place, kind in enumerate(STATUSES) if counts.get(kind)]

    rows = [(row.name, parts(statuses_of(row))) for row in comparison.rows]
    return _plot("outcomes", "Outcomes of the questions", rows)


def cost_plot(comparison: Comparison) -> Markup:
    """Tokens per question; seconds if no run used tokens."""
    known = [(row.name, row.cost) for row in comparison.rows if row.cost is not None]
    tokens = [(name, cost.input_tokens + cost.output_tokens) for name, cost in known]
    if any(count for _, count in tokens):
        return _plot("bars", "Tokens per question", [(name, n, f"{n:,.0f} tokens") for name, n in tokens])
    seconds = [(name, cost.seconds, f"{cost.seconds:.3f} s") for name, cost in known if cost.seconds is not None]
    return _plot("bars", "Seconds per question", seconds)


def _plot(kind: str, title: str, rows: Sequence[Any], **more: Any) -> Markup:
    drawn = template(__package__, "plots.svg").render(kind=kind, title=title, rows=rows, **more)
    return Markup(drawn)  # noqa: S704 of our template


def style() -> str:
    """The styles of a report and its plots: readable in light and dark mode, on paper and on a phone."""
    return (resources.files(__package__) / "report.css").read_text(encoding="utf-8")


_OWN = "svg.plot{background:var(--ground);font:13px system-ui,sans-serif;margin:0;max-width:none}"
"""What the page of a report gives its plots, and an image by itself lacks."""


@dataclass(frozen=True)
class ShownRuns:
    """Runs of one data set, which show themselves in a notebook: a table, then plots. `report` has the figures."""

    report: Report

    def svg(self) -> dict[str, str]:
        """The plots as SVG files by name: `accuracy`, `outcomes`, `cost`. They follow light and dark by themselves."""
        comparison = self.report.comparison
        drawn = {"outcomes": status_plot(comparison), "cost": cost_plot(comparison)}
        if any(row.accuracy.of for row in comparison.rows):
            drawn = {"accuracy": accuracy_plot(self.report), **drawn}
        return {name: _file(plot) for name, plot in drawn.items()}

    def __repr__(self) -> str:
        return "\n".join(" ".join(row) for row in accuracy_rows(self.report, " to "))

    def _repr_html_(self) -> str:
        """A table of the figures, and each plot as an image: an untrusted notebook shows images, and no inline SVG."""
        captions = {
            "accuracy": "Accuracy with 95 % intervals; the dashed line is the baseline",
            "outcomes": f"Outcomes of the questions, from the left: {', '.join(used_statuses(self.report.comparison))}",
            "cost": "Cost of a question",
        }
        return template(__package__, "shown.html").render(
            names=ACCURACY,
            rows=accuracy_rows(self.report, " to "),
            images=[(b64encode(svg.encode()).decode(), captions[name]) for name, svg in self.svg().items()],
        )


def show_runs(*paths: str | Path) -> ShownRuns:
    """Runs of one data set side by side, for a notebook. All are compared with the first.

    Args:
        paths: files that `medground eval run` wrote.

    Raises UsageError: a file is not a run, or the runs have different sets or gold answers.
    """
    return ShownRuns(read_report([Path(path) for path in paths]))


def _file(plot: Markup) -> str:
    inside = plot.removeprefix("<svg")
    start, _, rest = inside.partition(">")
    return f'<svg xmlns="http://www.w3.org/2000/svg"{start}><style>{style()}{_OWN}</style>{rest}'
