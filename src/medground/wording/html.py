"""An answer as HTML for a notebook: self-contained, with all text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from html import escape
from itertools import groupby

from medground.answer import Answer
from medground.wording.blocks import Block, Line, Span
from medground.wording.layout import layout

_COLOURS = {"dim": "gray", "good": "green", "caution": "#b36b00", "bad": "#c00000"}


def as_html(answer: Answer, *, details: bool = False) -> str:
    """An answer as one `<div>`.

    Args:
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
    """
    page = re.sub(r"\W", "", answer.trace_id)  # several answers may be on one page
    groups = groupby(layout(answer, details=details), key=lambda block: (block.kind, block.marker[-1:]))
    return "<div>" + "".join(_group(kind, list(blocks), page) for (kind, _), blocks in groups) + "</div>"


def _group(kind: str, blocks: list[Block], page: str) -> str:
    if kind not in ("item", "note"):
        return "".join(_block(block, page) for block in blocks)
    tag = "ol" if blocks[0].marker.endswith(".") else "ul"
    return f"<{tag}>" + "".join(f"<li>{_lines(block.lines, page)}</li>" for block in blocks) + f"</{tag}>"


def _block(block: Block, page: str) -> str:
    tag = {"title": "h3", "heading": "h4"}.get(block.kind, "p")
    lines = block.lines
    if block.kind == "decision":
        lines = (tuple(replace(span, style="strong") for span in lines[0]), *lines[1:])
    return f"<{tag}>{_lines(lines, page)}</{tag}>"


def _lines(lines: Iterable[Line], page: str) -> str:
    return "<br>".join("".join(_span(span, page) for span in line) for line in lines)


def _span(span: Span, page: str) -> str:
    text = escape(span.text)
    if span.url.startswith("#"):
        return f'<a href="#{page}-{escape(span.url[1:])}">{text}</a>'
    if span.url:
        return f'<a href="{escape(span.url)}" rel="noopener">{text}</a>'
    if span.anchor:
        return f'<strong id="{page}-{escape(span.anchor)}">{text}</strong>'
    if span.style == "strong":
        return f"<strong>{text}</strong>"
    if span.style == "italic":
        return f"<em>{text}</em>"
    colour = _COLOURS.get(span.style)
    return f'<span style="color:{colour}">{text}</span>' if colour else text
