"""Haystack: a retriever as a component."""

from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.home.settings import Settings
from medground.integrations import passages
from medground.integrations.haystack_filters import filters_of
from medground.values.query import Filters

with needing("haystack", "the component for Haystack"):
    from haystack import Document, component, default_to_dict

Given = dict[str, Any] | None
Documents = dict[str, list[Document]]
_PATHS = {"record", "replay"}
"""Settings of retrieval that no pipeline brings: where files are written and read."""


@component
class MedgroundRetriever:
    """Finds passages by `run` and `run_async`; `filters` are Haystack's or Medground's.

    An engine that you gave stays yours to close. A pipeline that was loaded opens its own when it first runs, with the
    retrieval that was dumped and the keys and home folder of this process; `Pipeline.close` closes it.
    """

    def __init__(
        self,
        engine: BlockingEngine | None = None,
        *,
        top_k: int = 10,
        filters: Filters | Given = None,
        retrieval: Given = None,
    ) -> None:
        """`retrieval`: the settings of retrieval of the engine that is opened where none is given."""
        self._engine, self._top_k, self._filters, self._retrieval = engine, top_k, filters_of(filters), retrieval
        self._is_yours = engine is not None

    def warm_up(self) -> BlockingEngine:
        """The engine, which is opened if none was given."""
        if self._engine is None:
            asked = {name: one for name, one in (self._retrieval or {}).items() if name not in _PATHS}
            self._engine = BlockingEngine(Settings.load().with_options({"retrieval": asked}))
        return self._engine

    def close(self) -> None:
        """Close the engine that `warm_up` opened."""
        if self._engine is not None and not self._is_yours:
            self._engine.close()
            self._engine = None

    def to_dict(self) -> dict[str, Any]:
        """As Haystack dumps it: which corpora and sources are searched and how, without keys and paths."""
        filters = self._filters and self._filters.model_dump(mode="json", exclude_defaults=True)
        retrieval = self._retrieval
        if self._engine is not None:
            settings = self._engine.settings
            retrieval = settings.as_read_by(settings.recipe.name)["retrieval"]
        return dict(default_to_dict(self, top_k=self._top_k, filters=filters, retrieval=retrieval))

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, filters: Given = None) -> Documents:
        """The passages for some words, best first; `top_k` and `filters` in place of the component's own."""
        return _found(self.warm_up().run(passages.search, query, *self._limits(top_k, filters)))

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None, filters: Given = None) -> Documents:
        """The same, for a pipeline that is awaited."""
        return _found(await self.warm_up().run_async(passages.search, query, *self._limits(top_k, filters)))

    def _limits(self, top_k: int | None, filters: Given) -> tuple[int, Filters | None]:
        return self._top_k if top_k is None else top_k, filters_of(filters or self._filters)


def _found(found: list[passages.Found]) -> Documents:
    return {
        "documents": [Document(id=key, content=text, meta=meta, score=1 / meta["rank"]) for key, text, meta in found]
    }
