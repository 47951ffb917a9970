"""The document of a concept: one line for each definition and each relation, worded by template in both directions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

from medground.home.files import rows
from medground.language.sentences import sentence_spans
from medground.values.document import Document

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


def document_id(concept: str, part: int) -> str:
    """The id of a concept's document: the concept's own, and for a continuation `ID/2`."""
    return concept if part == 1 else f"{concept}/{part}"


def pages(heading: Heading, lines: Iterable[Line]) -> Iterator[tuple[Document, list[Row]]]:
    """The documents of a concept, nearly always one, with the places of its lines. A line that repeats is left out.

    `lines` has the definitions first, then the relations. A document has no sections: each would become
    a passage of its own, and most documents are short.
    """
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line.text, line)
    left, part = iter(first.values()), 1
    while (some := list(islice(left, MOST_LINES))) or part == 1:
        yield _page(heading, part, some)
        part += 1


def _page(heading: Heading, part: int, lines: Sequence[Line]) -> tuple[Document, list[Row]]:
    kind = f" Kind: {', '.join(heading.types)}." if heading.types else ""
    more = f" Part {part}." if part > 1 else ""
    text = [f"{heading.name} ({heading.id}) is a concept of {', '.join(heading.vocabularies)}.{kind}{more}"]
    text += ["", "Also called:", *heading.names] if part == 1 and heading.names else []
    end, rows, group = sum(len(one) + 1 for one in text), list[Row](), ""
    for line in lines:
        wanted = "Definition" if line.kind == "definition" else "Relations"
        if wanted != group:
            group = wanted
            text += ["", f"{group}:"]
            end += len(group) + 3  # with the ends of both lines
        rows.append(Row(part, end, end + len(line.text), line))
        text.append(line.text)
        end += len(line.text) + 1
    prefix, _, number = heading.id.partition(":")
    document = Document(
        id=document_id(heading.id, part),
        title=heading.name,
        text="\n".join(text),
        kind="graph",
        language="eng",
        identifiers={prefix.lower(): number},
        license=heading.licence or None,
    )
    return document, rows


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


class Predicate(NamedTuple):
    """A predicate in words: `X forward Y`, and `Y inverse X`. Without an inverse, both are worded forward."""

    forward: str
    inverse: str = ""


_KNOWN = {name: Predicate(forward, inverse) for name, forward, inverse in rows("graph", "predicates")}
_LINKS = {"of", "by", "to", "in", "with", "from", "for", "on", "at", "as"}
_VERBS = {"is", "are", "has", "have", "may", "can", "was", "does"}


@cache
def worded(name: str) -> Predicate:
    """The wording of a predicate by its name in a vocabulary: `has_finding_site` is `has finding site`.

    A name that reads as a verb stays, `associated_with` becomes `is associated with`, and any other name is quoted as
    what it is: a relation of that name.
    """
    if (known := _KNOWN.get(name) or _KNOWN.get(name.replace(" ", "_"))) is not None:
        return known
    words = name.replace("_", " ").replace("-", " ").split()
    if not words:
        return Predicate("is related to", "is related to")
    said = " ".join(words)
    if words[0].lower() in _VERBS or _is_verb(words):
        return Predicate(said)
    return Predicate(f"is {said}") if words[-1].lower() in _LINKS else Predicate(f'has the relation "{said}" to')


def _is_verb(words: Sequence[str]) -> bool:
    """Whether a name reads as a verb in the third person: `occurs in`, `positively regulates`."""
    last = words[-2] if len(words) > 1 and words[-1].lower() in _LINKS else words[-1]
    return last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is"))


def stated(predicate: Predicate, subject: str, thing: str, details: Sequence[str] = (), *, back: bool = False) -> str:
    """A relation in words, for the document of its subject, or `back`, for that of its object.

    Such as `X is treated by Y (detail; detail).`
    """
    said = f"{thing} {predicate.inverse} {subject}" if back and predicate.inverse else ""
    limits = f" ({'; '.join(details)})" if details else ""
    return f"{said or f'{subject} {predicate.forward} {thing}'}{limits}."
