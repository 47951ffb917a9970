"""The whole answer as PDF, set by Typst (`typst` on PyPI: one wheel without other programs, fonts included).

The template `page.typ` is fixed; everything that an answer says reaches it as JSON data and becomes text nodes, so no
document can write markup, load a file or start a formula. ReportLab would read marks in a paragraph's text, and
WeasyPrint needs Pango from the system.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from medground.answer import Answer
from medground.errors import ConfigError
from medground.export.page import bibliography
from medground.export.reference import one_line, spaced_line
from medground.rank.source_facts import is_web_address
from medground.wording.blocks import Block, Line, Picture, Span
from medground.wording.layout import layout
from medground.wording.pictures import Files

_UNBROKEN = re.compile(r"\S{30}(?=\S)")
_BREAK = "\u200b"
"""Where a word without end may be broken: a zero-width space."""
_PNG = b"#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(json(bytes(sys.inputs.data))), width: 16cm)"


def as_pdf(answer: Answer, style: str, files: Files | None = None) -> bytes:
    """An answer as PDF. The same answer gives the same bytes.

    Raises:
        UsageError: there is no such style.
        ConfigError: the `export` extra is missing.
    """
    blocks = layout(answer, bibliography=bibliography(answer, style), files=files)
    anchors = [span.anchor for block in blocks for line in _lines(block) for span in line if span.anchor]
    once = {anchor for anchor in anchors if anchors.count(anchor) == 1}
    data = {"title": one_line(answer.question.text), "blocks": [_block(block, once) for block in blocks]}
    template = (resources.files(__package__) / "page.typ").read_bytes()
    made: bytes = _typst().compile(
        template, format="pdf", sys_inputs=_inputs(data), timestamp=int(answer.created.timestamp())
    )
    return made


def as_png(picture: Picture) -> bytes:
    """A picture as PNG, for programs that cannot show SVG.

    Raises:
        ConfigError: the `export` extra is missing.
    """
    if picture.media_type == "image/png":
        return picture.content
    made: bytes = _typst().compile(_PNG, format="png", ppi=200, sys_inputs=_inputs(list(picture.content)))
    return made


def _typst() -> Any:
    try:
        import typst
    except ImportError:
        raise ConfigError("this format needs typst; pip install 'medground[export]'") from None
    return typst


def _inputs(data: object) -> Mapping[str, str]:
    return {"data": json.dumps(data, ensure_ascii=False)}


def _lines(block: Block) -> Iterable[Line]:
    return (*block.lines, *(cell for row in block.rows for cell in row))


def _block(block: Block, anchors: set[str]) -> dict[str, Any]:
    def written(lines: Sequence[Line]) -> list[list[dict[str, str | None]]]:
        return [[_span(span, anchors) for span in line] for line in lines]

    marker = block.marker or ("•" if block.kind == "note" else None)
    return {
        "kind": block.kind,
        "marker": marker,
        "lines": written(block.lines),
        "rows": [written(row) for row in block.rows],
        "picture": list(block.picture.content) if block.picture else None,
    }


def _span(span: Span, anchors: set[str]) -> dict[str, str | None]:
    inner = span.url[1:] if span.url.startswith("#") else ""
    return {
        "text": _UNBROKEN.sub(rf"\g<0>{_BREAK}", spaced_line(span.text)),
        "style": span.style,
        "to": inner if inner in anchors else None,
        "url": span.url if is_web_address(span.url) else None,
        "anchor": span.anchor if span.anchor in anchors else None,
    }
