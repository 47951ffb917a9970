"""Pictures: files that outputs may embed because they can neither run nor load anything, and a plan as a drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Any

from medground.language.clean import joined
from medground.values.report import Attachment
from medground.values.research_plan import ResearchPlan, Tool
from medground.wording.blocks import Picture
from medground.wording.plans import Item, Point, layered, reduced, ties_of

Files = Callable[[Attachment], bytes]
"""Reads a file of a report. Raises UsageError where it is gone."""

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "http://www.w3.org/2000/svg"
_ACTIVE = ("script", "foreignObject", "image", "feImage", "a", "set", "animate", "animateTransform", "handler")
"""Elements that run, load or move something."""
_LONGEST = 8_000_000


def picture(content: bytes, media_type: str) -> Picture | None:
    """A file as a picture; None if it is no picture, or one that could run or load something."""
    if media_type == "image/png" and content.startswith(_PNG) and len(content) <= _LONGEST:
        return Picture(content, media_type)
    if media_type == "image/svg+xml" and len(content) <= _LONGEST and _is_still(content):
        return Picture(content, media_type)
    return None


def _is_still(content: bytes) -> bool:
    """Whether an SVG file only draws."""
    from lxml import etree  # only where there is a picture

    if b"<!ENTITY" in content:
        return False
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return False
    if root.tag not in ("svg", f"{{{_SVG}}}svg"):
        return False
    return all(_only_draws(element) for element in root.iter())


def _only_draws(element: Any) -> bool:
    from lxml import etree

    if not isinstance(element.tag, str):
        return isinstance(element, etree._Comment)
    if etree.QName(element).localname in _ACTIVE:
        return False
    for name, value in element.attrib.items():
        local, told = etree.QName(name).localname.lower(), "".join(value.split()).lower()
        if local.startswith("on") or (local in ("href", "src") and not told.startswith("#")) or _loads(told):
            return False
    return not _loads("".join((element.text or "").split()).lower())


def _loads(told: str) -> bool:
    """Whether a style or an attribute loads something from elsewhere."""
    return "@import" in told or told.count("url(") != told.count("url(#")


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
    boxes = {one.id: _question_box(plan, one.id, after[one.id]) for one in plan.subquestions}
    drawn, width, height = _panel(boxes, order, y + 26, lambda edge: 1.0)
    parts.append(drawn)
    y += 26 + height
    if plan.keywords:
        parts.append(
            _texts([("Keywords: what is found for one sharpens the search for the next", _QUIET)], _MARGIN, y + 34)
        )
        weights = {(edge.before, edge.after): edge.weight for edge in plan.edges}
        keywords = {keyword.name: _keyword_box(plan, keyword.name) for keyword in plan.keywords}
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
    """A dot and the name of each tool."""
    parts = []
    for tool in tools:
        parts.append(f'<circle cx="{x + 4:.0f}" cy="{y - 4:.0f}" r="4" fill="{_COLOURS[tool]}"/>')
        parts.append(_texts([(tool, _COLOURS[tool])], x + 12, y))
        x += 20 + len(tool) * _LETTER
    return "".join(parts)


def _question_box(plan: ResearchPlan, name: str, after: Sequence[str]) -> _Box:
    one = next(one for one in plan.subquestions if one.id == name)
    text = [(line, _INK) for line in wrap(f"{one.id}  {joined(one.text)}", 38)]
    facts = ", ".join(filter(None, [joined(one.dimension), f"after {', '.join(after)}" if after else ""]))
    return _Box((*text, *((line, _QUIET) for line in wrap(facts, 38))), plan.tools_of(one), 276, 6)


def _keyword_box(plan: ResearchPlan, name: str) -> _Box:
    keyword = plan.keyword(name)
    users = ", ".join(one.id for one in plan.subquestions if name in one.keywords)
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
