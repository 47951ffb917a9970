"""A printed page as values: its blocks, entries of a list of references, and where each quote is printed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from medground.answering.captions import design
from medground.language.clean import clean, ended, joined
from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.values.statement import Statement

Style = Literal["plain", "strong", "italic", "dim", "good", "caution", "bad", "mark"]

Kind = Literal["title", "decision", "heading", "subheading", "paragraph", "item", "note", "table", "picture"]
"""`decision`: the decision, then its reason. `paragraph`: its lines after the first are indented. `item`: an entry of a
list. `note`: a line of a compact list. `table`: its `rows`. `picture`: its lines are the caption."""


@dataclass(frozen=True)
class Span:
    """Text in one style. White space only separates words.

    Args:
        text: the text, cleaned of control characters, not escaped.
        style: how it looks where the output has styles.
        url: where it leads: a web address, or `#name` for an anchor of the same page.
        anchor: a name that other spans can lead to.
    """

    text: str
    style: Style = "plain"
    url: str = ""
    anchor: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True)
class Picture:
    """An image, for outputs that can show one. Its content is checked: it can neither run nor load anything.

    Args:
        media_type: `image/svg+xml` or `image/png`.
    """

    content: bytes
    media_type: str

    @property
    def address(self) -> str:
        """The whole image as an address."""
        return f"data:{self.media_type};base64,{b64encode(self.content).decode()}"


@dataclass(frozen=True)
class Block:
    """Lines that belong together.

    Args:
        lines: each starts on a line of its own, and may be wrapped.
        marker: what is printed before an item, such as `1.` or `-`.
        rows: the rows of a table, each with as many cells; the first is its head.
        picture: the image of a picture.
    """

    kind: Kind
    lines: tuple[Line, ...]
    marker: str = ""
    rows: tuple[tuple[Line, ...], ...] = ()
    picture: Picture | None = None

    @property
    def text(self) -> str:
        """Its lines without styles."""
        return " ".join("".join(span.text for span in one) for one in self.lines)


def line(text: str, style: Style = "plain") -> Line:
    """A line in one style."""
    return (Span(text, style),)


def mapped(block: Block, change: Callable[[Span], Span]) -> Block:
    """A block with each of its spans changed."""

    def changed(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(tuple(map(change, line)) for line in lines)

    return replace(block, lines=changed(block.lines), rows=tuple(map(changed, block.rows)))


def heading(text: str) -> Block:
    """A heading."""
    return Block("heading", (line(text),))


def subheading(text: str) -> Block:
    """A heading below a heading."""
    return Block("subheading", (line(text),))


def note(text: str, style: Style = "plain") -> Block:
    """A note of one line."""
    return Block("note", (line(text, style),))


def spaced(block: Block, before: Block | None) -> bool:
    """Whether an empty line separates a block from the one before it."""
    if before is None or before.kind in ("heading", "subheading"):
        return False
    return block.kind not in ("item", "note") or (before.kind != block.kind and block.kind == "note")


def study(document: SourceDocument) -> str:
    """The design and year of a document on one side of a conflict."""
    return f"{design(document) or 'design not stated'}, {document.year or 'year not stated'}"


def bibliography(document: SourceDocument) -> str:
    """Title, journal, year and design, as in a list of references."""
    where = ", ".join(clean(str(part)) for part in (document.journal, document.year) if part)
    title = joined(document.title) or document.id
    return " ".join(ended(part) for part in (title, where, design(document).capitalize()) if part)


def plain_reference(document: SourceDocument) -> Line:
    """The same as a line without styles."""
    return line(bibliography(document))


def terms(document: SourceDocument) -> str:
    """Under which licence a document may be used, and where its source has it from; empty where neither is known."""
    known = (("Licence", document.license), ("Origin", document.origin))
    return " ".join(ended(f"{name}: {joined(text)}") for name, text in known if text)


class Quotes:
    """The quotes and sources of an answer.

    A quote that is itself a sentence of the answer is printed as that sentence; one on a side of a conflict is printed
    there; all others are printed under their source. Sources are numbered in the order in which they are cited.
    """

    def __init__(self, answer: Answer) -> None:
        self._evidence = {evidence.id: evidence for evidence in answer.evidence}
        words = {name: quote.quote.split() for name, quote in self._evidence.items()}
        self._printed = {e for s in answer.statements for e in s.evidence if s.text.split() == words[e]}
        cited = [e for s in answer.statements for e in cited_by(s)]
        cited += [e for conflict in answer.conflicts for side in conflict.sides for e in side.evidence]
        ids = [self._evidence[e].document_id for e in cited] + [document.id for document in answer.documents]
        self.documents: dict[str, SourceDocument] = {document.id: document for document in answer.documents}
        self.numbers = {document: number for number, document in enumerate(dict.fromkeys(ids), start=1)}

    def place(self, evidence_id: str | None) -> list[str]:
        """Where in its paper a quote is from: section and page, as far as they are known."""
        if not evidence_id:
            return []
        quote = self._evidence[evidence_id]
        section = [quote.section.lower()] if quote.section else []
        return [*section, f"p. {quote.page}"] if quote.page else section

    def are_web(self, evidence_ids: Iterable[str]) -> bool:
        """Whether all these quotes are from web pages; False for none."""
        kinds = {self.documents[self._evidence[e].document_id].kind for e in evidence_ids}
        return kinds == {"web"}

    def study(self, evidence_id: str) -> str:
        """Design, year and number of the source of a quote, in brackets."""
        document_id = self._evidence[evidence_id].document_id
        return f"({study(self.documents[document_id])}; source {self.numbers[document_id]})"

    @property
    def cited(self) -> set[str]:
        """Ids of the documents that are quoted."""
        return {evidence.document_id for evidence in self._evidence.values()}

    def of(self, document_id: str) -> list[Evidence]:
        """The quotes from one source, in the order they were taken."""
        return [evidence for evidence in self._evidence.values() if evidence.document_id == document_id]

    def is_printed(self, evidence_id: str) -> bool:
        """Whether the text of a quote has been printed."""
        return evidence_id in self._printed

    def text(self, evidence_id: str) -> str:
        """The quote in quotation marks the first time, `quoted above` after that."""
        if evidence_id in self._printed:
            return "quoted above"
        self._printed.add(evidence_id)
        return f"“{' '.join(self._evidence[evidence_id].quote.split())}”"


def cited_by(statement: Statement) -> list[str]:
    """The quotes that a statement cites, and the one that decided its verdict."""
    best = statement.verdict.best
    return list(dict.fromkeys([*statement.evidence, *([best] if best else [])]))


def mark(evidence_id: str) -> Span:
    """The citation mark of a quote, which leads to its source."""
    return Span(f"[{evidence_id}]", "mark", url=f"#{evidence_id.lower()}")


def marks(evidence_ids: Iterable[str], *, anchored: bool = False) -> Line:
    """Citation marks with spaces between; those in the list of sources are what the others lead to."""
    spans: list[Span] = []
    for evidence_id in evidence_ids:
        spans += [Span(" ")] if spans else []
        spans.append(anchor(evidence_id) if anchored else mark(evidence_id))
    return tuple(spans)


def anchor(evidence_id: str) -> Span:
    """The mark of a quote in the list of sources."""
    return Span(f"[{evidence_id}]", "mark", anchor=evidence_id.lower())
