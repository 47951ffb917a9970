"""pydantic-ai: a toolset that answers questions and finds passages."""

from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("models", "the toolset for pydantic-ai"):
    from pydantic_ai import Tool, ToolReturn
    from pydantic_ai.toolsets import FunctionToolset


def toolset(engine: BlockingEngine, *, limit: int = 10, filters: Filters | None = None) -> FunctionToolset[Any]:
    """`Agent(..., toolsets=[toolset(engine)])`, for `run` and `run_sync`. An answer's metadata is its JSON values."""

    async def ask_medground(question: str) -> ToolReturn:
        text, answer = await engine.run_async(passages.ask, question)
        return ToolReturn(return_value=text, metadata=answer)

    async def search_medground(words: str) -> list[dict[str, Any]]:
        """Find passages of the biomedical literature by words. Returns each with its document and its place."""
        found = await engine.run_async(passages.search, words, limit, filters)
        return [{"text": text, **about} for _, text, about in found]

    return FunctionToolset([Tool(ask_medground, description=passages.ABOUT), search_medground])
