"""An answer as a report in Markdown. Text of documents is escaped: it can neither format nor link nor embed HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from medground.answer import Answer, SourceDocument
from medground.text.english import joined
from medground.wording.blocks import Block, Line, Span, spaced
from medground.wording.encoding import encodable_blocks
from medground.wording.layout import layout
from medground.wording.pictures import Files
from medground.wording.references import plain_reference

_AUTOLINK = re.compile(r"(?<=\w)(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)
"""Where some readers of Markdown make a link of plain text."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#!|~&$]|(?<!\w)[+-]|[+-](?!\w))")
_STARTS_LIST = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_ITALIC = ("italic", "good", "caution", "bad")
_PREFIXES = {"title": "# ", "heading": "## ", "subheading": "### ", "note": "- "}


def as_markdown(
    answer: Answer,
    *,
    details: bool = False,
    encoding: str = "utf-8",
    bibliography: Callable[[SourceDocument], Line] = plain_reference,
    files: Files | None = None,
) -> str:
    """The whole report, ending without a newline.

    Args:
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
        encoding: the encoding it will be written in; characters that it lacks are replaced.
        bibliography: formats each source.
        files: reads the files of a report.
    """
    return blocks_as_markdown(layout(answer, details=details, bibliography=bibliography, files=files), encoding)


def blocks_as_markdown(blocks: Sequence[Block], encoding: str = "utf-8") -> str:
    """Blocks as Markdown, ending without a newline."""
    return "".join(block_texts(encodable_blocks(blocks, encoding)))


def block_texts(blocks: Iterable[Block]) -> Iterator[str]:
    """Each block as Markdown, after what separates it from the one before; together they are the whole page."""
    before: Block | None = None
    for block in blocks:
        apart = before is not None and (spaced(block, before) or block.kind != before.kind)
        yield ("\n\n" if apart else "\n" if before is not None else "") + _block(block)
        before = block


def escaped(text: str) -> str:
    """Text as one Markdown line with no effect but itself."""
    line = _SPECIAL.sub(r"\\\1", joined(text))
    return _AUTOLINK.sub(r"\\", _STARTS_LIST.sub(r"\1\\\2", line))


def _block(block: Block) -> str:
    if block.kind == "table":
        return _table(block)
    prefix = f"{block.marker} " if block.marker else _PREFIXES.get(block.kind, "")
    indent = " " * len(prefix) if block.kind == "item" else ""
    lines = [_line(line) for line in block.lines]
    if block.kind == "decision":
        lines[0] = f"**{lines[0]}**"
    return prefix + f"  \n{indent}".join(lines)


def _table(block: Block) -> str:
    head, *rows = ["| " + " | ".join(map(_line, row)) + " |" for row in block.rows]
    return "\n".join([head, "|" + " --- |" * len(block.rows[0]), *rows])


def _line(line: Line) -> str:
    return "".join(map(_span, line)).strip()


def _span(span: Span) -> str:
    if not span.text.strip():
        return " "
    text = _inside(span)
    before, after = " " * span.text[0].isspace(), " " * span.text[-1].isspace()
    return f"{before}{text}{after}"


def _inside(span: Span) -> str:
    if span.url.startswith("#"):
        return f"[{escaped(span.text.strip('[]'))}]({span.url})"
    if span.url:
        return f"<{span.url}>"
    text = escaped(span.text)
    if span.anchor:
        return f'<a id="{span.anchor}"></a>**{escaped(span.text.strip("[]"))}**'
    if span.style == "strong":
        return f"**{text}**"
    return f"*{text}*" if span.style in _ITALIC else text
