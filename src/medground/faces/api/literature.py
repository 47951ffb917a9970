"""The literature itself: search, documents, claims and plans; and what the server has."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body, Depends, Path, Query, Request
from pydantic import AliasChoices, Field, NonNegativeInt
from starlette.responses import PlainTextResponse, Response

from medground.answering.conclude.claim import CheckedClaim
from medground.corpus.chunk import chunk
from medground.engine.search import Syntax
from medground.engine.strategy import StrategyFound
from medground.faces.api.caller import Caller, Door, Served, door
from medground.faces.api.middleware import while_there
from medground.faces.service.accounts import Spent
from medground.faces.service.offers import CorpusOffer, RecipeOffer
from medground.faces.service.request import Name, Where
from medground.faces.service.values import Limits
from medground.home.settings import own_sources
from medground.values.answer import Search
from medground.values.decision import Notice
from medground.values.document import Described, Document, DocumentId, Frozen, Hit
from medground.values.identifiers import Relation
from medground.values.papers import FullText, PaperFound, Related
from medground.values.query import Filters
from medground.values.research_plan import ResearchPlan
from medground.version import __version__
from medground.wording.view_types import taken

router = APIRouter(prefix="/v1", tags=["literature"])


class SearchAsked(Where):
    """Words to search for."""

    query: str = Field(min_length=1, max_length=4000, validation_alias=AliasChoices("query", "text"))
    limit: int = Field(default=10, ge=1, le=1000)
    filters: Filters = Filters()
    syntax: Syntax = "words"
    """`pubmed`: it is a query in PubMed's syntax"""


class ClaimAsked(Where):
    """A claim to compare with the literature."""

    claim: str = Field(min_length=1, max_length=4000)
    model: Name | None = None
    """the model that judges; the default without one"""


class Found(Frozen):
    """Passages, best first, and which sources were searched. `notice` is shown before anything else."""

    hits: tuple[Hit, ...]
    searches: tuple[Search, ...]
    notes: tuple[str, ...]
    notice: Notice | None = None


class Place(Frozen):
    """A passage as a slice of the text of its document."""

    start: NonNegativeInt
    end: NonNegativeInt
    section: str | None = None
    page: int | None = None


class ShownDocument(Document):
    """A document with its passages. All offsets count code points of `text`."""

    passages: tuple[Place, ...] = ()


@router.post("/search", summary="Search")
async def search(
    asked: Annotated[SearchAsked, Body(examples=[{"query": "aspirin stroke prevention", "limit": 5}])],
    request: Request,
    person: Caller,
    service: Served,
) -> Found:
    """The passages that fit some words best, by words and, where there are vectors, by meaning."""
    work = service.search(
        asked.query, person, limit=asked.limit, filters=asked.filters, syntax=asked.syntax, **asked.named()
    )
    found = await while_there(request, work)
    return taken(Found, found)


class StrategyAsked(Where):
    """A search strategy in PubMed's syntax; `#1` stands for the first line."""

    lines: tuple[Annotated[str, Field(max_length=4000)], ...] = Field(min_length=1, max_length=60)


@router.post("/strategy", summary="Search by a strategy of several lines")
async def strategy(
    asked: Annotated[StrategyAsked, Body(examples=[{"lines": ["asthma[mh]", "child*", "#1 AND #2"]}])],
    request: Request,
    person: Caller,
    service: Served,
) -> StrategyFound:
    """The number of records of each line, and the records of the last one, each once."""
    return await while_there(request, service.use(lambda engine: engine.strategy(asked.lines), person, **asked.named()))


@router.post("/verify", summary="Check a claim")
async def verify(
    asked: Annotated[ClaimAsked, Body(examples=[{"claim": "Aspirin prevents ischemic stroke."}])],
    request: Request,
    person: Caller,
    service: Served,
) -> CheckedClaim:
    """Compare a claim with the literature: a verdict for each of its statements, and the deciding quotes."""
    return await while_there(request, service.verify(asked.claim, person, model=asked.model, **asked.named()))


@router.get("/documents/{document_id:path}", summary="A document")
async def document(
    document_id: Annotated[DocumentId, Path(max_length=240, examples=["PMID:21645374"])],
    person: Caller,
    service: Served,
    corpus: Annotated[list[Name] | None, Query(max_length=50, description="corpora to search")] = None,
) -> ShownDocument:
    """A document with its text, its sections and its passages."""
    found = await service.document(document_id, person, corpora=tuple(corpus) if corpus else None)
    places = tuple(taken(Place, passage) for passage in chunk(found))
    return ShownDocument(**{**dict(found), "lines": (), "passages": places})


class PapersAsked(Where):
    """Papers by PMID, PMC id, DOI or citation (`journal|year|volume|first page|author`)."""

    papers: tuple[Name, ...] = Field(min_length=1, max_length=50)
    entities: bool = False
    """what PubTator found in each"""


class RelatedAsked(Where):
    """A paper, and how others are related to it."""

    paper: Name
    by: Relation = "similar"
    limit: int = Field(default=10, ge=1, le=50)


@router.post("/papers", summary="Papers by id or citation")
async def papers(asked: PapersAsked, person: Caller, service: Served) -> list[PaperFound]:
    """The ids and the record of each, from corpora and, where PubMed is searched, from NCBI."""
    return await service.use(
        lambda engine: engine.papers(asked.papers, entities=asked.entities), person, **asked.named()
    )


@router.post("/papers/related", summary="Similar and citing papers")
async def related_papers(asked: RelatedAsked, person: Caller, service: Served) -> Related:
    """Papers that are like one, cite it, or are its references."""
    return await service.use(
        lambda engine: engine.related(asked.paper, by=asked.by, limit=asked.limit), person, **asked.named()
    )


@router.get("/papers/full-text", summary="A full text by the legal routes")
async def full_text(paper: Name, person: Caller, service: Served) -> FullText:
    """The open full text of a paper, or the address of a copy."""
    return await service.use(lambda engine: engine.full_text(paper), person)


class PlanAsked(Frozen):
    """A question to plan for."""

    question: str = Field(min_length=1, max_length=4000)
    kind: Literal["pubmed", "research"] = "pubmed"


class Planned(Described):
    """A plan: `query` of kind `pubmed`, `plan` of kind `research`. `notice` is shown before anything else."""

    kind: Literal["pubmed", "research"]
    query: str | None = None
    """a query that PubMed accepts as it is"""
    headings: tuple[str, ...] = ()
    """the MeSH headings behind it, most important first"""
    plan: ResearchPlan | None = None
    """for `plan` of a question, as it is or changed"""
    notes: tuple[str, ...] = ()
    planner: str = ""
    """who made it"""
    notice: Notice | None = None


@router.post("/plan", summary="Plan a search or research")
async def plan(
    asked: Annotated[PlanAsked, Body(examples=[{"question": "Does aspirin prevent ischemic stroke?"}])],
    person: Caller,
    service: Served,
) -> Planned:
    """A plan by word statistics: no model is asked and nothing is searched."""
    if asked.kind == "research":
        made = await service.plan_research(asked.question, person)
        return taken(Planned, made, kind=asked.kind)
    found = await service.plan_query(asked.question, person)
    headings = tuple(term.heading for term in found.terms)
    return taken(Planned, found, kind=asked.kind, query=found.query or None, headings=headings)


server_router = APIRouter(tags=["server"])


class Corpora(Described):
    """What can be searched: a question names any of them in `corpora`, `sources` and `knowledge_base`."""

    corpora: tuple[CorpusOffer, ...]
    sources: tuple[str, ...]
    default_sources: tuple[str, ...] = ()
    """those that a question without a choice searches"""
    knowledge_bases: tuple[str, ...]


class Recipes(Frozen):
    """The ways to answer, and the models, the default first."""

    recipes: tuple[RecipeOffer, ...]
    models: tuple[str, ...]


class Usage(Frozen):
    """What a person used in this calendar month (UTC), and what they may use."""

    name: str
    limits: Limits
    month: Spent


class Health(Frozen):
    """The server is there and takes questions."""

    status: Literal["ok"] = "ok"
    version: str


@server_router.get("/v1/corpora", summary="What can be searched")
async def corpora(person: Caller, service: Served) -> Corpora:
    """Corpora with their figures, live sources and knowledge bases."""
    return Corpora(
        corpora=tuple(await service.corpora()),
        sources=service.sources(),
        default_sources=own_sources(service.settings),
        knowledge_bases=tuple(await service.knowledge_bases()),
    )


@server_router.get("/v1/recipes", summary="The ways to answer")
async def recipes(person: Caller, service: Served) -> Recipes:
    """Recipes with the settings that a question may change, and the models that it may name."""
    return Recipes(recipes=tuple(await service.recipes()), models=service.models())


@server_router.get("/v1/usage", summary="What you used")
async def usage(person: Caller, service: Served) -> Usage:
    """What you used in this calendar month (UTC), and your limits."""
    return Usage(name=person.name, limits=person.limits, month=await service.usage(person))


@server_router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=PlainTextResponse,
    responses={200: {"description": "Requests and jobs.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(person: Caller, entry: Annotated[Door, Depends(door)]) -> Response:
    """Requests by route and status, jobs by kind and state. No question, answer or name is among them."""
    return await entry.figures()


@server_router.get("/healthz", summary="Whether it works")
async def health() -> Health:
    """Answers while the server takes questions; needs no token."""
    return Health(version=__version__)


@server_router.get("/readyz", summary="Whether it can answer")
async def readiness(service: Served) -> Health:
    """Answers while what servers share can be read, too: send questions elsewhere if not; needs no token."""
    await service.check_ready()
    return Health(version=__version__)
