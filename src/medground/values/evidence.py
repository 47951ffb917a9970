"""Verbatim quotes, and the ledger that every citation must go through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, ValidationInfo, model_validator

from medground.errors import MedgroundError
from medground.values.document import AtLeastOne, Document, DocumentId, Frozen, NonEmpty

Stance = Literal["supports", "contradicts", "mixed", "unknown"]
"""Stance on the question, given by the model that extracted the quote; `unknown` if no model did."""

Origin = Literal["text", "graph"]
"""`graph`: the quote states a relation stored in a knowledge graph, which entails its statement."""


class UnknownCitation(MedgroundError):
    """The run cited an id or a slice that it never retrieved."""


class Evidence(Frozen):
    """A verbatim quote: `quote == document.text[start:end]`, offsets in code points.

    Create it with `Ledger.quote`. Validating JSON with `context={"documents": {id: Document}}` checks the quote again.
    """

    id: str = Field(pattern=r"^E[1-9][0-9]*$")
    document_id: DocumentId
    start: NonNegativeInt
    end: PositiveInt
    quote: NonEmpty
    section: str | None = None
    page: AtLeastOne | None = Field(default=None, description="page of its first word, from 1; null: no pages")
    stance: Stance = "unknown"
    origin: Origin = "text"
    rank: NonNegativeInt = Field(default=0, description="rank of its document in the reading order, from 1; 0: unknown")

    @model_validator(mode="after")
    def _verbatim(self, info: ValidationInfo) -> Evidence:
        if self.end - self.start != len(self.quote):
            raise ValueError(f"evidence {self.id}: offsets and quote differ in length")
        documents: Mapping[str, Document] | None = (info.context or {}).get("documents")
        if documents is not None:
            document = documents.get(self.document_id)
            if document is None or document.text[self.start : self.end] != self.quote:
                raise ValueError(f"evidence {self.id}: the quote is not in {self.document_id} at {self.start}")
        return self


class Ledger:
    """The documents that one run retrieved and the quotes taken from them.

    Only what is in the ledger can be cited: an unknown id raises `UnknownCitation`.
    """

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._evidence: dict[str, Evidence] = {}
        self._by_place: dict[tuple[str, int, int], str] = {}

    @property
    def documents(self) -> Mapping[str, Document]:
        """Retrieved documents by id, in order of retrieval."""
        return self._documents

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All quotes, in the order they were taken."""
        return tuple(self._evidence.values())

    def admit(self, documents: Iterable[Document]) -> None:
        """Record retrieved documents. A document that is recorded already must have the same text.

        Raises MedgroundError: a document has a different text than the one recorded under its id.
        """
        for document in documents:
            known = self._documents.setdefault(document.id, document)
            if known.text != document.text:
                raise MedgroundError(f"two sources have different texts for {document.id}; search only one of them")

    def quote(
        self,
        document_id: str,
        start: int,
        end: int,
        *,
        stance: Stance = "unknown",
        origin: Origin = "text",
        rank: int = 0,
    ) -> Evidence:
        """Quote a slice of a retrieved document. The same slice always gets the same evidence id.

        Raises UnknownCitation: the document was not retrieved, or the slice is empty or outside the text.
        """
        document = self._documents.get(document_id)
        if document is None:
            raise UnknownCitation(f"{document_id} was not retrieved in this run")
        if not 0 <= start < end <= len(document.text):
            raise UnknownCitation(f"{document_id} has no text from {start} to {end}")
        place = (document_id, start, end)
        if place not in self._by_place:
            evidence = Evidence(
                id=f"E{len(self._evidence) + 1}",
                document_id=document_id,
                start=start,
                end=end,
                quote=document.text[start:end],
                section=document.section_at(start),
                page=document.page_at(start),
                stance=stance,
                origin=origin,
                rank=rank,
            )
            self._by_place[place] = evidence.id
            self._evidence[evidence.id] = evidence
        return self._evidence[self._by_place[place]]

    def cite(self, *evidence_ids: str) -> None:
        """Check that citations lead to quotes of this ledger. Raises UnknownCitation: no quote has one of the ids."""
        for evidence_id in evidence_ids:
            if evidence_id not in self._evidence:
                raise UnknownCitation(f"no evidence has the id {evidence_id[:40]!r}")


# A written sentence, or one statement of it, with its citations.


SentenceKind = Literal["statement", "absence", "item"]
"""`absence`: what no source reports. `item`: one of several parts of a short answer. These are only checked."""


class Sentence(Frozen):
    """A sentence of the rationale, or one statement of a longer sentence, and the evidence that the sentence cites.

    For a statement, `text == within[start : start + len(text)]`; the first statement of a sentence starts at 0.
    """

    text: str
    evidence: tuple[str, ...]
    within: str = Field(default="", description="the sentence it is part of; empty for a whole sentence")
    start: NonNegativeInt = Field(default=0, description="its offset in that sentence")
    kind: SentenceKind = Field(default="statement", description="an item of a short answer and an absence cite nothing")

    @property
    def whole(self) -> Sentence:
        """The whole sentence."""
        return Sentence(text=self.within, evidence=self.evidence) if self.within else self


def by_sentence(statements: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Group statements by sentence."""
    group: list[Sentence] = []
    for statement in statements:
        if group and (statement.start == 0 or statement.within != group[0].within):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def sentences_of(statements: Sequence[Sentence]) -> list[Sentence]:
    """The whole sentences of these statements, each once."""
    return [group[0].whole for group in by_sentence(statements)]


TextSpan = tuple[str, int, int]
"""Document id and the offsets of a sentence in its text."""


class SentenceNames(Mapping[str, TextSpan]):
    """The places of sentences by their ids: `P7.S12` is a sentence of the seventh document that was shown.

    An id never stands for another sentence, however often and in whatever order documents are read.
    """

    def __init__(self) -> None:
        self._documents: dict[str, str] = {}
        self._sentences: dict[TextSpan, str] = {}
        self._places: dict[str, TextSpan] = {}
        self._counts: dict[str, int] = {}

    def __getitem__(self, sentence: str) -> TextSpan:
        return self._places[sentence]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def of_document(self, document_id: str) -> str:
        """The id of a document, such as `P7`."""
        return self._documents.setdefault(document_id, f"P{len(self._documents) + 1}")

    def of_sentence(self, document_id: str, start: int, end: int) -> str:
        """The id of a sentence, such as `P7.S12`."""
        place = document_id, start, end
        if place not in self._sentences:
            self._counts[document_id] = self._counts.get(document_id, 0) + 1
            name = f"{self.of_document(document_id)}.S{self._counts[document_id]}"
            self._sentences[place], self._places[name] = name, place
        return self._sentences[place]

    def before(self, sentence: str) -> TextSpan | None:
        """The place of the nearest sentence before one in the same document; None if no such sentence has an id."""
        document, start, _ = self._places[sentence]
        earlier = (place for place in self._sentences if place[0] == document and place[2] <= start)
        return max(earlier, key=lambda place: place[2], default=None)
