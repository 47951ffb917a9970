"""What the server has, and whether it works."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter

from medground.document import Frozen
from medground.faces.api.caller import Caller, Served
from medground.service.offers import CorpusOffer, RecipeOffer
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


@router.get("/healthz", summary="Whether it works")
async def health() -> Health:
    """Answers while the server takes questions; needs no token."""
    return Health(version=__version__)
