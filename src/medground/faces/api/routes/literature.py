"""The literature itself: search, documents, and claims checked against them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from pydantic import Field

from medground.answer import Search
from medground.conclude.claim import CheckedClaim
from medground.corpus.chunk import chunk
from medground.document import Document, DocumentId, Frozen, Hit
from medground.faces.api.caller import Caller, Served
from medground.faces.api.leaving import while_there
from medground.notice import Notice
from medground.query import Filters
from medground.search import Syntax
from medground.service.asked import Name

router = APIRouter(prefix="/v1", tags=["literature"])


class Where(Frozen):
    """What is searched; where it names anything, that stands in place of what the server searches by default."""

    corpora: tuple[Name, ...] | None = Field(default=None, max_length=50)
    sources: tuple[Name, ...] | None = Field(default=None, max_length=50)
    knowledge_base: Name | None = None

    def named(self) -> dict[str, Any]:
        """As arguments of the methods of `Service`."""
        return {"corpora": self.corpora, "sources": self.sources, "knowledge_base": self.knowledge_base}


class SearchAsked(Where):
    """Words to search for."""

    text: str = Field(min_length=1, max_length=4000)
    limit: int = Field(default=10, ge=1, le=1000)
    filters: Filters = Filters()
    syntax: Syntax = Field(default="words", description="`pubmed`: the text is a query in PubMed's syntax")


class ClaimAsked(Where):
    """A claim to compare with the literature."""

    claim: str = Field(min_length=1, max_length=4000)
    model: Name | None = Field(default=None, description="the model that judges; the default without one")


class Found(Frozen):
    """Passages, best first, and which sources were searched. `notice` is shown before anything else."""

    hits: tuple[Hit, ...]
    searches: tuple[Search, ...]
    notes: tuple[str, ...]
    notice: Notice | None = None


class Place(Frozen):
    """A passage as a slice of the text of its document."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    section: str | None = None
    page: int | None = None


class ShownDocument(Document):
    """A document with its passages. All offsets count code points of `text`."""

    passages: tuple[Place, ...] = ()


@router.post("/search", summary="Search", responses={404: {}})
async def search(
    asked: Annotated[SearchAsked, Body(examples=[{"text": "aspirin stroke prevention", "limit": 5}])],
    request: Request,
    person: Caller,
    service: Served,
) -> Found:
    """The passages that fit some words best, by words and, where there are vectors, by meaning."""
    work = service.search(
        asked.text, person, limit=asked.limit, filters=asked.filters, syntax=asked.syntax, **asked.named()
    )
    found = await while_there(request, work)
    return Found(hits=tuple(found.hits), searches=found.searches, notes=found.notes, notice=found.notice)


@router.post("/verify", summary="Check a claim", responses={404: {}})
async def verify(
    asked: Annotated[ClaimAsked, Body(examples=[{"claim": "Aspirin prevents ischemic stroke."}])],
    request: Request,
    person: Caller,
    service: Served,
) -> CheckedClaim:
    """Compare a claim with the literature: a verdict for each of its statements, and the deciding quotes."""
    return await while_there(request, service.verify(asked.claim, person, model=asked.model, **asked.named()))


@router.get("/documents/{document_id:path}", summary="A document", responses={404: {}, 422: {}})
async def document(
    document_id: Annotated[DocumentId, Path(max_length=240, examples=["PMID:21645374"])],
    person: Caller,
    service: Served,
    corpus: Annotated[list[Name] | None, Query(max_length=50, description="corpora to look in")] = None,
) -> ShownDocument:
    """A document with its text, its sections and its passages."""
    found = await service.document(document_id, person, corpora=tuple(corpus) if corpus else None)
    places = tuple(Place(start=p.start, end=p.end, section=p.section, page=p.page) for p in chunk(found))
    return ShownDocument(**{**dict(found), "lines": (), "passages": places})
