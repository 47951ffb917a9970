"""Search a source plan: every query in its source, all at once, and what became of each source.

Source: Omni-RAG, section 5.1.2: each query finds 20 passages, of which reranking leaves 10; a concept of a graph gives
its definition and its 10 best relations.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import get_args

from medground.answering.rank.fuse import distinct
from medground.answering.rank.rerank import rerank
from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.recipes.base import fused, readable_texts
from medground.recipes.settings import OmniRagSettings
from medground.sources.base import DescribedSource, Source
from medground.sources.proteins.genes import genes_in, organisms_named
from medground.values.document import Hit, SourceKind
from medground.values.graph import GraphFact
from medground.values.grouping import grouped
from medground.values.lookup import ConceptQuery, Found, Lookup, LookupForm, PlainWords, ProteinQuery
from medground.values.query import Words
from medground.values.source_plan import (
    QueryFound,
    SourceDescription,
    SourceFound,
    SourcePlan,
    SourceQuery,
    SourceState,
)

FIVE_KINDS: tuple[SourceKind, ...] = ("book", "guideline", "research", "wiki", "graph")
"""The kinds of source of MedOmniKB (section 3)."""
_NOT_A_NAME = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True)
class OpenSource:
    """A source as plans name it, and the sources of the run that hold it, by their names."""

    description: SourceDescription
    names: tuple[str, ...]


def plannable(run: Run) -> tuple[SourceDescription, ...]:
    """Descriptions of the open sources that the settings allow in a plan, in order."""
    return tuple(plan.description for plan in open_to_plans(run.sources, run.settings.section(OmniRagSettings)))


def not_configured(run: Run) -> tuple[SourceDescription, ...]:
    """Sources that a plan should have and that are not open: those that `only` names, or the five kinds of the paper.

    A corpus without a description may hold any kind, so beside one only what `only` names is missing.
    """
    choices = run.settings.section(OmniRagSettings)
    present = open_to_plans(run.sources, OmniRagSettings())
    known = {word for one in present for word in (one.description.name, one.description.kind)}
    wanted: Iterable[str] = choices.only or (
        () if any(len(source.kinds) > 1 and _own(source) is None for source in run.sources) else FIVE_KINDS
    )
    missing = [word for word in wanted if word not in known and word not in choices.without]
    return tuple(SourceDescription.of_kind(kind) for kind in get_args(SourceKind) if kind in missing)


def open_to_plans(sources: Sequence[Source], choices: OmniRagSettings) -> list[OpenSource]:
    """The open sources under the names of their descriptions; sources with the same name are one."""
    found: dict[str, tuple[SourceDescription, list[str]]] = {}
    for source in sources:
        description = _described(source, sources)
        words = {description.name, description.kind} if description else set()
        if description and words.isdisjoint(choices.without) and (not choices.only or words & set(choices.only)):
            found.setdefault(description.name, (description, []))[1].append(source.name)
    return [OpenSource(description, tuple(names)) for description, names in found.values()]


def _described(source: Source, sources: Sequence[Source]) -> SourceDescription | None:
    """What a source says of itself; else its kind; a corpus of any kind is known by its own name.

    The pages of a base's graph are a corpus too, which says nothing of itself: its graph is asked instead.
    """
    if described := _own(source):
        return described
    if len(source.kinds) == 1:
        return SourceDescription.of_kind(next(iter(source.kinds)))
    in_a_base = any(_own(other) and len(other.kinds) > 1 for other in sources)
    if in_a_base and any(other.kinds == {"graph"} and other.state == source.state for other in sources):
        return None
    name = _NOT_A_NAME.sub("-", source.name.rpartition(":")[2].lower()).strip("-_0123456789")[:32] or "corpus"
    return SourceDescription(
        name=name,
        kind="research",
        about=f"The corpus {source.name.rpartition(':')[2]}: texts that were collected by the person who asks.",
        licence="not recorded",
        origin="not recorded",
    )


def _own(source: Source) -> SourceDescription | None:
    return source.described if isinstance(source, DescribedSource) else None


async def search_plan(plan: SourcePlan, run: Run) -> list[SourceFound]:
    """Search every query of a plan; one `SourceFound` for each source that is open or wanted, in order.

    A source that fails takes no other source with it: the answer lists it as failed. Of a paper in several versions
    one is kept, retracted papers are left out, and passages that are nearly the same count once.

    Raises UsageError: a query uses a field that a source does not have; ConfigError: the reranker cannot be opened.
    """
    known = open_to_plans(run.sources, run.settings.section(OmniRagSettings))
    lookups = {
        (one.description.name, place): lookup
        for one in known
        for place, query in enumerate(plan.queries.get(one.description.name, ()))
        if (lookup := _lookup(one, place, query, run)) is not None
    }
    found = await _look_up(list(lookups.values()), run)
    results = []
    for one in known:
        name = one.description.name
        asked = [(query, lookups.get((name, n))) for n, query in enumerate(plan.queries.get(name, ()))]
        results.append(await _source(one, asked, found, run))
    missing = [source for source in not_configured(run) if all(source.name != one.description.name for one in known)]
    return [*results, *(SourceFound(source, "not configured") for source in missing)]


async def _look_up(lookups: Sequence[Lookup], run: Run) -> dict[str, list[Found]]:
    """What was found, by the node of the lookup. Nothing where every source failed; the run has noted each."""
    try:
        found = await run.look_up(*lookups) if lookups else ()
    except SourceUnavailable:
        return {}  # every source failed: each is listed as a search that failed
    return grouped((one.lookup.node, one) for one in found)


async def _source(
    one: OpenSource, asked: Sequence[tuple[SourceQuery, Lookup | None]], found: dict[str, list[Found]], run: Run
) -> SourceFound:
    if not asked:
        return SourceFound(one.description, "not asked", names=one.names)
    queries: list[QueryFound] = []
    failures: list[str] = []
    for query, lookup in asked:
        if lookup is None or lookup.node not in found:
            failures.append(f"{one.description.name} could not be searched" if lookup else "unsupported query type")
            queries.append(QueryFound(query))
            continue
        try:
            queries.append(await _best(query, found[lookup.node], one.description.kind, run))
        except SourceUnavailable as error:
            failures.append(error.reason)
            queries.append(QueryFound(query))
    state: SourceState = "found" if any(query.hits for query in queries) else "failed" if failures else "empty"
    return SourceFound(one.description, state, tuple(queries), failures[0] if failures else "", one.names)


async def _best(query: SourceQuery, found: Sequence[Found], kind: SourceKind, run: Run) -> QueryFound:
    """The first 20 passages, reranked for the query to 10. Lines of a graph come reranked, after its stored facts."""
    choices = run.settings.section(OmniRagSettings)
    hits = fused(found, run)
    if kind == "graph":
        facts = tuple(fact for one in found for fact in one.facts)
        stated = await _stated(facts, found, run)
        places = {hit.passage.key for hit in stated}
        lines = [*stated, *(hit for hit in hits if hit.passage.key not in places)][: choices.kept]
        return QueryFound(query, _ranked(lines), facts)
    candidates = islice(distinct(await readable_texts(hits, run)), choices.depth)
    reranker = run.settings.retrieval.reranker
    return QueryFound(query, _ranked(await rerank(reranker, query.text, candidates, choices.kept, run)))


async def _stated(facts: Sequence[GraphFact], found: Sequence[Found], run: Run) -> list[Hit]:
    await run.retrieve([fact.document_id for fact in facts])
    source = found[0].source if found else ""
    hits: dict[str, Hit] = {}
    for fact in facts:
        document = run.ledger.documents[fact.document_id]
        passage = document.passage(fact.start, fact.end, document.section_at(fact.start))
        hits.setdefault(passage.key, Hit(passage=passage, ranker="fact", rank=1, score=1.0, source=source))
    return list(hits.values())


def _ranked(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(hit.replace(rank=rank) for rank, hit in enumerate(hits, start=1))


def _lookup(one: OpenSource, place: int, query: SourceQuery, run: Run) -> Lookup | None:
    """The lookup of a query, in a form that a source of this name accepts; None if none does.

    A source of proteins is asked for the first protein that the query names, in the first organism that it names.
    """
    choices, kind = run.settings.section(OmniRagSettings), one.description.kind
    forms: list[LookupForm] = [Words(text=query.text), PlainWords(text=query.text)]
    if kind == "graph":
        forms = [ConceptQuery(term=query.term or query.text, question=query.text or run.question.text)]
    elif kind == "protein":
        genes, organisms = genes_in(query.text), organisms_named(query.text)
        organism = organisms[0].scientific if organisms else ""
        forms.insert(0, ProteinQuery(name=genes[0].name if genes else query.text, organism=organism))
    lookups = (
        Lookup(
            asked=asked,
            text=query.text or query.term,
            sources=one.names,
            limit=choices.kept if kind == "graph" else choices.depth,
            node=f"{one.description.name} {place + 1}",
            shown=str(query),
        )
        for asked in forms
    )
    sources = [source for source in run.sources if source.name in one.names]
    return next((lookup for lookup in lookups if any(source.accepts(lookup) for source in sources)), None)
