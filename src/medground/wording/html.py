"""An answer as HTML for a notebook: self-contained, with all text escaped."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape
from itertools import groupby

from medground.answer import Answer, SourceDocument
from medground.wording.blocks import Block, Line, Span
from medground.wording.layout import layout
from medground.wording.pictures import Files
from medground.wording.references import plain_reference

_COLOURS = {"dim": "gray", "good": "green", "caution": "#b36b00", "bad": "#c00000"}


def as_html(
    answer: Answer,
    *,
    details: bool = False,
    bibliography: Callable[[SourceDocument], Line] = plain_reference,
    files: Files | None = None,
) -> str:
    """An answer as one `<div>`.

    Args:
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
        bibliography: formats each source.
        files: reads the files of a report, which are shown if they are pictures.
    """
    page = re.sub(r"\W", "", answer.trace_id)  # several answers may be on one page
    blocks = layout(answer, details=details, bibliography=bibliography, files=files)
    groups = groupby(blocks, key=lambda block: (block.kind, block.marker[-1:]))
    return "<div>" + "".join(_group(kind, list(blocks), page) for (kind, _), blocks in groups) + "</div>"


def _group(kind: str, blocks: list[Block], page: str) -> str:
    if kind not in ("item", "note"):
        return "".join(_block(block, page) for block in blocks)
    tag = "ol" if blocks[0].marker.endswith(".") else "ul"
    return f"<{tag}>" + "".join(f"<li>{_lines(block.lines, page)}</li>" for block in blocks) + f"</{tag}>"


def _block(block: Block, page: str) -> str:
    if block.kind == "table":
        return _table(block, page)
    if block.kind == "picture":
        return f"<figure>{_image(block)}<figcaption>{_lines(block.lines, page)}</figcaption></figure>"
    tag = {"title": "h3", "heading": "h4", "subheading": "h5"}.get(block.kind, "p")
    lines = block.lines
    if block.kind == "decision":
        lines = (tuple(replace(span, style="strong") for span in lines[0]), *lines[1:])
    return f"<{tag}>{_lines(lines, page)}</{tag}>"


def _table(block: Block, page: str) -> str:
    head, *rows = ["".join(f"<td>{_lines([cell], page)}</td>" for cell in row) for row in block.rows]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{body}</tbody></table>"


def _image(block: Block) -> str:
    if block.picture is None:
        return ""
    content = b64encode(block.picture.content).decode()
    alt = escape(" ".join(span.text for line in block.lines for span in line))
    return f'<img src="data:{escape(block.picture.media_type)};base64,{content}" alt="{alt}" style="max-width:100%">'


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
