"""An answer as Markdown, as a message of a chat, and as HTML that loads nothing. Text of documents is escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from medground.language.clean import joined
from medground.values.answer import Answer
from medground.wording import phrases
from medground.wording.answer_blocks import Bibliography, plain_reference
from medground.wording.blocks import Block, Files, Line, Span, line, mapped, note, spaced
from medground.wording.encoding import encodable_blocks
from medground.wording.layout import cleaned, layout
from medground.wording.templates import template

_AUTOLINK = re.compile(r"(?i)(?<=\w)(?=://|@)|(?<=www)(?=\.)")
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
    bibliography: Bibliography = plain_reference,
    files: Files | None = None,
) -> str:
    """The whole report, ending without a newline.

    `encoding`: the encoding it will be written in; characters that it lacks are replaced.
    """
    return blocks_as_markdown(layout(answer, details=details, bibliography=bibliography, files=files), encoding)


def blocks_as_markdown(blocks: Sequence[Block], encoding: str) -> str:
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


NOT_READ = "Earlier messages were not read: none of them is an answer saved here."
_MARK = re.compile(r"\[(E[1-9][0-9]*)\]\(#e[0-9]+\)|<a id=\"e[0-9]+\"></a>\*\*(E[1-9][0-9]*)\*\*")
"""A citation mark, or the mark before a quote in the list of sources. Text of documents cannot look like one: its
brackets are escaped."""
_KEPT_AS = re.compile(r"^- Answer: ([A-Za-z0-9-]{1,64})\s*\Z", re.MULTILINE)


@dataclass(frozen=True)
class Mark:
    """A citation mark: `message[start:end] == f"[{evidence_id}]"`, offsets in code points."""

    evidence_id: str
    start: int
    end: int


@dataclass(frozen=True)
class Piece:
    """Some of a message, and the citation marks in it; their offsets are those in the whole message."""

    text: str
    marks: tuple[Mark, ...] = ()


def chat_pieces(answer: Answer, *, not_read: bool = False) -> Iterator[Piece]:
    """The message of an answer: notice, decision, support, sentences with marks and verdicts, sources, notes.

    Each mark of a sentence is given, and each mark in the list of sources whose quote no sentence cites, so that every
    quote of the answer has a mark. The last line names the answer, so that a later message can follow it.

    `not_read`: whether to say that earlier messages of the conversation were not read.
    """
    cited = set[str]()
    at = 0
    for text in block_texts(_blocks(answer, not_read=not_read)):
        piece = _piece(text, at, cited)
        at += len(piece.text)
        yield piece


def kept_as(message: str) -> str | None:
    """The trace id of the answer that a message shows; None for a message that is not of `chat_pieces`."""
    found = _KEPT_AS.search(message)
    return found.group(1) if found else None


def _blocks(answer: Answer, *, not_read: bool) -> Iterator[Block]:
    """The page of an answer without its question, with its support right after the decision."""
    support = mapped(Block("paragraph", (line(phrases.support(answer)),)), cleaned)
    for block in layout(answer):
        if block.kind == "title" or block == support:
            continue
        yield block
        if block.kind == "decision" and support.lines[0][0].text:
            yield support
    if not_read:
        yield note(NOT_READ)
    yield note(f"Answer: {answer.trace_id}")


def _piece(text: str, at: int, cited: set[str]) -> Piece:
    """A block with its links to quotes as plain marks; `cited` are the quotes marked before, to which it adds."""
    parts: list[str] = []
    marks: list[Mark] = []
    taken = length = 0
    for found in _MARK.finditer(text):
        evidence_id = found.group(1) or found.group(2)
        parts += [text[taken : found.start()], f"[{evidence_id}]"]
        length += len(parts[-2])
        if found.group(1) or evidence_id not in cited:
            marks.append(Mark(evidence_id, at + length, at + length + len(parts[-1])))
            cited.add(evidence_id)
        length += len(parts[-1])
        taken = found.end()
    return Piece("".join([*parts, text[taken:]]), tuple(marks))


def as_html(
    answer: Answer,
    *,
    details: bool = False,
    bibliography: Bibliography = plain_reference,
    files: Files | None = None,
    whole: bool = False,
) -> str:
    """An answer as one `<div>`.

    Args:
        files: reads the files of a report, which are shown if they are pictures.
        whole: make a page of its own.
    """
    blocks = layout(answer, details=details, bibliography=bibliography, files=files)
    groups = groupby(blocks, key=lambda block: (block.kind, block.marker[-1:]))
    return template(__package__, "page.html").render(
        groups=[(kind, list(group)) for (kind, _), group in groups],
        page=re.sub(r"\W", "", answer.trace_id),  # several answers may be on one page
        title=joined(answer.question.typed) if whole else "",
    )
