"""What the server has, and whether it works."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.responses import PlainTextResponse

from medground.document import Frozen
from medground.faces.api.caller import Caller, Door, Served, door
from medground.faces.api.metrics import MEDIA_TYPE, written
from medground.service.offers import CorpusOffer, RecipeOffer
from medground.service.person import Limits
from medground.service.spending import Spent
from medground.version import __version__

router = APIRouter(tags=["server"])


class Corpora(Frozen):
    """What can be searched: a question names any of them in `corpora`, `sources` and `knowledge_base`."""

    corpora: tuple[CorpusOffer, ...]
    sources: tuple[str, ...]
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


@router.get("/v1/corpora", summary="What can be searched")
async def corpora(person: Caller, service: Served) -> Corpora:
    """Corpora with their figures, live sources and knowledge bases."""
    return Corpora(
        corpora=tuple(await service.corpora()),
        sources=service.sources(),
        knowledge_bases=tuple(await service.knowledge_bases()),
    )


@router.get("/v1/recipes", summary="The ways to answer")
async def recipes(person: Caller, service: Served) -> Recipes:
    """Recipes with the settings that a question may change, and the models that it may name."""
    return Recipes(recipes=tuple(await service.recipes()), models=service.models())


@router.get("/v1/usage", summary="What you used")
async def usage(person: Caller, service: Served) -> Usage:
    """What you used in this calendar month (UTC), and your limits."""
    return Usage(name=person.name, limits=person.limits, month=await service.usage(person))


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=PlainTextResponse,
    responses={200: {"description": "Requests and jobs.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(person: Caller, entry: Annotated[Door, Depends(door)]) -> PlainTextResponse:
    """Requests by route and status, jobs by kind and state. No question, answer or name is among them."""
    return PlainTextResponse(written(entry.requests, entry.service.jobs.counts()), media_type=MEDIA_TYPE)


@router.get("/healthz", summary="Whether it works")
async def health() -> Health:
    """Answers while the server takes questions; needs no token."""
    return Health(version=__version__)
