"""The content of a report: runs side by side, their figures as rows of text, each question with all answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from medground_evaluate.auditing import best_blind
from medground_evaluate.blind import Baseline
from medground_evaluate.compare import Comparison, Result, Row, compare, read_results
from medground_evaluate.items import UNFINISHED, Item, RunHeader, RunLine
from medground_evaluate.statistics import Share

MOST_QUESTIONS = 5_000
"""Maximum number of questions listed; those on which the runs disagree take precedence."""


@dataclass(frozen=True)
class ReportedQuestion:
    """One question. `given` are the lines of the runs, in their order; None for a run without one."""

    id: str
    text: str
    gold: tuple[str, ...]
    given: tuple[RunLine | None, ...]

    @property
    def outcome(self) -> str:
        """`won` if another run is right and the first is not, `lost` if the other way round, else `same`."""
        marks = [given is not None and given.right for given in self.given]
        if not marks[0] and any(marks[1:]):
            return "won"
        return "lost" if marks[0] and not all(marks[1:]) else "same"


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes:
        baseline: the reference for accuracies: the best blind one or, without one, the most common gold answer.
        left_out: number of questions that are not listed because there are too many.
    """

    comparison: Comparison
    headers: tuple[RunHeader, ...]
    baseline: Baseline | None
    questions: tuple[ReportedQuestion, ...]
    left_out: int


def read_report(paths: Sequence[Path], items: Sequence[Item] | None = None) -> Report:
    """Read runs of one data set, as for `report_on`."""
    return report_on(read_results(paths), items)


def report_on(results: Sequence[Result], items: Sequence[Item] | None) -> Report:
    """The report on runs of one data set.

    Args:
        items: the set's items, for the best blind baseline; without them the most common gold answer takes its place.
    """
    comparison = compare(results)
    asked = _questions(results)
    listed = sorted(asked, key=lambda question: question.outcome == "same")[:MOST_QUESTIONS]
    kept = {question.id for question in listed}
    return Report(
        comparison=comparison,
        headers=tuple(result.header for result in results),
        baseline=_baseline(comparison, results, items),
        questions=tuple(question for question in asked if question.id in kept),
        left_out=len(asked) - len(listed),
    )


def _questions(results: Sequence[Result]) -> list[ReportedQuestion]:
    texts = {i: line.question for result in reversed(results) for i, line in result.lines.items()}
    found = []
    for i in dict.fromkeys(i for result in results for i in result.lines):
        given = tuple(result.lines.get(i) for result in results)
        gold = next(line.gold for line in given if line is not None)
        found.append(ReportedQuestion(i, texts[i], gold, given))
    return found


def _baseline(comparison: Comparison, results: Sequence[Result], items: Sequence[Item] | None) -> Baseline | None:
    found = best_blind([item for item in items if item.id in results[0].lines]) if items is not None else None
    if found is not None:
        return found.replace(name=f"best blind baseline: {found.name}")
    if comparison.majority is None:
        return None
    answer, share = comparison.majority
    hint = "the set has no better baseline" if items else "use --data for the best blind baseline"
    return Baseline.counted(f"always {answer}", share.right, share.of, f"the most common gold answer; {hint}")


STATUSES = ("answered", "not judged", "unanswerable", "failed", "unreadable", "budget", UNFINISHED)
ACCURACY = ("run", "model", "accuracy", "95 %", "correct", "when answering", "macro-F1", "partial", "support")
CLASSES = ("class", "gold", "given", "precision", "recall", "F1")
COSTS = ("run", "tokens in", "tokens out", "model calls", "verification calls", "searches", "seconds", "US $")
_COSTS = ("input_tokens", "output_tokens", "model_calls", "verification_calls", "searches", "seconds", "money")


def accuracy_rows(report: Report, between: str) -> list[tuple[str, ...]]:
    """The baseline, then each run, under `ACCURACY`; `between` stands between the ends of an interval."""

    def interval(low: float, high: float) -> str:
        return f"{100 * low:.1f}{between}{100 * high:.1f}"

    rows: list[tuple[str, ...]] = []
    if (base := report.baseline) is not None:
        counted = f"{base.count:,} of {base.of:,}"
        rows.append((base.name, base.words, percent(base.share), interval(base.low, base.high), counted, *[""] * 4))
    for row in report.comparison.rows:
        share, support = row.accuracy, row.support.support.value
        when_answering = Share(share.right, row.statuses.get("answered", 0) if share.of else 0).value
        low_high = interval(*share.interval) if share.of else ""
        scores = (row.macro_f1, row.sets.partial if row.sets else None, support)
        means = ("–" if value is None else f"{value:.3f}" for value in scores)
        found = (row.name, row.model, percent(share.value), low_high, f"{share.right:,} of {share.of:,}")
        rows.append((*found, percent(when_answering), *means))
    return rows


def class_rows(row: Row) -> list[tuple[str, ...]]:
    """The scores of a run by class, under `CLASSES`."""
    return [
        (s.label, f"{s.gold:,}", f"{s.given:,}", percent(s.precision), percent(s.recall), f"{s.f1:.3f}")
        for s in row.classes
    ]


def confusion_rows(row: Row) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """The answers given, none last, and for each gold answer how often it received each of them."""
    answers = sorted({answer for _, answer in row.confusion}, key=lambda answer: (not answer, answer))
    golds = sorted({gold for gold, _ in row.confusion})
    return answers, [(gold, [row.confusion.get((gold, answer), 0) for answer in answers]) for gold in golds]


def used_statuses(comparison: Comparison) -> list[str]:
    """The statuses that at least one question has."""
    return [status for status in STATUSES if any(statuses_of(row).get(status) for row in comparison.rows)]


def status_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Counts of the used statuses."""
    used = used_statuses(comparison)
    return [(row.name, *(f"{statuses_of(row).get(status, 0):,}" for status in used)) for row in comparison.rows]


def cost_rows(comparison: Comparison, ratio_form: str = " (×{:,.2f})") -> list[tuple[str, ...]]:
    """The mean cost of a question, with its ratio to the base."""
    rows = []
    for row in comparison.rows:
        cells = []
        for name in _COSTS:
            value, ratio = getattr(row.cost, name, None), row.cost_ratio.get(name)
            times = "" if ratio is None or row.name == comparison.cost_base else ratio_form.format(ratio)
            cells.append("unknown" if value is None else f"{value:,.4g}{times}")
        rows.append((row.name, *cells))
    return rows


def percent(value: float | None) -> str:
    """A share in percent."""
    return "–" if value is None else f"{100 * value:.1f} %"


def signed(value: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−")


def statuses_of(row: Row) -> dict[str, int]:
    """How many questions have each status, also `unfinished`."""
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
