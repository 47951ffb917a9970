"""LlamaIndex: a retriever."""

from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("llamaindex", "the retriever for LlamaIndex"):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class MedgroundRetriever(BaseRetriever):
    """Finds passages by `retrieve` and `aretrieve`. The engine stays yours to close."""

    def __init__(self, engine: BlockingEngine, *, top_k: int = 10, filters: Filters | None = None) -> None:
        super().__init__()
        self._engine, self._limits = engine, (top_k, filters)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(*one) for one in self._engine.run(passages.search, query_bundle.query_str, *self._limits)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._engine.run_async(passages.search, query_bundle.query_str, *self._limits)
        return [_node(*one) for one in found]


def _node(key: str, text: str, about: dict[str, Any]) -> NodeWithScore:
    return NodeWithScore(node=TextNode(id_=key, text=text, metadata=about), score=1 / about["rank"])
