"""The report in Markdown. Texts of questions and models are escaped, so they cannot add formatting or links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from medground.errors import StorageFailed
from medground.home.files import write_whole
from medground.wording.markup import escaped
from medground_evaluate.compare import Comparison, Pair
from medground_evaluate.report.content import Given, Report
from medground_evaluate.report.figures import (
    ACCURACY,
    CLASSES,
    COSTS,
    accuracy_rows,
    class_rows,
    cost_rows,
    facts,
    signed,
    status_rows,
    used_statuses,
    warnings_in,
)
from medground_evaluate.report.page import as_html

MOST = 50
"""Maximum number of won and lost questions listed."""


def as_markdown(report: Report) -> str:
    """The whole report."""
    comparison = report.comparison
    header = report.headers[0]
    parts = [
        f"# {escaped(comparison.dataset)}",
        f"Split {escaped(header.split)}, {header.items:,} questions, file {header.dataset_hash[:12]}. Intervals are 95 "
        "% (Wilson). Every question counts in the denominator.",
        *(f"> {escaped(text)}" for text in warnings_in(comparison)),
        "## Accuracy",
        _table(ACCURACY[:-1], [row[:-1] for row in accuracy_rows(report, " to ")]),
        *(_pair(pair) for pair in comparison.pairs),
        "## Outcomes of the questions",
        _table(("run", *used_statuses(comparison)), status_rows(comparison)),
        *_classes(comparison),
        "## Cost per question",
        _table(COSTS, cost_rows(comparison)),
        f"In brackets: ratio to {escaped(comparison.cost_base)}.",
        *_questions(report),
        "## How the runs were made",
        *_provenance(report),
    ]
    return "\n\n".join(parts) + "\n"


def _pair(pair: Pair) -> str:
    lines = [f"### {escaped(pair.other)} against {escaped(pair.first)}", ""]
    if (found := pair.difference) is not None:
        lines.append(f"- accuracy {signed(found.value)} points [{signed(found.low)}, {signed(found.high)}]")
    lines.append(
        f"- won {len(pair.won):,}, lost {len(pair.lost):,}, both correct {pair.both:,}, both wrong {pair.neither:,} "
        f"of {pair.questions:,}; exact McNemar p {pair.p:.3g}, after Holm {pair.adjusted:.3g}"
    )
    lines += [f"- differs: {escaped(text)}" for text in pair.chosen]
    return "\n".join(lines)


def _classes(comparison: Comparison) -> list[str]:
    rows = [(row.name, *cells) for row in comparison.rows for cells in class_rows(row)]
    return ["## By class", _table(("run", *CLASSES), rows)] if rows else []


def _questions(report: Report) -> list[str]:
    differing = [question for question in report.questions if question.outcome != "same"]
    if not differing:
        return []
    names = [row.name for row in report.comparison.rows]
    rows = [
        (question.outcome, question.id, question.text, ", ".join(question.gold), *map(_given, question.given))
        for question in differing[:MOST]
    ]
    more = f"{len(differing) - MOST:,} more are in report.html." if len(differing) > MOST else ""
    listed = _table(("", "id", "question", "gold", *names), rows)
    return ["## Questions won and lost", listed, *([more] if more else [])]


def _given(given: Given | None) -> str:
    return "not asked" if given is None else ", ".join(given.answer) or given.status


def _provenance(report: Report) -> Iterable[str]:
    for row, header in zip(report.comparison.rows, report.headers, strict=True):
        listed = "\n".join(f"- {name}: {escaped(value)}" for name, value in facts(header))
        yield f"### {escaped(row.name)}\n\n{listed}"


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names)]
    lines += [[escaped(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write `report.md` and `report.html` into a folder, replacing existing ones.

    Raises:
        StorageFailed: the folder cannot be written.
    """
    markdown, page = folder / "report.md", folder / "report.html"
    try:
        write_whole(markdown, as_markdown(report))
        write_whole(page, as_html(report))
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be written ({error.strerror or error}); name another with --out"
        ) from None
    return markdown, page
