"""A research plan for readers: as a tree of text, as Mermaid and as a drawing."""

import re
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from textwrap import wrap

from medground.language.clean import joined
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion
from medground.wording.templates import printed, template

Ties = Sequence[tuple[str, str]]


def ties_of(after: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Pairs of what comes before and what comes after."""
    return [(before, later) for later, befores in after.items() for before in befores]


def reduced(ties: Ties) -> list[tuple[str, str]]:
    """The edges of an acyclic graph without those that a longer way implies, in their order."""
    nexts: dict[str, set[str]] = {}
    for before, later in ties:
        nexts.setdefault(before, set()).add(later)
    reached: dict[str, set[str]] = {}
    for node in TopologicalSorter(nexts).static_order():
        following = nexts.get(node, set())
        reached[node] = following.union(*(reached[one] for one in following))
    return [(a, b) for a, b in ties if not any(b in reached[other] for other in nexts[a] if other != b)]


def tree(plan: ResearchPlan, width: int = 100) -> list[str]:
    """The lines of the tree, each at most `width` characters where its words allow it."""
    lines = wrap(joined(plan.question), width) or [""]
    after = plan.after()
    for number, one in enumerate(plan.subquestions):
        last = number == len(plan.subquestions) - 1
        head, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
        shown = _shown(plan, one, after[one.id], width - len(rest) - 4)
        lines += [f"{head if n == 0 else rest}{f'{one.id:<3} ' if n == 0 else '    '}{t}" for n, t in enumerate(shown)]
    for note in plan.notes:
        lines += wrap(f"note: {joined(note)}", width, subsequent_indent="      ")
    return [line.rstrip() for line in lines]


def _shown(plan: ResearchPlan, one: SubQuestion, after: tuple[str, ...], width: int) -> list[str]:
    facts = [joined(one.dimension), ", ".join(plan.tools_of(one)), f"after {', '.join(after)}" if after else "first"]
    lines = [*wrap(joined(one.text), width), *wrap(" · ".join(filter(None, facts)), width)]
    named = ", ".join(_keyword(keyword) for keyword in plan.keywords_of(one))
    return [*lines, *wrap(f"keywords: {named}", width, subsequent_indent="          ")] if named else lines


def _keyword(keyword: Keyword) -> str:
    fine = joined(keyword.dimension)
    name = joined(keyword.name)
    return f"{name} ({fine})" if fine and fine.casefold() != name.casefold() else name


_PLAIN = re.compile(r"[^\w ,.:?()/+-]")
"""Anything else could end a label or be read as Mermaid, HTML or Markdown, and becomes its number."""


def mermaid(plan: ResearchPlan) -> str:
    """The text of a flow chart. Labels hold no character that Mermaid reads as its own."""
    after = plan.after()
    ids = {keyword.name: f"k{number}" for number, keyword in enumerate(plan.keywords, start=1)}
    shown = {"ties": reduced(ties_of(after)), "ids": ids, "label": _label, "node": _node}
    return "\n".join([*printed(__package__, "mermaid", plan=plan, after=after, **shown), ""])


def _users(plan: ResearchPlan, keyword: Keyword) -> str:
    return ", ".join(subquestion.id for subquestion in plan.subquestions if keyword.name in subquestion.keywords)


def _node(plan: ResearchPlan, keyword: Keyword) -> str:
    facts = [_label(keyword.dimension), ", ".join(keyword.tools), _users(plan, keyword)]
    return "<br/>".join([_label(keyword.name), *filter(None, facts)])


def _label(text: str) -> str:
    plain = joined(text)
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", plain)


_WIDE, _LINE, _PAD = 280, 16, 10
_GAP_X, _GAP_Y, _MARGIN = 54, 18, 24
_LETTERS = 38
"""Letters in a line of a box."""
_INK, _QUIET = "#1f2328", "#59636e"


def svg(plan: ResearchPlan) -> str:
    """A drawing of the sub-questions, each right of those that it comes after. The keywords are in the other forms."""
    after = plan.after()
    column: dict[str, int] = {}
    for name in TopologicalSorter(after).static_order():
        column[name] = max((column[before] + 1 for before in after[name]), default=0)
    boxes = {subquestion.id: _box(plan, subquestion, after[subquestion.id]) for subquestion in plan.subquestions}
    title = [(line, _INK) for line in wrap(joined(plan.question), 80)]
    top = [float(_MARGIN + _LINE * (len(title) + 1))] * (max(column.values(), default=0) + 1)
    place: dict[str, tuple[int, float]] = {}
    for name, lines in boxes.items():
        place[name] = (_MARGIN + column[name] * (_WIDE + _GAP_X), top[column[name]])
        top[column[name]] += _height(lines) + _GAP_Y
    ends = [
        ((place[a][0] + _WIDE, place[a][1] + _height(boxes[a]) / 2), (place[b][0], place[b][1] + _height(boxes[b]) / 2))
        for a, b in reduced(ties_of(after))
    ]
    return (
        template(__package__, "plan.svg").render(
            question=joined(plan.question),
            title=title,
            ties=ends,
            boxes=[(*place[name], _height(lines), lines) for name, lines in boxes.items()],
            width=max(600, len(top) * (_WIDE + _GAP_X) + _MARGIN),
            height=f"{max(top) + _MARGIN:.0f}",
        )
        + "\n"
    )


def _box(plan: ResearchPlan, one: SubQuestion, after: Sequence[str]) -> list[tuple[str, str]]:
    """The lines of a box with their colours."""
    facts = [joined(one.dimension), ", ".join(plan.tools_of(one)), f"after {', '.join(after)}" if after else ""]
    told = ((line, _QUIET) for fact in facts for line in wrap(fact, _LETTERS))
    return [*((line, _INK) for line in wrap(f"{one.id}  {joined(one.text)}", _LETTERS)), *told]


def _height(lines: Sequence[tuple[str, str]]) -> int:
    return 2 * _PAD + _LINE * len(lines)
