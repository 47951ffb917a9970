"""What an open engine holds, and what each of its calls needs: a setup, a run, and sources that stay open."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.answering.verify.judges import with_measured
from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.snapshot import rank_together
from medground.corpus.store import Store
from medground.engine.opening import Setup, Setups, check_sources, name_of, set_up, with_fetched
from medground.errors import ConfigError, MedgroundError, SnapshotCorrupt, UsageError
from medground.graph.bases.record import Bases
from medground.graph.concept_store import open_graph
from medground.home.concurrency import check_not_forked
from medground.home.settings import Settings
from medground.models.registry import Models
from medground.recipes.base import Recipe
from medground.sources.base import Source, find_source
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource
from medground.values.decision import Notice
from medground.values.question import Question
from medground.values.shown import brief
from medground.values.steps import OnStep, Progress, ignore_steps, no_progress

if TYPE_CHECKING:
    from medground.corpus.embedder import Embedder


log = logging.getLogger(__name__)


def open_sources(settings: Settings, progress: Progress = no_progress) -> list[Source]:
    """Open the sources that the settings name. Builds the starter corpus if it is missing.

    Raises UsageError: no corpus, no knowledge base or no source has that name; ConfigError: an extra is missing, an
    embedding model changed since the build, or an address is not valid; SnapshotCorrupt: a corpus differs from its
    manifest.
    """
    library = Library(settings.home)
    sources: list[Source] = []
    stores: list[Store] = []
    models: dict[str, Embedder | None] = {}  # one for all corpora that it built: a large one fills the memory
    with ExitStack() as opened:  # closes what is open if a later source fails
        for name in corpora_of(settings):
            snapshot = _starter(library, progress) if name == STARTER else library.open(name, progress)
            opened.callback(snapshot.close)
            source = CorpusSource(snapshot, _embedder(snapshot, settings, models))
            if any(source.name == other.name for other in sources):
                advice = "let another name stand for one with `medground corpus sync NAME URL`"
                raise UsageError(f"two of the corpora are called {snapshot.name}; {advice}")
            sources.append(source)
            stores.append(snapshot)
            if (graph := snapshot.attachment(GRAPH_FILE)) is not None:
                store = open_graph(graph)
                opened.callback(store.close)
                sources.append(GraphSource(store, source.fetch, source.state, snapshot.described))
        rank_together(stores)
        named = [*settings.retrieval.sources, *(["pubmed"] if settings.retrieval.pubmed else [])]
        sources += [find_source(name).open(settings) for name in dict.fromkeys(named)]
        opened.pop_all()
    return sources


def usual_corpora(settings: Settings) -> tuple[str, ...]:
    """What is searched for who names no corpus: what the settings name, or else the starter and all that is built.

    A corpus here that cannot be opened is left out, so that it costs only itself.
    """
    if "corpora" in settings.retrieval.model_fields_set:
        return settings.retrieval.corpora
    library, names = Library(settings.home), [*settings.retrieval.corpora]
    for name in library.list():
        with contextlib.suppress(MedgroundError):
            if not library.address_of(name):  # what is elsewhere is not left out: a question tells why it fails
                _check_opens(settings.home, name, library.state(name))
            names.append(name)
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=256)
def _check_opens(home: Path, name: str, state: str) -> None:
    """Open a corpus once in this state, which never changes. Raises SnapshotCorrupt: it differs from its manifest."""
    Library(home).open(name).close()


def corpora_of(settings: Settings) -> tuple[str, ...]:
    """Names of the corpora that the settings name one by one, then those of their knowledge base, each once.

    Raises UsageError: there is no such knowledge base, or it is half-built.
    """
    base = settings.retrieval.knowledge_base
    parts = Bases(settings.home).read(base).corpora if base else ()
    return tuple(dict.fromkeys([*settings.retrieval.corpora, *parts]))


def _starter(library: Library, progress: Progress) -> Store:
    """The starter corpus. Builds it if it is missing or this version cannot use it."""
    if STARTER in library.list():
        try:
            return library.open(STARTER)
        except (ConfigError, SnapshotCorrupt) as error:
            if library.address_of(STARTER):
                raise
            log.warning("the starter corpus is rebuilt: %s", error)
    from medground.graph.starter import build_starter  # it brings the readers, which are slow to import

    build_starter(library, progress)
    return library.open(STARTER)


def _embedder(snapshot: Store, settings: Settings, opened: dict[str, Embedder | None]) -> Embedder | None:
    """The model that made the snapshot's vectors; None if there are none, it is unavailable, or dense search is off.

    It is opened once: `opened` are the models by name.
    """
    embedding = snapshot.manifest.embedding
    if embedding is None or not settings.retrieval.dense:
        return None
    from medground.models.embedders import open_embedder

    if embedding.name not in opened:
        try:
            opened[embedding.name] = open_embedder(embedding.name, settings.home)
        except ConfigError as error:
            log.warning("corpus %s is searched by words alone: %s", snapshot.manifest.name, error)
            opened[embedding.name] = None
    return opened[embedding.name]


@dataclass(repr=False)
class OpenEngine:
    """Settings, recipe, sources and models, and the calls that are under way. `Engine` adds what it can be asked."""

    settings: Settings
    recipe: Recipe
    sources: Sequence[Source]
    models: Models
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    """The clock of its runs."""
    quotes_instead: bool = True
    """Whether a question whose model fails is answered by quotes that were chosen without it."""
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _setups: Setups = field(default_factory=Setups)
    _calls: set[asyncio.Future[None]] = field(default_factory=set)
    _closed: bool = False
    _process: int = field(default_factory=os.getpid)

    def __repr__(self) -> str:
        return brief("Engine", [("recipe", self.recipe.name), ("sources", [source.name for source in self.sources])])

    @classmethod
    async def _opened(cls, settings: Settings, corpora: str | Sequence[str] | None, progress: Progress) -> Self:
        """Open what the settings name; everything that was opened is closed again if something is wrong."""
        if corpora is not None:
            names = (corpora,) if isinstance(corpora, str) else tuple(corpora)
            settings = settings.with_options({"retrieval.corpora": names, "retrieval.knowledge_base": ""})
        elif (usual := await asyncio.to_thread(usual_corpora, settings)) != settings.retrieval.corpora:
            settings = settings.with_options({"retrieval.corpora": usual})
        setup = await set_up(settings)
        try:
            sources = await asyncio.to_thread(open_sources, settings, progress)
        except BaseException:
            await setup.models.close()
            raise
        engine = cls(settings=settings, recipe=setup.recipe, sources=sources, models=setup.models)
        engine._stack.push_async_callback(setup.models.close)
        for source in sources:
            engine._stack.push_async_callback(source.close)
        try:
            await check_sources(setup, sources)
        except BaseException:
            await engine.close()
            raise
        return engine

    async def close(self) -> None:
        """Close sources and models, once the calls under way have ended; cancel them to close at once.

        Safe to call twice, and in a fork, where nothing is closed: it belongs to the process that opened it.
        """
        if os.getpid() != self._process:
            return
        self._closed = True
        if self._calls:
            await asyncio.wait(self._calls)
        await self._setups.close()
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    @property
    def _own(self) -> Setup:
        return Setup(self.settings, self.recipe, self.models)

    async def _setup(self, recipe: str | Recipe | None, model: str | None, settings: Mapping[str, Any] | None) -> Setup:
        """What answers one question; opened and checked where it differs from the engine's own."""
        self._check_open()
        given = {"recipe": (recipe, "recipe.name"), "model": (model, "model.default")}
        named = {key: name_of(what, value) for what, (value, key) in given.items() if value is not None}
        changes = {**(settings or {}), **named}
        setup = self._own
        if changes:
            setup = await self._setups.changed(setup, changes, self.sources)
            self._check_open()  # it may have been closed meanwhile; `close` closes the models
        return replace(setup, settings=with_measured(with_fetched(setup.settings)))

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[None]:
        """A call that uses the sources, which stay open until it has ended."""
        self._check_open()
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._calls.add(ended)
        try:
            yield
        finally:
            self._calls.discard(ended)
            ended.set_result(None)

    def _check_open(self) -> None:
        check_not_forked(self._process)
        if self._closed:
            raise UsageError("this engine is closed; open another one with Engine.open")

    def _run(
        self,
        question: Question,
        setup: Setup,
        recipe: Declaration,
        on_step: OnStep = ignore_steps,
        *,
        notice: Notice | None = None,
        traced: bool = True,
    ) -> Run:
        self._check_open()
        settings = setup.settings
        run_id = f"{trace_stamp(self.now())}{secrets.token_hex(2)[1:]}"
        return Run(
            question=question,
            settings=settings,
            recipe=recipe,
            sources=self.sources,
            models=setup.models,
            trace=Trace(run_id, settings.home / "traces" / f"{run_id}.jsonl" if traced else None, settings),
            on_step=on_step,
            notice=notice,
            now=self.now,
        )

    def _untraced_run(self, question: Question) -> Run:
        """A run with the engine's own settings that leaves no trace, for what is found without a question to answer."""
        return self._run(question, self._own, self.recipe, traced=False)


def trace_stamp(time: datetime) -> str:
    """The beginning of the id of a run that starts at this time (UTC); ids are in order of time."""
    return f"{time:%Y%m%d-%H%M%S}-{time.microsecond:05x}"
