"""LangChain: a retriever, and a tool that answers questions."""

import asyncio
from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("langchain", "the retriever for LangChain"):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import StructuredTool


class MedgroundRetriever(BaseRetriever):
    """Finds at most `k` passages by `invoke` and `ainvoke`, which take another `k`. The engine stays yours to close."""

    engine: BlockingEngine
    k: int = 10
    filters: Filters | None = None

    def _get_relevant_documents(self, query: str, *, k: int | None = None, **_: Any) -> list[Document]:
        found = self.engine.run(passages.search, query, self.k if k is None else k, self.filters)
        return [Document(id=key, page_content=text, metadata=about) for key, text, about in found]

    async def _aget_relevant_documents(self, query: str, **given: Any) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query, **given)


def ask_tool(engine: BlockingEngine) -> StructuredTool:
    """A tool for `bind_tools` and agents, with or without `await`. Its artifact is the answer as JSON values."""

    def ask(question: str) -> tuple[str, dict[str, Any]]:
        return engine.run(passages.ask, question)

    return StructuredTool.from_function(
        ask, name="ask_medground", description=passages.ABOUT, response_format="content_and_artifact"
    )
