"""Pages of the web for a sub-question: all engines at once, the most relevant results, their pages read.

Source: BioMedSearch, section III.B, Web Search, Eq. 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pydantic import Field

from medground.answering.rank.cosines import cosines
from medground.answering.read.readable import readable
from medground.answering.run import Run
from medground.corpus.chunk import chunk
from medground.corpus.retraction import set_aside
from medground.errors import SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language import words
from medground.models.operators import base
from medground.recipes.biomedsearch.returned import missed, returned, state_of_nothing
from medground.recipes.settings import BioMedSearchSettings
from medground.values.document import Document, Hit, Proportion, SourceKind
from medground.values.lookup import Lookup, PlainWords
from medground.values.report import FlowRow, ToolFound
from medground.values.research_plan import ResearchPlan, SubQuestion

_COVERAGE = 0.25
"""What the share of the sub-question's words counts beside the cosine, without a model.

Measured in `docs/measurements/search.md`.
"""


class ResultView(base.OperatorInput):
    """A result to rate. `id` is local to the call: W1, W2, ..."""

    id: str
    title: base.Untrusted = ""
    summary: base.Untrusted
    cosine: float = Field(default=0.0, exclude=True)
    """Cosine of its vector with the sub-question's."""


class RatePagesInput(base.OperatorInput):
    subquestion: base.Untrusted
    results: tuple[ResultView, ...]


class PageRating(base.OperatorOutput):
    result: str = Field(description="id of a result")
    relevance: Proportion = Field(description="0: of no use; 0.5: on the subject; 1: answers the sub-question")


class RatePagesOutput(base.OperatorOutput):
    ratings: tuple[PageRating, ...] = Field(description="one for each result that is of any use; none of the others")


def _once(value: RatePagesInput, output: RatePagesOutput) -> None:
    rated = [rating.result for rating in output.ratings]
    if len(rated) > len(set(rated)):
        raise base.InvalidOutput("a result is rated twice; rate each once")


@base.operator(ids={"result": lambda value: (result.id for result in value.results)}, check=_once)
def rate_pages(value: RatePagesInput) -> RatePagesOutput:
    """Cosine, and the share by weight of the sub-question's words that title and summary hold."""
    asked = words.terms(value.subquestion)
    ratings = []
    for one in value.results:
        held = words.coverage(asked, words.terms(f"{one.title} {one.summary}"))
        relevance = (1 - _COVERAGE) * one.cosine + _COVERAGE * held
        ratings.append(PageRating(result=one.id, relevance=round(min(max(relevance, 0.0), 1.0), 4)))
    return RatePagesOutput(ratings=tuple(ratings))


KINDS: tuple[SourceKind, ...] = ("web",)
RANKER = "web"
RATING = (rate_pages,)
"""The operators of this tool; a recipe declares them."""
_MOST_NAMES = 3
_MOST_RATED = 20
"""Most results that the operator rates: the nearest ones."""
_PASSAGES = 3
"""Most passages of one page."""
_MOST_PASSAGES = 300
"""Passages of a page that are compared; a page with more is a book."""
NO_ENGINE = "no search engine is selected; name one among the sources, such as duckduckgo"
_TRIES = 2
"""Times as many pages as wanted are tried at most, where some cannot be read."""


@dataclass(frozen=True)
class _Result:
    """A page that engines found: its name, the best hit of it, how near it is and how relevant (Eq. 4)."""

    digest: str
    hit: Hit
    cosine: float = 0.0
    relevance: float = 0.0


async def find_pages(one: SubQuestion, plan: ResearchPlan, run: Run, names: Sequence[str] = ()) -> ToolFound:
    """Find the web pages that are most relevant to a sub-question, and the passages of each that are nearest to it.

    All engines are asked at once and their results merged by address. Kept are those whose cosine and rating both
    reach tau, the k most relevant of them. Their pages are fetched; one that cannot be read gives way to the next, and
    nothing of it is quoted, not even the engine's summary. `names`, what earlier findings call the thing,
    are searched for, too.
    """
    del plan  # an engine is asked in plain words, without the plan's keywords
    choices = run.settings.section(BioMedSearchSettings)
    lookup = _lookup(one, names, choices)
    engines = [
        source.name
        for source in run.sources
        if source.name not in choices.without and not source.kinds.isdisjoint(KINDS) and source.accepts(lookup)
    ]
    searched = await concurrently(returned(lookup.replace(sources=(name,)), run) for name in engines)
    best: dict[str, Hit] = {}  # each page once, with its best rank
    for hit in sorted((hit for each in searched for hit in each.hits), key=lambda hit: hit.rank):
        best.setdefault(hit.passage.document_id.partition(":")[2], hit)
    pages = [_Result(digest, hit) for digest, hit in best.items()]
    relevant, below = await _relevant(one, pages, run, choices)
    read, unread = await _read(relevant, run, choices)
    hits = await _passages(one, read, run, choices.embedder)
    found, kept, tried = sum(len(each.hits) for each in searched), len(read), len(read) + len(unread)
    nothing = state_of_nothing(searched)
    counts = {"found": found, "merged": found - len(pages), "filtered": below, "cut": len(pages) - below - kept}
    note = f"{len(unread)} of the {tried} most relevant pages could not be read, of {len(relevant)} relevant"
    return ToolFound(
        tool="web",
        state="found" if hits else "failed" if nothing == "empty" and unread else nothing,
        flow=FlowRow(subquestion=one.id, tool="web", kept=kept, **counts),
        hits=hits,
        failures=(*(missed(searched, "pages") if searched else [NO_ENGINE]), *unread),
        notes=(note,) if unread else (),
    )


def _lookup(one: SubQuestion, names: Sequence[str], choices: BioMedSearchSettings) -> Lookup:
    known = set(words.terms(one.text))
    new = [name for name in dict.fromkeys(names) if not set(words.terms(name)) <= known][:_MOST_NAMES]
    asked = PlainWords(text=" ".join([one.text, *new]))
    return Lookup(asked=asked, text=one.text, kinds=KINDS, limit=choices.each, node=f"{one.id} web")


async def _relevant(
    one: SubQuestion, pages: Sequence[_Result], run: Run, choices: BioMedSearchSettings
) -> tuple[list[_Result], int]:
    """The pages whose relevance reaches tau, the most relevant first (Eq. 4), and how many do not.

    By embedding first; the operator rates the nearest of those that are left. Results that announce a retraction by
    their title do not pass.
    """
    allowed = {hit.passage.document_id for hit in set_aside([each.hit for each in pages])[0]}
    standing = [each for each in pages if each.hit.passage.document_id in allowed]
    near = await cosines(one.text, [each.hit.passage.text for each in standing], run, embedder=choices.embedder)
    placed = [replace(each, cosine=cosine) for each, cosine in zip(standing, near, strict=True)]
    close = sorted((each for each in placed if each.cosine >= choices.relevance), key=lambda each: -each.cosine)
    below = len(pages) - len(close)
    rated = await _rated(one, close[: max(_MOST_RATED, choices.pages)], run)
    passing = [each for each in rated if each.relevance >= choices.relevance]
    passing.sort(key=lambda each: (-each.relevance, -each.cosine))
    return passing, below + len(rated) - len(passing)


async def _rated(one: SubQuestion, results: Sequence[_Result], run: Run) -> list[_Result]:
    """The results with the relevance that the operator gives them; 0 where it gives none."""
    if not results:
        return []
    views = []
    for place, each in enumerate(results, start=1):
        title, _, summary = each.hit.passage.text.partition("\n\n")
        views.append(ResultView(id=f"W{place}", title=title, summary=summary or title, cosine=each.cosine))
    value = RatePagesInput(subquestion=one.text, results=tuple(views))
    rated = await run.ask_for_part(rate_pages, value, f"the choice of pages for “{one.text}”")
    ratings = {rating.result: rating.relevance for rating in rated.ratings}
    return [replace(each, relevance=ratings.get(view.id, 0.0)) for each, view in zip(results, views, strict=True)]


async def _read(
    results: Sequence[_Result], run: Run, choices: BioMedSearchSettings
) -> tuple[list[Document], list[str]]:
    """The pages of the most relevant results, fetched at once, and a line for each that could not be read.

    For each that fails the next is tried.
    """
    pages: list[Document] = []
    failures: list[str] = []
    left = list(results[: _TRIES * choices.pages])
    while left and len(pages) < choices.pages:
        now, left = left[: choices.pages - len(pages)], left[choices.pages - len(pages) :]
        for fetched in await concurrently(_page(each, run) for each in now):
            if isinstance(fetched, Document):
                pages.append(fetched)
            else:
                failures.append(fetched)
    return pages, failures


async def _page(result: _Result, run: Run) -> Document | str:
    """A page, in the ledger; or one line that says why it is not."""
    from medground.sources.web_search import PAGE  # late: it needs the extra services

    name = f"{PAGE}:{result.digest}"
    try:
        await run.retrieve([name], {name: result.hit.source})
    except SourceUnavailable as error:
        return f"{error.source}: a page was not read: {error.reason}"
    found = run.ledger.documents.get(name)
    return found if found is not None else f"{result.hit.source}: a page was not read: it was found in an earlier run"


async def _passages(one: SubQuestion, pages: Sequence[Document], run: Run, embedder: str) -> tuple[Hit, ...]:
    """The passages that are nearest to the sub-question, a few of each page."""
    cut = [(page, list(islice(chunk(page), _MOST_PASSAGES))) for page in pages]
    texts = [passage.text for _, passages in cut for passage in passages]
    near = iter(await cosines(one.text, texts, run, embedder=embedder))
    chosen: list[Hit] = []
    for page, passages in cut:
        scored = sorted(((next(near), passage) for passage in passages), key=lambda row: (-row[0], row[1].start))
        source = run.origins.get(page.id, "")
        chosen += [
            Hit(passage=passage, ranker=RANKER, rank=1, score=cosine, source=source)
            for cosine, passage in scored[:_PASSAGES]
        ]
    standing = await readable(sorted(chosen, key=lambda hit: (-hit.score, hit.passage.key)), run)
    return tuple(hit.replace(rank=rank) for rank, hit in enumerate(standing, start=1))
