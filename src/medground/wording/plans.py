"""A research plan for readers: its layered layout, and the plan as a tree of text, as Mermaid and as a drawing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from html import escape
from itertools import pairwise
from statistics import fmean
from textwrap import wrap

from medground.language.clean import joined
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion, Tool

_SWEEPS = 6

Ties = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Layout:
    """Columns of nodes and of points that long edges pass; a point is an edge and its column.

    Attributes:
        columns: for each column, its nodes (names) and points (edge and column), from the top.
        ways: for each edge, what it passes: its first node, points, its last node.
    """

    columns: tuple[tuple[str | Point, ...], ...]
    ways: Mapping[tuple[str, str], tuple[str | Point, ...]]


@dataclass(frozen=True)
class Point:
    """A place that an edge passes between its ends."""

    edge: tuple[str, str]
    column: int


Item = str | Point


def layered(nodes: Sequence[str], ties: Ties) -> Layout:
    """The layout of an acyclic graph. Nodes without edges stand in the first column, in the order given."""
    column = _columns(nodes, ties)
    ways: dict[tuple[str, str], tuple[Item, ...]] = {}
    columns: list[list[Item]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node in nodes:
        columns[column[node]].append(node)
    for before, later in ties:
        between = [Point((before, later), n) for n in range(column[before] + 1, column[later])]
        for point in between:
            columns[point.column].append(point)
        ways[before, later] = (before, *between, later)
    _order(columns, ways)
    return Layout(tuple(tuple(items) for items in columns), ways)


def _columns(nodes: Sequence[str], ties: Ties) -> dict[str, int]:
    """The column of each node: one more than the last of those before it."""
    befores: dict[str, list[str]] = {node: [] for node in nodes}
    for before, later in ties:
        befores[later].append(before)
    column: dict[str, int] = {}
    for node in TopologicalSorter(befores).static_order():
        column[node] = max((column[before] + 1 for before in befores[node]), default=0)
    return column


def _order(columns: list[list[Item]], ways: Mapping[tuple[str, str], tuple[Item, ...]]) -> None:
    """Sort each column by where its neighbours stand in the one before, then in the one after, a few times."""
    lefts: dict[Item, list[Item]] = {}
    rights: dict[Item, list[Item]] = {}
    for way in ways.values():
        for here, there in pairwise(way):
            rights.setdefault(here, []).append(there)
            lefts.setdefault(there, []).append(here)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        beside = lefts if forward else rights
        for n in range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1):
            other = columns[n - 1 if forward else n + 1]
            place = {item: (at + 0.5) / len(other) for at, item in enumerate(other)}
            own = {item: (at + 0.5) / len(columns[n]) for at, item in enumerate(columns[n])}
            columns[n].sort(key=lambda item: fmean(place[one] for one in beside[item]) if item in beside else own[item])


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
    lines = ["flowchart LR", f'  question["{_label(plan.question)}"]']
    after = plan.after()
    for one in plan.subquestions:
        facts = f"{_label(one.dimension)}<br/>{', '.join(plan.tools_of(one))}"
        lines.append(f'  {one.id}["{one.id}: {_label(one.text)}<br/>{facts}"]')
    lines += [f"  question --> {one.id}" for one in plan.subquestions if not after[one.id]]
    lines += [f"  {before} --> {later}" for before, later in reduced(ties_of(after))]
    if plan.keywords:
        ids = {keyword.name: f"k{number}" for number, keyword in enumerate(plan.keywords, start=1)}
        lines.append('  subgraph keywords["keywords"]')
        lines += [f'    {ids[keyword.name]}(["{_node(plan, keyword)}"])' for keyword in plan.keywords]
        lines += [f"    {ids[edge.before]} -- {edge.weight:g} --> {ids[edge.after]}" for edge in plan.edges]
        lines.append("  end")
    return "\n".join(lines) + "\n"


def _users(plan: ResearchPlan, keyword: Keyword) -> str:
    return ", ".join(one.id for one in plan.subquestions if keyword.name in one.keywords)


def _node(plan: ResearchPlan, keyword: Keyword) -> str:
    facts = [_label(keyword.dimension), ", ".join(keyword.tools), _users(plan, keyword)]
    return "<br/>".join([_label(keyword.name), *filter(None, facts)])


def _label(text: str) -> str:
    plain = joined(text)
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", plain)


_LETTER = 7.0
"""Width of a letter of 12 pixels, on average."""
_LINE = 16
_PAD = 10
_GAP_X, _GAP_Y = 54, 18
_MARGIN = 24
_COLOURS: Mapping[Tool, str] = {"literature": "#1f6feb", "protein": "#8250df", "web": "#bf5600"}
_INK, _QUIET, _FRAME, _PAPER = "#1f2328", "#59636e", "#8c959f", "#ffffff"
_EMPTY_POINT = 8


@dataclass(frozen=True)
class _Box:
    """What a node shows: lines with their colours, and the tools as dots."""

    lines: tuple[tuple[str, str], ...]
    tools: tuple[Tool, ...]
    width: int
    round: int

    @property
    def height(self) -> int:
        return 2 * _PAD + _LINE * len(self.lines) + (_LINE if self.tools else 0)


def svg(plan: ResearchPlan) -> str:
    """The drawing as an SVG document."""
    after = plan.after()
    title = [(line, _INK) for line in wrap(joined(plan.question), 110) or [""]]
    parts, y = [_texts(title, _MARGIN, _MARGIN + 12, bold=True)], _MARGIN + 20 * len(title) + 6
    parts.append(_legend(plan, y))
    order = reduced(ties_of(after))
    boxes = {one.id: _question_box(plan, one, after[one.id]) for one in plan.subquestions}
    drawn, width, height = _panel(boxes, order, y + 26, lambda edge: 1.0)
    parts.append(drawn)
    y += 26 + height
    if plan.keywords:
        parts.append(
            _texts([("Keywords: what is found for one sharpens the search for the next", _QUIET)], _MARGIN, y + 34)
        )
        weights = {(edge.before, edge.after): edge.weight for edge in plan.edges}
        keywords = {keyword.name: _keyword_box(plan, keyword) for keyword in plan.keywords}
        drawn, wide, height = _panel(keywords, reduced(list(weights)), y + 50, lambda edge: weights[edge])
        parts.append(drawn)
        width, y = max(width, wide), y + 50 + height
    width = max(width, int(max(len(line) for line, _ in title) * 9.4) + 2 * _MARGIN, 600)
    return _document("".join(parts), width, y + _MARGIN, joined(plan.question))


def _panel(
    boxes: Mapping[str, _Box], ties: Sequence[tuple[str, str]], top: float, weight: Callable[[tuple[str, str]], float]
) -> tuple[str, int, int]:
    """Boxes in columns with curves between them; the drawing, its width and its height."""
    layout = layered(list(boxes), ties)
    heights = [sum(_height(boxes, item) for item in items) + _GAP_Y * (len(items) - 1) for items in layout.columns]
    tall = max(heights, default=0)
    place: dict[Item, tuple[float, float, float]] = {}  # left, middle, right
    shapes, x = [], float(_MARGIN)
    for items, own in zip(layout.columns, heights, strict=True):
        wide = max((boxes[item].width for item in items if isinstance(item, str)), default=0)
        y = top + (tall - own) / 2
        for item in items:
            height = _height(boxes, item)
            if isinstance(item, str):
                shapes.append(_shape(boxes[item], x, y))
                place[item] = (x, y + height / 2, x + boxes[item].width)
            else:
                place[item] = (x, y + height / 2, x + wide)
            y += height + _GAP_Y
        x += wide + _GAP_X
    curves = "".join(_curve([place[item] for item in way], weight(edge)) for edge, way in layout.ways.items())
    return curves + "".join(shapes), int(x - _GAP_X + _MARGIN), int(tall)


def _height(boxes: Mapping[str, _Box], item: Item) -> int:
    return _EMPTY_POINT if isinstance(item, Point) else boxes[item].height


def _curve(places: Sequence[tuple[float, float, float]], weight: float) -> str:
    """A curve from the right of a box, through points, to the left of another; the thicker, the surer."""
    path = [f"M{places[0][2]:.0f},{places[0][1]:.0f}"]
    for (_, y, right), (left, there, end) in pairwise(places):
        middle = (right + left) / 2
        path.append(f"C{middle:.0f},{y:.0f} {middle:.0f},{there:.0f} {left:.0f},{there:.0f}")
        path.append(f"L{end:.0f},{there:.0f}" if (left, there, end) != places[-1] else "")
    thick = 0.8 + 1.4 * weight
    return (
        f'<path d="{"".join(path)}" fill="none" stroke="{_FRAME}" stroke-width="{thick:.1f}" marker-end="url(#tip)"/>'
    )


def _shape(box: _Box, x: float, y: float) -> str:
    frame = (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{box.width}" height="{box.height}" rx="{box.round}" fill="{_PAPER}" '
        f'stroke="{_FRAME}"/>'
    )
    below = y + box.height - _PAD - 2
    return frame + _texts(box.lines, x + _PAD, y + _PAD + 11) + _tools(box.tools, x + _PAD, below)


def _tools(tools: Sequence[Tool], x: float, y: float) -> str:
    parts = []
    for tool in tools:
        parts.append(f'<circle cx="{x + 4:.0f}" cy="{y - 4:.0f}" r="4" fill="{_COLOURS[tool]}"/>')
        parts.append(_texts([(tool, _COLOURS[tool])], x + 12, y))
        x += 20 + len(tool) * _LETTER
    return "".join(parts)


def _question_box(plan: ResearchPlan, one: SubQuestion, after: Sequence[str]) -> _Box:
    text = [(line, _INK) for line in wrap(f"{one.id}  {joined(one.text)}", 38)]
    facts = ", ".join(filter(None, [joined(one.dimension), f"after {', '.join(after)}" if after else ""]))
    return _Box((*text, *((line, _QUIET) for line in wrap(facts, 38))), plan.tools_of(one), 276, 6)


def _keyword_box(plan: ResearchPlan, keyword: Keyword) -> _Box:
    users = _users(plan, keyword)
    lines = [(line, _INK) for line in wrap(joined(keyword.name), 24)]
    lines += [(line, _QUIET) for line in wrap(joined(keyword.dimension), 26)]
    return _Box((*lines, *(((users, _QUIET),) if users else ())), keyword.tools, 196, 16)


def _legend(plan: ResearchPlan, y: float) -> str:
    count = len(plan.subquestions)
    said = f"{count} sub-question{'s' * (count != 1)}, each by the tools shown; arrows: what is searched after what"
    return _texts([(said, _QUIET)], _MARGIN, y + 8)


def _texts(lines: Sequence[tuple[str, str]], x: float, y: float, *, bold: bool = False) -> str:
    size, step = (15, 20) if bold else (12, _LINE)
    weight = ' font-weight="bold"' if bold else ""
    return "".join(
        f'<text x="{x:.0f}" y="{y + n * step:.0f}" font-size="{size}" fill="{colour}"{weight}>{escape(line)}</text>'
        for n, (line, colour) in enumerate(lines)
    )


def _document(content: str, width: float, height: float, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif">'
        f"<title>{escape(title)}</title>"
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z" fill="{_FRAME}"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>{content}</svg>\n'
    )
