"""DSPy: a retriever, and a tool that answers questions."""

from collections.abc import Callable

from medground.engine.blocking import BlockingEngine
from medground.errors import needing
from medground.integrations import passages
from medground.values.query import Filters

with needing("dspy", "the retriever for DSPy"):
    import dspy


def retriever(engine: BlockingEngine, *, k: int = 10, filters: Filters | None = None) -> Callable[..., dspy.Prediction]:
    """Finds `passages` and their `metadata`, in the same order: `search = retriever(engine)`, `search("yoga", k=3)`.

    It is a tool too: `dspy.ReAct(..., tools=[search])`. The engine stays yours to close.
    """

    def search_medground(query: str, k: int = k) -> dspy.Prediction:
        """Find at most `k` passages of the biomedical literature by words, best first."""
        found = engine.run(passages.search, query, k, filters)
        return dspy.Prediction(passages=[text for _, text, _ in found], metadata=[about for *_, about in found])

    return search_medground


def ask_tool(engine: BlockingEngine) -> dspy.Tool:
    """A tool for `dspy.ReAct` and other modules, with or without `await`: the text of an answer with its citations."""

    def ask(question: str) -> str:
        return engine.run(passages.ask, question)[0]

    return dspy.Tool(ask, name="ask_medground", desc=passages.ABOUT)
