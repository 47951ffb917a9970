"""What frameworks get of an engine: passages with their metadata, and answers."""

from typing import Any

from medground.engine.engine import Engine
from medground.errors import UserMistake
from medground.values.query import Filters

ABOUT = (
    "Answer a biomedical or clinical question from the literature. Returns the decision, a rationale whose sentences "
    "cite verbatim quotes, and a verdict on each. Cite its sources; do not go beyond them."
)
Found = tuple[str, str, dict[str, Any]]
"""The key of a passage, its text, and what is known of it."""
_OWN = {"document_id", "start", "end", "section", "page", "title", "year", "kind", "publication_types", "retraction"}


async def search(engine: Engine, query: str, limit: int, filters: Filters | None = None) -> list[Found]:
    """Passages, best first: the key of each, its text, and its document, place, PMID, retraction and more, as far as
    they are known. Words that show a risk of self-harm find none; `ask` says whom to contact."""
    found = []
    for hit in (await engine.search(query, limit=limit, filters=filters)).hits:
        passage = hit.passage
        about = dict(name.split(":", 1) for name in passage.paper)  # pmid, pmc, doi
        about |= passage.model_dump(mode="json", include=_OWN, exclude_none=True)
        found.append((passage.key, passage.text, about | {"source": hit.source, "rank": hit.rank}))
    return found


async def ask(engine: Engine, question: str) -> tuple[str, dict[str, Any]]:
    """The answer to a question: a text, and the whole answer as JSON values. A wrong call gives its error."""
    try:
        answer = await engine.ask(question)
    except UserMistake as mistake:
        return f"Error: {mistake}", {}
    return str(answer), answer.model_dump(mode="json")
