"""What a server offers: corpora with their files, recipes, models and sources. What reads files here blocks."""

from asyncio import to_thread
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePath

from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.errors import ConfigError, MedgroundError
from medground.faces.service.request import Searched, allowed_keys, offered_models
from medground.graph.bases.record import Bases
from medground.home.registry import recipe_names
from medground.home.settings import Settings, offered_sources
from medground.language.clean import joined
from medground.language.subject import subjects
from medground.recipes.base import open_recipe
from medground.values.document import Described, Frozen
from medground.wording.progress import ABOUT


class CorpusOffer(Described):
    """A corpus that can be searched. One that cannot be read has a `problem` and no figures."""

    name: str
    title: str = ""
    """the name as people read it"""
    examples: tuple[str, ...] = ()
    """questions that it may answer"""
    documents: int | None = None
    passages: int | None = None
    skipped: int = 0
    """records that could not be read"""
    passed_over: int = 0
    """files that could not be read, or not to their end"""
    retracted: int = 0
    bytes: int | None = None
    hash: str = ""
    """hash of the snapshot, as answers name it"""
    created: datetime | None = None
    embedding: str | None = None
    """the model of its vectors; null if it has none"""
    graph: bool = False
    about: str = ""
    licences: tuple[str, ...] = ()
    default: bool = False
    """whether it is searched when a question names nothing"""
    problem: str = ""


class RecipeOffer(Described):
    """A way to answer."""

    name: str
    about: str
    researches: bool
    """whether it writes a report and is requested with kind `research`"""
    default: bool
    settings: tuple[str, ...]
    """the settings that a question may change"""


def _corpora(settings: Settings) -> list[CorpusOffer]:
    library = Library(settings.home)
    searched = Searched.by_default(settings).corpora
    return [_corpus(library, name, settings, default=name in searched) for name in library.list()]


def _recipes(settings: Settings) -> list[RecipeOffer]:
    found = []
    for name in recipe_names():
        try:
            recipe = open_recipe(name)
        except ConfigError:  # an extra is missing, or a package is broken
            continue
        about = ABOUT.get(name) or (recipe.run.__doc__ or "").partition("\n")[0]
        default = name == settings.recipe.name
        keys = allowed_keys(name)
        found.append(RecipeOffer(name=name, about=about, researches=recipe.researches, default=default, settings=keys))
    return found


def _knowledge_bases(settings: Settings) -> list[str]:
    bases, whole = Bases(settings.home), []
    for name in bases.list():
        with suppress(ConfigError):  # damaged
            if (found := bases.find(name)) is not None and found.sources:
                whole.append(name)
    return whole


def _corpus(library: Library, name: str, settings: Settings, *, default: bool) -> CorpusOffer:
    title = library.title(name)
    try:
        manifest = library.info(name)
        examples = _examples(settings.home, name, library.state(name))
    except MedgroundError as error:
        problem = error.told("server").replace(str(settings.home), "(home)")
        return CorpusOffer(name=name, title=title, default=default, problem=problem)
    counts = manifest.counts
    return CorpusOffer(
        **{what: getattr(counts, what) for what in ("documents", "passages", "skipped", "passed_over", "retracted")},
        name=name,
        title=title,
        examples=examples,
        bytes=manifest.size,
        hash=manifest.hash,
        created=manifest.created,
        embedding=manifest.embedding.name if manifest.embedding else None,
        graph=GRAPH_FILE in manifest.attachments,
        about=manifest.described.about if manifest.described else "",
        licences=manifest.licenses,
        default=default,
    )


@lru_cache(maxsize=256)
def _examples(home: Path, name: str, state: str) -> tuple[str, ...]:
    """Questions about some documents of a corpus in this state, which never changes."""
    known = ("Is Huntington disease inherited?", "What are the signs of Marfan syndrome?") if name == STARTER else ()
    with Library(home).open(name) as snapshot:
        total = snapshot.manifest.counts.passages
        found = snapshot.passages(sorted({total * at // 9 for at in range(1, 9)})) if total else []
    titles = [joined(passage.title) for passage in found if passage.retraction == "none"]
    asked = [f"What is known about {one.said}?" for title in titles for one in subjects(title) if one.is_disease]
    return tuple(dict.fromkeys((*known, *asked)))[:2]


class Offering:
    """What a server offers, read off the event loop; a `Service` is one."""

    settings: Settings

    async def corpora(self) -> list[CorpusOffer]:
        """The corpora that can be searched, by name."""
        return await to_thread(_corpora, self.settings)

    async def recipes(self) -> list[RecipeOffer]:
        """The recipes that can be loaded here and asked for, by name."""
        return await to_thread(_recipes, self.settings)

    async def knowledge_bases(self) -> list[str]:
        """The knowledge bases that can be searched."""
        return await to_thread(_knowledge_bases, self.settings)

    def models(self) -> tuple[str, ...]:
        """The models that a question may name, the default first."""
        return offered_models(self.settings)

    def sources(self) -> tuple[str, ...]:
        """The sources, in addition to corpora, that a question may name."""
        return offered_sources(self.settings)


_SKIPPED = 50


class FileTold(Frozen):
    """A file that was read, with its reader, or skipped, with the reason."""

    name: str
    reader: str = ""
    reason: str | None = None


class FilesTold(Frozen):
    """Some files of a corpus, in the order of reading, and how many there are of those that were asked for."""

    files: tuple[FileTold, ...]
    offset: int
    total: int


class RecordTold(Frozen):
    """A record in a file that could not be read."""

    file: str
    position: int | None
    reason: str


class CorpusTold(Described):
    """What a build told about a corpus."""

    name: str
    read: int
    """files that were read"""
    passed_over: int
    notes: tuple[str, ...]
    """what readers noted"""
    same: int
    """ids that occur in several files; one version of each is kept"""
    skipped: tuple[RecordTold, ...]
    """the first records that could not be read"""


def corpus_told(library: Library, name: str) -> CorpusTold:
    """What a build told about a corpus; file names without their folders.

    Raises UsageError: no corpus has this name; SnapshotCorrupt: it cannot be read.
    """
    with library.built(name) as snapshot:
        told = snapshot.file_report()
        skipped = snapshot.skipped(_SKIPPED)
    over = sum(file.reason is not None for file in told.files)
    return CorpusTold(
        name=name,
        read=len(told.files) - over,
        passed_over=over,
        notes=tuple(told.notes),
        same=len(told.same),
        skipped=tuple(RecordTold(file=PurePath(s.file).name, position=s.position, reason=s.reason) for s in skipped),
    )


def files_told(
    library: Library, name: str, *, passed_over: bool = False, offset: int = 0, limit: int = 100
) -> FilesTold:
    """Some files of a corpus: all of them, or those that were skipped.

    Raises UsageError: no corpus has this name; SnapshotCorrupt: it cannot be read.
    """
    with library.built(name) as snapshot:
        files = [file for file in snapshot.file_report().files if file.reason is not None or not passed_over]
    shown = [
        FileTold(name=PurePath(f.name).name, reader=f.reader if f.reason is None else "", reason=f.reason)
        for f in files[offset : offset + limit]
    ]
    return FilesTold(files=tuple(shown), offset=offset, total=len(files))
