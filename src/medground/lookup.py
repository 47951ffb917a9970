"""Retrieval as a value: what is asked of which sources, what came back, and which lookups wait for which others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Literal, Self

from pydantic import Field, model_validator

from medground.document import Frozen, Hit, SourceKind
from medground.graph.finding import GraphFact, GraphFinding
from medground.query import Filters, Query, Words

Ranking = tuple[Hit, ...]
"""Hits of one ranker, best first, ranks 1, 2, 3, ..."""


class Ranker(StrEnum):
    """How a source orders passages."""

    LEXICAL = "lexical"
    """By words: BM25, or a service's own order."""
    DENSE = "dense"
    """By vectors."""


class PlainWords(Frozen):
    """A question in everyday language, for sources that read one: a knowledge graph, a web search."""

    type: Literal["plain"] = "plain"
    text: str


class ConceptQuery(Frozen):
    """A term, and a question about it, for sources that are organised by concept (Omni-RAG, section 3)."""

    type: Literal["concept"] = "concept"
    term: str
    question: str = ""


class ProteinQuery(Frozen):
    """A protein or gene by name or accession, for sources of protein records (BioMedSearch, section 3)."""

    type: Literal["protein"] = "protein"
    name: str
    organism: str = ""


Asked = Query | PlainWords | ConceptQuery | ProteinQuery


class Lookup(Frozen):
    """One thing to look up.

    Attributes:
        asked: a query tree, a concept, a protein, or plain words. A source says which of these it accepts.
        text: the words for dense and web rankers, which take no tree.
        sources: names of the sources to ask; empty for all that accept it.
        kinds: kinds of document to look for; empty for all.
        rankers: which rankings are wanted; empty for all that a source has.
        limit: most hits of each ranking; None for as many as the settings say.
        node: the node of a plan that it serves.
        shown: how an answer names it, where the words alone would mislead.
    """

    asked: Asked
    text: str = ""
    sources: tuple[str, ...] = ()
    kinds: tuple[SourceKind, ...] = ()
    rankers: tuple[Ranker, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    node: str = ""
    shown: str = ""

    @classmethod
    def words(cls, text: str, *, also: str = "") -> Self:
        """Look up plain text by words and by meaning; `also` are more words for rankers by words only."""
        return cls(asked=Words(text=f"{text} {also}".strip()), text=text)

    @property
    def named(self) -> str:
        """How an answer names it."""
        return self.shown or self.text or str(getattr(self.asked, "text", "") or getattr(self.asked, "term", ""))

    def wants(self, ranker: Ranker) -> bool:
        """Whether a ranking is wanted."""
        return not self.rankers or ranker in self.rankers

    def goes_to(self, name: str, kinds: frozenset[SourceKind]) -> bool:
        """Whether it is meant for a source of this name that holds these kinds."""
        return (not self.sources or name in self.sources) and (not self.kinds or not kinds.isdisjoint(self.kinds))

    def limited(self, filters: Filters) -> Filters | None:
        """The question's limits, narrowed to the kinds of this lookup; None where no kind is left."""
        if not self.kinds:
            return filters
        kinds = tuple(k for k in self.kinds if k in filters.kinds) if filters.kinds else self.kinds
        return filters.model_copy(update={"kinds": kinds}) if kinds else None


@dataclass(frozen=True)
class Found:
    """What one source gave for a lookup.

    No hits and no facts mean that the source was asked and has nothing. A source that cannot be asked raises.

    Attributes:
        lookup: what was looked up.
        source: name of the source.
        rankings: one ranking for each ranker that was used.
        finding: what a source of stored facts says, or None.
        notes: what the reader should know, such as "no vectors in this corpus: searched by words alone".
        understood: False where the source could not read what was asked, and so searched nothing.
    """

    lookup: Lookup
    source: str
    rankings: tuple[Ranking, ...] = ()
    finding: GraphFinding | None = None
    notes: tuple[str, ...] = ()
    understood: bool = True

    @property
    def facts(self) -> tuple[GraphFact, ...]:
        """The stored facts that were found."""
        return self.finding.facts if self.finding else ()

    @property
    def named(self) -> str:
        """How an answer names what was searched for: as the source read it, else as it was asked."""
        read = self.finding
        return f"{read.relation}: {', '.join(read.concepts)}" if read else self.lookup.named

    @property
    def size(self) -> int:
        """How many passages and facts were found."""
        return len({hit.passage.key for ranking in self.rankings for hit in ranking}) + len(self.facts)


class Plan(Frozen):
    """Lookups by node, and which nodes come after which. Nodes without an order between them run together.

    Raises:
        ValueError: `after` names a node without a lookup, a lookup of an ordered plan has no node, or the order has a cycle.
    """

    lookups: tuple[Lookup, ...]
    after: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        nodes = {lookup.node for lookup in self.lookups}
        named = {*self.after, *(before for befores in self.after.values() for before in befores)}
        if unknown := sorted(named - nodes):
            raise ValueError(f"the plan orders {', '.join(map(repr, unknown))}, for which it has no lookup")
        if self.after and "" in nodes:
            raise ValueError("every lookup of a plan with an order needs a node")
        try:
            TopologicalSorter(self.after).prepare()
        except CycleError as error:
            raise ValueError(f"the plan has a cycle: {' after '.join(reversed(error.args[1]))}") from None
        return self

    def stages(self) -> Iterator[tuple[Lookup, ...]]:
        """The lookups in stages: each stage needs only those before it, and its lookups can run together."""
        order = TopologicalSorter({lookup.node: self.after.get(lookup.node, ()) for lookup in self.lookups})
        order.prepare()
        while order.is_active():
            ready = order.get_ready()
            yield tuple(lookup for lookup in self.lookups if lookup.node in ready)
            order.done(*ready)
