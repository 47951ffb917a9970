"""What a server offers: corpora, recipes, models and sources. What reads files here blocks."""

from __future__ import annotations

import asyncio
from datetime import datetime

from pydantic import Field

from medground.corpus.library import GRAPH_FILE, Library
from medground.document import Frozen
from medground.errors import ConfigError, MedgroundError
from medground.kb.bases import Bases
from medground.recipes.base import open_recipe
from medground.recipes.registry import recipe_names
from medground.service.allowed import allowed_keys
from medground.service.asked import Searched, offered_models, offered_sources
from medground.settings import Settings
from medground.wording.recipes import ABOUT


class CorpusOffer(Frozen):
    """A corpus that can be searched. One that cannot be read has a `problem` and no figures."""

    name: str
    documents: int | None = None
    passages: int | None = None
    skipped: int = Field(default=0, description="records that could not be read")
    passed_over: int = Field(default=0, description="files that could not be read, or not to their end")
    retracted: int = 0
    bytes: int | None = None
    hash: str = Field(default="", description="hash of the snapshot, as answers name it")
    created: datetime | None = None
    embedding: str | None = Field(default=None, description="the model of its vectors; null if it has none")
    graph: bool = False
    about: str = ""
    licences: tuple[str, ...] = ()
    default: bool = Field(default=False, description="whether it is searched when a question names nothing")
    problem: str = ""


class RecipeOffer(Frozen):
    """A way to answer."""

    name: str
    about: str
    researches: bool = Field(description="whether it writes a report, and is asked for with kind `research`")
    default: bool
    settings: tuple[str, ...] = Field(description="the settings that a question may change")


def corpora_offered(settings: Settings) -> list[CorpusOffer]:
    """The corpora of the home folder, by name."""
    library = Library(settings.home)
    searched = Searched.by_default(settings).corpora
    return [_corpus(library, name, settings, default=name in searched) for name in library.list()]


def recipes_offered(settings: Settings) -> list[RecipeOffer]:
    """All recipes that can be loaded here, by name."""
    found = []
    for name in recipe_names():
        try:
            recipe = open_recipe(name)
        except ImportError:  # of an extra
            continue
        found.append(
            RecipeOffer(
                name=name,
                about=ABOUT.get(name, ""),
                researches=recipe.researches,
                default=name == settings.recipe.name,
                settings=allowed_keys(name),
            )
        )
    return found


def knowledge_bases_offered(settings: Settings) -> list[str]:
    """The knowledge bases that can be searched."""
    bases = Bases(settings.home)
    return [name for name in bases.list() if _whole(bases, name)]


def _whole(bases: Bases, name: str) -> bool:
    try:
        found = bases.find(name)
    except ConfigError:  # damaged
        return False
    return found is not None and bool(found.sources)


def _corpus(library: Library, name: str, settings: Settings, *, default: bool) -> CorpusOffer:
    try:
        manifest = library.info(name)
    except MedgroundError as error:
        return CorpusOffer(name=name, default=default, problem=str(error).replace(str(settings.home), "(home)"))
    return CorpusOffer(
        name=name,
        documents=manifest.counts.documents,
        passages=manifest.counts.passages,
        skipped=manifest.counts.skipped,
        passed_over=manifest.counts.passed_over,
        retracted=manifest.counts.retracted,
        bytes=manifest.size,
        hash=manifest.hash,
        created=manifest.created,
        embedding=manifest.embedding.name if manifest.embedding else None,
        graph=GRAPH_FILE in manifest.attachments,
        about=manifest.described.about if manifest.described else "",
        licences=manifest.licenses,
        default=default,
    )


class Offering:
    """What a server offers, read off the event loop; a `Service` is one."""

    settings: Settings

    async def corpora(self) -> list[CorpusOffer]:
        """The corpora that can be searched."""
        return await asyncio.to_thread(corpora_offered, self.settings)

    async def recipes(self) -> list[RecipeOffer]:
        """The recipes that can be asked for."""
        return await asyncio.to_thread(recipes_offered, self.settings)

    async def knowledge_bases(self) -> list[str]:
        """The knowledge bases that can be searched."""
        return await asyncio.to_thread(knowledge_bases_offered, self.settings)

    def models(self) -> tuple[str, ...]:
        """The models that a question may name, the default first."""
        return offered_models(self.settings)

    def sources(self) -> tuple[str, ...]:
        """The sources, beside corpora, that a question may name."""
        return offered_sources(self.settings)
