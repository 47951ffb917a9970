"""The list of questions with every run's answer."""

from __future__ import annotations

from medground.evaluate.report.content import Asked, Given, Report
from medground.evaluate.report.elements import Markup, Part, element

_SHOWN = 240
_FILTERS = (("all", "all"), ("won", "won"), ("lost", "lost"), ("same", "no difference"))


def questions(report: Report) -> list[Part]:
    """A heading, filter buttons and the table."""
    names = [row.name for row in report.comparison.rows]
    counts = {kind: sum(question.outcome == kind for question in report.questions) for kind, _ in _FILTERS}
    counts["all"] = len(report.questions)
    buttons = [
        element("button", f"{label} {counts[kind]:,}", type="button", data_show=kind, aria_pressed=_pressed(kind))
        for kind, label in _FILTERS
        if len(names) > 1
    ]
    left = f" {report.left_out:,} questions on which the runs agree are not listed." if report.left_out else ""
    explained = "Won: another run is correct and the first is not. Lost: the first run is correct and another is not."
    head = element("tr", *(element("th", name) for name in ("id", "question", "gold", *names)))
    body = element("tbody", *(_row(question) for question in report.questions))
    return [
        element("h2", "Questions"),
        element("p", explained + left if len(names) > 1 else left.strip(), class_="soft"),
        element("div", *buttons, class_="filter"),
        element("div", element("table", element("thead", head), body, id="questions"), class_="scroll"),
    ]


def _pressed(kind: str) -> str:
    return "true" if kind == "all" else "false"


def _row(question: Asked) -> Markup:
    text = question.text if len(question.text) <= _SHOWN else f"{question.text[:_SHOWN]}…"
    return element(
        "tr",
        element("td", question.id, class_="id"),
        element("td", text, title=question.text if text != question.text else None),
        element("td", ", ".join(question.gold)),
        *(_given(given) for given in question.given),
        data_outcome=question.outcome,
    )


def _given(given: Given | None) -> Markup:
    if given is None:
        return element("td", "not asked", class_="id")
    mark = "✓ " if given.right else "✗ " if given.answer else ""
    shown = ", ".join(given.answer) or given.status
    return element("td", mark + shown, class_="good" if given.right else "bad" if given.answer else "id")
