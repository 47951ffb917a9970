"""Retrieval as values: what to look up in which sources, and what was found."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self, TypeVar

from medground.values.document import AtLeastOne, DocumentId, Frozen, Hit, SourceKind
from medground.values.graph import GraphFact, GraphFinding
from medground.values.query import Filters, Query, Words

T = TypeVar("T")

Ranking = tuple[Hit, ...]
"""Hits of one ranker, best first, ranks 1, 2, 3, ..."""


class Ranker(StrEnum):
    """How a source orders passages."""

    LEXICAL = "lexical"
    """By words: BM25, or the order of a search service."""
    DENSE = "dense"
    """By vectors."""


class PlainWords(Frozen):
    """A question in plain language, for sources that understand it: a knowledge graph, a web search."""

    type: Literal["plain"] = "plain"
    text: str


class ConceptQuery(Frozen):
    """A term and a question about it, for sources organised by concept."""

    type: Literal["concept"] = "concept"
    term: str
    question: str = ""


class ProteinQuery(Frozen):
    """A protein or gene by name or accession, for sources of protein records."""

    type: Literal["protein"] = "protein"
    name: str
    organism: str = ""


LookupForm = Query | PlainWords | ConceptQuery | ProteinQuery


class Lookup(Frozen):
    """One thing to look up.

    Attributes:
        asked: a query tree, a concept, a protein or plain words. Each source says which of these it accepts.
        text: the text for dense and web rankers, which do not take query trees.
        sources: names of the sources to search; empty for all that accept it.
        kinds: kinds of document to look for; empty for all.
        rankers: the rankings to return; empty for all that a source has.
        documents: ids of the documents to search; empty for all.
        limit: most hits per ranking; None for the number in the settings.
        node: the node of a plan that it serves.
        shown: its name in answers, if the text would be misleading.
    """

    asked: LookupForm
    text: str = ""
    sources: tuple[str, ...] = ()
    kinds: tuple[SourceKind, ...] = ()
    rankers: tuple[Ranker, ...] = ()
    documents: tuple[DocumentId, ...] = ()
    limit: AtLeastOne | None = None
    node: str = ""
    shown: str = ""

    @classmethod
    def words(cls, text: str, *, also: str = "") -> Self:
        """Look up plain text by words and by meaning; `also` adds words for lexical rankers only."""
        return cls(asked=Words(text=f"{text} {also}".strip()), text=text)

    @property
    def named(self) -> str:
        """Its name in answers."""
        return self.shown or self.text or str(getattr(self.asked, "text", "") or getattr(self.asked, "term", ""))

    def wants(self, ranker: Ranker) -> bool:
        """Whether a ranking is wanted."""
        return not self.rankers or ranker in self.rankers

    def goes_to(self, name: str, kinds: frozenset[SourceKind]) -> bool:
        """Whether it is meant for a source with this name and these kinds of document."""
        return (not self.sources or name in self.sources) and (not self.kinds or not kinds.isdisjoint(self.kinds))

    def limited(self, filters: Filters) -> Filters | None:
        """The question's filters, narrowed to the kinds and documents of this lookup; None where nothing is left."""
        kinds, ids = _both(self.kinds, filters.kinds), _both(self.documents, filters.ids)
        if (self.kinds and not kinds) or (self.documents and not ids):
            return None
        return filters.replace(kinds=kinds, ids=ids) if self.kinds or self.documents else filters

    @property
    def of_texts(self) -> bool:
        """Whether it looks for passages of texts, not for stored facts or records."""
        return not isinstance(self.asked, PlainWords | ConceptQuery | ProteinQuery)


def _both(own: tuple[T, ...], limit: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(value for value in own if value in limit) if own and limit else own or limit


@dataclass(frozen=True)
class Found:
    """What one source returned for a lookup.

    If there are no hits and no facts, the source was searched and has none. A source that cannot be searched raises.

    Attributes:
        rankings: one ranking for each ranker that was used.
        finding: the finding of a source of stored facts, or None.
        notes: notes for the reader, such as "no vectors in this corpus: searched by words alone".
        understood: False if the source did not understand the lookup and searched nothing.
        wordings: where it did not, wordings of such questions that it understands.
        sent: the query that the source sent, if that is not as it was asked.
    """

    lookup: Lookup
    source: str
    rankings: tuple[Ranking, ...] = ()
    finding: GraphFinding | None = None
    notes: tuple[str, ...] = ()
    understood: bool = True
    wordings: tuple[str, ...] = ()
    sent: str = ""

    @property
    def facts(self) -> tuple[GraphFact, ...]:
        """The stored facts found."""
        return self.finding.facts if self.finding else ()

    @property
    def documents(self) -> frozenset[DocumentId]:
        """Ids of the documents whose passages were found."""
        return frozenset(hit.passage.document_id for ranking in self.rankings for hit in ranking)

    @property
    def named(self) -> str:
        """Its name in answers: as the source understood it, else as it was asked."""
        read = self.finding
        return f"{read.relation}: {', '.join(read.concepts)}" if read else self.sent or self.lookup.named

    @property
    def size(self) -> int:
        """Number of passages and facts found."""
        return len({hit.passage.key for ranking in self.rankings for hit in ranking}) + len(self.facts)
