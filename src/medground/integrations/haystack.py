"""Haystack: a retriever as a component."""

from __future__ import annotations

from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("haystack", "the component for Haystack"):
    from haystack import Document, component


@component
class MedgroundRetriever:
    """Finds passages by `run` and `run_async`. You close the engine; a pipeline with it is not serialised."""

    def __init__(self, engine: BlockingEngine, *, top_k: int = 10, filters: Filters | None = None) -> None:
        self._engine, self._top_k, self._filters = engine, top_k, filters

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The passages for some words, best first."""
        found = self._engine.run(passages.search, query, top_k or self._top_k, self._filters)
        return {"documents": [_document(*one) for one in found]}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The same, for a pipeline that is awaited."""
        found = await self._engine.run_async(passages.search, query, top_k or self._top_k, self._filters)
        return {"documents": [_document(*one) for one in found]}


def _document(key: str, text: str, about: dict[str, Any]) -> Document:
    return Document(id=key, content=text, meta=about, score=1 / about["rank"])
