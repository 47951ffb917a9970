"""smolagents: tools that answer questions and find passages."""

from typing import Any

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("smolagents", "the tools for smolagents"):
    from smolagents import Tool, tool


def tools(engine: BlockingEngine, *, limit: int = 10, filters: Filters | None = None) -> list[Tool]:
    """`ask_medground` and `search_medground`, for `CodeAgent(tools=tools(engine), ...)`. You close the engine."""

    @tool
    def ask_medground(question: str) -> str:
        """Answer a biomedical or clinical question from the literature.

        Returns the decision, a rationale whose sentences cite verbatim quotes, and a verdict on each. Cite its sources;
        do not go beyond them.

        Args:
            question: the question, in whole words
        """
        return engine.run(passages.ask, question)[0]

    @tool
    def search_medground(words: str) -> list[dict[str, Any]]:
        """Find passages of the biomedical literature by words: each with its `text`, its document and its place.

        Args:
            words: the words to search for
        """
        return [{"text": text, **about} for _, text, about in engine.run(passages.search, words, limit, filters)]

    return [ask_medground, search_medground]
