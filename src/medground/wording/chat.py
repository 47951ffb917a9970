"""An answer as a message of a chat: Markdown in pieces that can be sent one by one, and where each quote is cited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from medground.answer import Answer
from medground.wording import phrases
from medground.wording.blocks import Block, line, mapped, note
from medground.wording.layout import cleaned, layout
from medground.wording.markdown import block_texts

NOT_READ = "Earlier messages were not read: none of them is an answer that is kept here."
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

    Args:
        answer: the answer.
        not_read: whether to say that earlier messages of the conversation were not read.
    """
    cited: set[str] = set()
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
