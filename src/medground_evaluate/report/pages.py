"""The report as one HTML page and as Markdown. Text of questions and models is escaped in both."""

import base64
import hashlib
from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from medground.errors import StorageFailed
from medground.home import write_whole
from medground.wording import escaped, template
from medground_evaluate.compare import Comparison, Pair, Row
from medground_evaluate.report import content
from medground_evaluate.report.plots import accuracy_plot, cost_plot, status_plot, style

FEW = 3
"""Up to this many warnings are shown without folding."""
_SHOWN = 240
"""Characters of a question that are shown; all of it is its title."""
_FILTERS = (("all", "all"), ("won", "won"), ("lost", "lost"), ("same", "no difference"))


def as_html(report: content.Report) -> str:
    """The whole page. It may load nothing and run only its own script, whatever its text contains."""
    comparison, rows, same = report.comparison, report.comparison.rows, _in_both(report)
    script = (resources.files(__package__) / "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    outcomes = Counter(question.outcome for question in report.questions)
    names, main = {row.name for row in rows}, Markup('<span class="main">{}</span>').format
    accuracies = [(main(name) if name in names else name, *rest) for name, *rest in same["accuracies"]]
    shown = {
        "title": f"{comparison.dataset}: {len(rows)} run{'' if len(rows) == 1 else 's'}",
        "css": Markup(style()),  # noqa: S704 (our own file)
        "script": Markup(script),  # noqa: S704 (our own file)
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        "few": FEW,
        "accuracies": accuracies,
        "accuracy_plot": accuracy_plot(report) if report.baseline or any(row.accuracy.of for row in rows) else "",
        "status_plot": status_plot(comparison),
        "key": [(content.STATUSES.index(status), status) for status in same["used"]],
        "cost_plot": cost_plot(comparison),
        "several": len(rows) > 1,
        "filters": [
            (kind, label, f"{len(report.questions) if kind == 'all' else outcomes[kind]:,}") for kind, label in _FILTERS
        ],
        "shown": _SHOWN,
    }
    return template(__package__, "report.html").render(same | shown)


def _in_both(report: content.Report) -> dict[str, Any]:
    """What the page and the Markdown show."""
    comparison = report.comparison
    return {
        "report": report,
        "comparison": comparison,
        "about": _about(report),
        "warnings": content.warnings_in(comparison),
        "accuracy_names": content.ACCURACY,
        "accuracies": content.accuracy_rows(report, " – "),
        "pairs": [(pair, _numbers(pair)) for pair in comparison.pairs],
        "used": content.used_statuses(comparison),
        "statuses": content.status_rows(comparison),
        "class_names": content.CLASSES,
        "classes": _classes(comparison),
        "cost_names": content.COSTS,
        "costs": content.cost_rows(comparison),
        "provenance": [
            (row.name, content.facts(header)) for row, header in zip(comparison.rows, report.headers, strict=True)
        ],
    }


def _about(report: content.Report) -> str:
    header = report.headers[0]
    first = f", first {header.limit:,}" if header.limit is not None and header.seed is None else ""
    drawn = f", {header.limit:,} drawn with seed {header.seed}" if header.seed is not None else ""
    context = "; each question with its own documents" if header.with_context else ""
    return (
        f"Split {header.split}{first}{drawn}, {header.items:,} questions, file {header.dataset_hash[:12]}{context}. "
        "Intervals are 95 % (Wilson; of differences, Tango); runs are compared on the same questions."
    )


def _numbers(pair: Pair) -> list[tuple[str, str]]:
    numbers: list[tuple[str, str]] = []
    if (found := pair.difference) is not None:
        numbers.append(
            (content.signed(found.value), f"accuracy, 95 % {content.signed(found.low)} to {content.signed(found.high)}")
        )
    holm = f", {pair.adjusted:.3g} after Holm" if pair.adjusted != pair.p else ""
    return [
        *numbers,
        (f"{len(pair.won):,}", "won: only this run is correct"),
        (f"{len(pair.lost):,}", "lost: only the first run is correct"),
        (f"{pair.p:.3g}", f"exact McNemar p{holm}"),
    ]


def _classes(comparison: Comparison) -> list[dict[str, Any]]:
    """Scores by class and the confusion matrix of each run; none if no run has classes."""
    if not any(row.classes for row in comparison.rows):
        return []
    return [{"name": row.name, "scores": content.class_rows(row), **_matrix(row)} for row in comparison.rows]


def _matrix(row: Row) -> dict[str, Any]:
    answers, rows = content.confusion_rows(row)
    shaded = [(gold, [(f"{n:,}", f"{0.55 * n / (sum(counts) or 1):.2f}") for n in counts]) for gold, counts in rows]
    return {"answers": answers, "matrix": shaded}


MOST = 50
"""Maximum number of won and lost questions listed."""


@cache
def _markdown() -> Template:
    environment = Environment(
        autoescape=False,  # noqa: S701 (every text is escaped as Markdown instead)
        finalize=lambda value: value if isinstance(value, Markup) else escaped(str(value)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string((resources.files(__package__) / "report.md").read_text(encoding="utf-8"))


def as_markdown(report: content.Report) -> str:
    """The whole report. Texts of questions and models cannot add formatting or links."""
    return _markdown().render(_in_both(report), most=MOST)


def write_report(report: content.Report, folder: Path) -> tuple[Path, Path]:
    """Write `report.md` and `report.html` into a folder, replacing existing ones."""
    markdown, page = folder / "report.md", folder / "report.html"
    try:
        write_whole(markdown, as_markdown(report))
        write_whole(page, as_html(report))
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be written ({error.strerror or error}); name another with --out"
        ) from None
    return markdown, page
