"""The report as one HTML page: plots and tables, self-contained, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from medground.evaluate.compare import Comparison, Pair, Row
from medground.evaluate.report.content import Report
from medground.evaluate.report.elements import Markup, Part, element, joined
from medground.evaluate.report.figures import (
    COSTS,
    STATUSES,
    accuracy_plot,
    cost_plot,
    cost_rows,
    percent,
    signed,
    status_plot,
    status_rows,
    used_statuses,
    when_answering,
)
from medground.evaluate.report.provenance import provenance
from medground.evaluate.report.questions import questions
from medground.evaluate.report.style import CSS, POLICY, SCRIPT

FEW = 3
"""Up to this many warnings are shown without folding."""

Cell = Part | Iterable[Part]


def as_html(report: Report) -> str:
    """The whole page."""
    comparison = report.comparison
    title = f"{comparison.dataset}: {_many(len(comparison.rows), 'run')}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(CSS)),
    )
    body = element("main", *_sections(report, title))
    page = element("html", head, element("body", body, element("script", Markup(SCRIPT))), lang="en")
    return f"<!doctype html>\n{page}\n"


def _sections(report: Report, title: str) -> list[Part]:
    comparison = report.comparison
    return [
        element("h1", title),
        element("p", _about(report), class_="soft"),
        *_warnings(comparison),
        element("h2", "Accuracy"),
        _accuracies(report),
        accuracy_plot(report) if report.baseline or any(row.accuracy.of for row in comparison.rows) else None,
        *_pairs(comparison),
        element("h2", "Outcomes of the questions"),
        element("p", "Every question counts in the denominator; only an answer can be correct.", class_="soft"),
        status_plot(comparison),
        _key(comparison),
        table(("run", *used_statuses(comparison)), status_rows(comparison), right_from=1),
        *_classes(comparison),
        element("h2", "Cost per question"),
        table(COSTS, cost_rows(comparison), 1),
        element("p", f"In brackets: ratio to {comparison.cost_base}.", class_="soft"),
        cost_plot(comparison),
        *questions(report),
        *provenance(report),
    ]


def table(
    names: Sequence[str], rows: Iterable[Sequence[Cell]], right_from: int = 99, classes: Sequence[str] = ()
) -> Markup:
    """A table; cells from `right_from` on are numbers. `classes` has one CSS class per row."""
    kinds = ["n" if place >= right_from else "" for place in range(len(names))]
    head = element("tr", *(element("th", name, class_=kind or None) for name, kind in zip(names, kinds, strict=True)))
    lines = []
    for number, row in enumerate(rows):
        cells = (element("td", cell, class_=kind or None) for cell, kind in zip(row, kinds, strict=True))
        lines.append(element("tr", *cells, class_=(classes[number] if classes else "") or None))
    inside = element("table", element("thead", head), element("tbody", *lines))
    return element("div", inside, class_="scroll")


def _about(report: Report) -> str:
    header = report.headers[0]
    first = f", first {header.limit:,}" if header.limit is not None and header.seed is None else ""
    drawn = f", {header.limit:,} drawn with seed {header.seed}" if header.seed is not None else ""
    context = "; each question with its own documents" if header.with_context else ""
    return (
        f"Split {header.split}{first}{drawn}, {header.items:,} questions, file {header.dataset_hash[:12]}{context}. "
        f"Intervals are 95 % (Wilson); runs are compared on the same questions."
    )


def _accuracies(report: Report) -> Markup:
    rows: list[Sequence[Cell]] = []
    classes = []
    if (base := report.baseline) is not None:
        rows.append((base.name, base.words, percent(base.share), _range(base.low, base.high), "", "", "", ""))
        classes.append("base")
    for row in report.comparison.rows:
        rows.append((element("span", row.name, class_="main"), row.model, *_accuracy(row)))
        classes.append("")
    names = ("run", "model", "accuracy", "95 %", "correct", "when answering", "macro-F1", "support")
    return table(names, rows, right_from=2, classes=classes)


def _accuracy(row: Row) -> tuple[str, ...]:
    share = row.accuracy
    return (
        percent(share.value),
        _range(*share.interval) if share.of else "",
        f"{share.right:,} of {share.of:,}",
        percent(when_answering(row).value),
        "–" if row.macro_f1 is None else f"{row.macro_f1:.3f}",
        "–" if row.support.support.value is None else f"{row.support.support.value:.3f}",
    )


def _pairs(comparison: Comparison) -> list[Part]:
    if not comparison.pairs:
        return []
    return [element("h2", "Side by side"), *(part for pair in comparison.pairs for part in _pair(pair))]


def _pair(pair: Pair) -> list[Part]:
    numbers: list[tuple[str, str]] = []
    if (found := pair.difference) is not None:
        numbers.append((signed(found.value), f"accuracy, 95 % {signed(found.low)} to {signed(found.high)}"))
    numbers += [
        (f"{len(pair.won):,}", "won: only this run is correct"),
        (f"{len(pair.lost):,}", "lost: only the first run is correct"),
        (f"{pair.p:.3g}", "exact McNemar p" + (f", {pair.adjusted:.3g} after Holm" if pair.adjusted != pair.p else "")),
    ]
    differing = element("p", "Differs in: ", "; ".join(pair.chosen), class_="soft") if pair.chosen else None
    return [
        element("h3", f"{pair.other} against {pair.first}, {pair.questions:,} questions"),
        element("div", *(element("div", element("b", n), element("span", w)) for n, w in numbers), class_="pair"),
        differing,
    ]


def _warnings(comparison: Comparison) -> list[Part]:
    warnings = [f"{row.name}: {text}" for row in comparison.rows for text in row.warnings]
    warnings += [f"{pair.other} against {pair.first}: {text}" for pair in comparison.pairs for text in pair.warnings]
    shown = [element("p", text, class_="warn") for text in warnings]
    if len(shown) <= FEW:
        return [*shown]
    return [element("details", element("summary", f"{len(shown)} warnings about these runs"), *shown)]


def _key(comparison: Comparison) -> Markup:
    named = [(STATUSES.index(status), status) for status in used_statuses(comparison)]
    used = (element("span", element("i", class_=f"part-{place}"), status) for place, status in named)
    return element("div", *used, class_="key")


def _classes(comparison: Comparison) -> list[Part]:
    if not any(row.classes for row in comparison.rows):
        return []
    parts: list[Part] = [element("h2", "By class")]
    for row in comparison.rows:
        scores = [
            (s.label, f"{s.gold:,}", f"{s.given:,}", percent(s.precision), percent(s.recall), f"{s.f1:.3f}")
            for s in row.classes
        ]
        names = ("class", "gold", "given", "precision", "recall", "F1")
        both = element("div", element("div", table(names, scores, 1)), _confusion(row), class_="two")
        parts.append(element("details", element("summary", row.name), both, open=row is comparison.rows[0]))
    return parts


def _confusion(row: Row) -> Markup:
    golds = sorted({gold for gold, _ in row.confusion})
    answers = sorted({answer for _, answer in row.confusion}, key=lambda a: (not a, a))
    lines = [element("tr", element("th", "gold ↓ answer →"), *(element("th", a or "none") for a in answers))]
    for gold in golds:
        total = sum(row.confusion.get((gold, answer), 0) for answer in answers) or 1
        counts = [row.confusion.get((gold, answer), 0) for answer in answers]
        cells = (element("td", f"{n:,}", style=f"background:rgba(var(--heat),{0.55 * n / total:.2f})") for n in counts)
        lines.append(element("tr", element("th", gold), *cells))
    return element("div", element("table", *lines, class_="matrix"), class_="scroll")


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f} – {100 * high:.1f}"


def _many(count: int, what: str) -> str:
    return joined([f"{count} {what}" + ("" if count == 1 else "s")])
