"""Literature for a sub-question: all databases at once, filtered by keywords, the k nearest (BioMedSearch, Eq. 3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from medground.answering.rank.cosines import cosines
from medground.answering.rank.fuse import fuse
from medground.answering.read.readable import readable
from medground.answering.run import Run
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language import words
from medground.language.word_lists import word_lists
from medground.recipes.biomedsearch.papers import Asking, Paper, asking, coverage, merged
from medground.recipes.biomedsearch.returned import Returned, missed, returned, state_of_nothing
from medground.recipes.settings import BioMedSearchSettings
from medground.sources.base import suited
from medground.values.document import Hit, SourceKind
from medground.values.lookup import Found, Lookup, Ranker, Ranking
from medground.values.query import Query, Words
from medground.values.report import FlowRow, ToolFound
from medground.values.research_plan import ResearchPlan, SubQuestion

_MOST = 5
"""Most names: each one takes weight from a later query's own words."""
_PAPERS = 2
"""A name of one paper alone may be that paper's own subject."""


def names_of(papers: Sequence[Paper], asked: str, keywords: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The most frequent MeSH headings and author keywords of the papers that the question does not have, most first."""
    known = set(words.terms(" ".join([asked, *(form for forms in keywords for form in forms)])))
    counted: Counter[str] = Counter()
    written: dict[str, str] = {}
    for paper in papers:
        headings = (heading.descriptor for record in paper.records for heading in record.mesh)
        given = (keyword for record in paper.records for keyword in record.keywords)
        own = {name.casefold(): name for name in (*headings, *given) if _tells(name, known)}
        counted.update(own.keys())
        written = own | written
    frequent = [name for name, papers_with in counted.items() if papers_with >= _PAPERS]
    return tuple(written[name] for name in sorted(frequent, key=lambda name: (-counted[name], name))[:_MOST])


def _tells(name: str, known: set[str]) -> bool:
    """Whether a name says what the question does not, and is not a tag of nearly every record."""
    stems = set(words.terms(name))
    return (
        bool(stems - known)
        and not set(words.tokens(name)) <= word_lists("research_words")["check tags"] | words.FUNCTION_WORDS
    )


KINDS: tuple[SourceKind, ...] = ("research", "guideline", "book")
"""What counts as literature."""
_CORPUS = "corpus:"
_BESIDE = 2
"""Further papers whose cosine is computed, for each that is kept: an embedding model takes seconds for hundreds."""
_LOWERED = 0.5
"""Where no paper reaches the threshold of keywords, it is lowered to what the best reach, but not below this share of
it: what holds less is on another subject."""


async def find_literature(one: SubQuestion, plan: ResearchPlan, run: Run, names: Sequence[str] = ()) -> ToolFound:
    """Find the papers that are nearest to a sub-question among those that hold its keywords.

    All literature sources are asked at once; one that finds nothing is asked again with the most salient keywords.
    Duplicates are merged, retracted papers set aside, and papers below the threshold of keywords filtered. `names`
    are what earlier findings call the thing.

    Raises UsageError: a source lacks a field that the question is limited by.
    """
    choices = run.settings.section(BioMedSearchSettings)
    asked = asking(one, plan, names, use_keywords=choices.use_keywords, most_salient=choices.salient)
    any_words = Lookup(asked=Words(text="any"), text="any", rankers=(Ranker.LEXICAL,))
    sources = [
        source
        for source in run.sources
        if {source.name, source.name.partition(":")[0]}.isdisjoint(choices.without)
        and not source.kinds.isdisjoint(KINDS)
        and suited(any_words, source)
    ]
    searched = await concurrently(_search(source.name, one, asked, run, choices) for source in sources)
    every = [each for each, _ in searched]
    hits = await retrieved([hit for each in every for hit in _records(each.found, run, choices.each)], run)
    papers = merged(hits, run.ledger.documents)
    kept, flow, told = await _chosen(papers, one, asked, run, choices)
    row = flow.replace(found=len(hits), merged=len(hits) - len(papers))
    nowhere = () if sources else ("no literature source is selected; select one, or a corpus",)
    return ToolFound(
        tool="literature",
        state="found" if kept else state_of_nothing(every),
        flow=row,
        hits=tuple(paper.hit for paper in kept),
        failures=missed(every, "papers") or nowhere,
        notes=(*(note for _, note in searched if note), *told),
        names=names_of(kept, f"{plan.question} {one.text}", asked.keywords),
    )


async def _search(
    name: str, one: SubQuestion, asked: Asking, run: Run, choices: BioMedSearchSettings
) -> tuple[Returned, str]:
    """What one source returns, which is asked once more with fewer keywords if it finds nothing; then a note says so.

    Corpora rank by words and by vectors.
    """
    query: Query = asked.words if name.startswith(_CORPUS) else asked.tree
    lookup = Lookup(
        asked=query, text=one.text, sources=(name,), kinds=KINDS, limit=choices.each, node=f"{one.id} literature"
    )
    first = await returned(lookup, run)
    if first.failure or first.hits or asked.salient is None or query is asked.words:
        return first, ""
    again = await returned(lookup.replace(asked=asked.salient), run)
    salient = ", ".join(forms[0] for forms in asked.keywords[: choices.salient])
    return again, "" if again.failure else f"{name} found nothing with all keywords, so it was asked for {salient}"


def _records(found: Sequence[Found], run: Run, most: int) -> Ranking:
    """The best hit of each record, rankings fused."""
    rankings = [ranking for one in found for ranking in one.rankings if ranking]
    hits = fuse(rankings, run.settings.retrieval.fusion_k) if len(rankings) > 1 else (rankings or [()])[0]
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.passage.document_id, hit)
    return tuple(best.values())[:most]


async def retrieved(hits: Sequence[Hit], run: Run) -> list[Hit]:
    """The hits whose documents can be fetched, each from the source that found it first; others are warned of."""
    finders: dict[str, str] = {}
    for hit in hits:
        finders.setdefault(hit.passage.document_id, hit.source)
    try:
        await run.retrieve(list(finders), finders)
    except SourceUnavailable as error:
        run.warn(f"some papers could not be fetched: {error}")
    return [hit for hit in hits if hit.passage.document_id in run.ledger.documents]


async def _chosen(
    papers: Sequence[Paper], one: SubQuestion, asked: Asking, run: Run, choices: BioMedSearchSettings
) -> tuple[list[Paper], FlowRow, tuple[str, ...]]:
    """The papers to keep, best first, the counts, and what a reader should know.

    They are ranked by fusing the rank in their database, the share of keywords and the cosine; ranks in several corpora
    are not comparable. With a threshold of keywords, the cosine of those that reach it decides alone, as in Eq. 3.
    """
    allowed = {hit.passage.key for hit in await readable([paper.hit for paper in papers], run)}
    by_key = {paper.key: paper for paper in papers if paper.key in allowed}
    standing = list(by_key.values())
    shares = {key: coverage(asked.keywords, paper.text) for key, paper in by_key.items()}
    places = {key: -paper.hit.rank for key, paper in by_key.items()}
    threshold = min(choices.coverage, max(shares.values(), default=0.0))
    if threshold < choices.coverage * _LOWERED:
        threshold = choices.coverage
    passing = {key for key, share in shares.items() if share >= threshold}

    def ranking(found: Sequence[Paper], values: Mapping[str, float]) -> Ranking:
        ordered = sorted(found, key=lambda paper: (-values[paper.key], paper.hit.rank, paper.key))
        return tuple(paper.hit.replace(rank=rank) for rank, paper in enumerate(ordered, 1))

    likeliest = [by_key[hit.passage.key] for hit in fuse([ranking(standing, places), ranking(standing, shares)])]
    likeliest.sort(key=lambda paper: paper.key not in passing)
    read = likeliest[: (len(passing) if choices.coverage else choices.kept) + _BESIDE * choices.kept]
    near = await cosines(one.text, [paper.text for paper in read], run, embedder=choices.embedder)
    by_cosine = ranking(read, {paper.key: value for paper, value in zip(read, near, strict=True)})
    corpora = {paper.hit.source for paper in standing if paper.hit.source.startswith(_CORPUS)}
    comparable = [ranking(read, places)] if len(corpora) < 2 else []  # services rank the same literature
    ranked = fuse([by_cosine] if choices.coverage else [by_cosine, ranking(read, shares), *comparable])
    kept = [hit for hit in ranked if hit.passage.key in passing][: choices.kept]
    lost = [by_key[hit.passage.key].records[0].id for hit in ranked[: choices.kept] if hit.passage.key not in passing]
    counts = {"filtered": len(papers) - len(passing), "cut": len(passing) - len(kept), "kept": len(kept)}
    flow = FlowRow(subquestion=one.id, tool="literature", lost=tuple(lost), **counts)
    aside = len(papers) - len(standing)
    notes = [f"{aside} retracted papers or notices about papers were excluded"] if aside else []
    if standing and not passing:
        notes.append(f"no paper has {choices.coverage * _LOWERED:.0%} of the keywords, so none is kept")
    elif threshold < choices.coverage:
        notes.append(
            f"no paper has {choices.coverage:.0%} of the keywords; those that have {threshold:.0%} of them are kept"
        )
    best = [hit.replace(rank=rank) for rank, hit in enumerate(kept, 1)]
    return [replace(by_key[hit.passage.key], hit=hit) for hit in best], flow, tuple(notes)
