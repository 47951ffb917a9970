"""The document of a concept: one line for each definition and each relation, so that every line can be quoted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from medground.document import Document
from medground.text.sentences import sentence_spans

LONGEST = 1000
"""Longest line in characters, as for passages (section 3.1); a longer definition is cut between sentences."""
MOST_LINES = 2000
"""Lines of relations in one document; a concept with more continues in `ID/2`, `ID/3`."""

RowKind = Literal["definition", "relation", "inverse"]


class Line(NamedTuple):
    """A line before it has a place. `relation` is its number in the draft; None for a definition."""

    text: str
    kind: RowKind
    relation: int | None = None


class Row(NamedTuple):
    """A line with its place: `document.text[start:end]`, in the part of the concept's document with this number."""

    part: int
    start: int
    end: int
    line: Line


@dataclass(frozen=True, slots=True)
class Heading:
    """What a concept's documents say above their lines."""

    id: str
    name: str
    types: tuple[str, ...]
    names: tuple[str, ...]
    vocabularies: tuple[str, ...]
    licence: str


@dataclass(slots=True)
class _Text:
    lines: list[str] = field(default_factory=list)
    length: int = -1

    def add(self, line: str) -> tuple[int, int]:
        start = self.length + 1
        self.length = start + len(line)
        self.lines.append(line)
        return start, self.length


def document_id(concept: str, part: int) -> str:
    """The id of a concept's document: the concept's own, and for a continuation `ID/2`."""
    return concept if part == 1 else f"{concept}/{part}"


def pages(heading: Heading, lines: Iterable[Line]) -> Iterator[tuple[Document, list[Row]]]:
    """The documents of a concept, nearly always one, with the places of its lines. A line that repeats is left out.

    `lines` has the definitions first, then the relations. A document has no sections: each would become
    a passage of its own, and most documents are short.
    """
    part, seen = 1, set[str]()
    text, rows = _opened(heading, part), list[Row]()
    state: str = ""
    for line in lines:
        if line.text in seen:
            continue
        seen.add(line.text)
        if len(rows) == MOST_LINES:
            yield _document(heading, part, text), rows
            part += 1
            text, rows, state = _opened(heading, part), [], ""
        group = "Definition" if line.kind == "definition" else "Relations"
        if group != state:
            text.add("")
            text.add(f"{group}:")
            state = group
        rows.append(Row(part, *text.add(line.text), line))
    yield _document(heading, part, text), rows


def definition_lines(label: str, source: str, text: str) -> Iterator[Line]:
    """A definition as lines of at most `LONGEST` characters, cut between sentences where it can be."""
    head = f"{label} ({source}): " if source else f"{label}: "
    yield from (Line(piece, "definition") for piece in _pieces(f"{head}{text}"))


def _pieces(text: str) -> Iterator[str]:
    if len(text) <= LONGEST:
        yield text
        return
    start = end = 0
    for first, last in sentence_spans(text):
        if last - start > LONGEST and end > start:
            yield text[start:end]
            start = first
        while last - start > LONGEST:
            cut = text.rfind(" ", start + 1, start + LONGEST + 1)
            cut = cut if cut > start else start + LONGEST
            yield text[start:cut].strip()
            start = cut + (text[cut : cut + 1] == " ")
        end = last
    if end > start:
        yield text[start:end]


def _opened(heading: Heading, part: int) -> _Text:
    text = _Text()
    kind = f" Kind: {', '.join(heading.types)}." if heading.types else ""
    more = f" Part {part}." if part > 1 else ""
    text.add(f"{heading.name} ({heading.id}) is a concept of {', '.join(heading.vocabularies)}.{kind}{more}")
    if part == 1 and heading.names:
        text.add("")
        text.add("Also called:")
        for name in heading.names:
            text.add(name)
    return text


def _document(heading: Heading, part: int, text: _Text) -> Document:
    prefix, _, number = heading.id.partition(":")
    return Document(
        id=document_id(heading.id, part),
        title=heading.name,
        text="\n".join(text.lines),
        kind="graph",
        language="eng",
        identifiers={prefix.lower(): number},
        license=heading.licence or None,
    )
