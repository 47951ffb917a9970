"""Five tiny sources of different kinds about Marfan syndrome."""

from collections.abc import Sequence
from typing import Any

import pytest
from asked_questions import Asks, MakeRun, asks
from rows import tables

from medground.errors import MedgroundError, SourceUnavailable
from medground.values.document import Document, Hit, Passage, SourceKind
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery
from medground.values.query import Filters
from medground.values.source_plan import SourceDescription

TABLES = tables(__file__)

QUESTION = "Which eye problems does Marfan syndrome cause?"
TEXTS: dict[SourceKind, dict[str, str]] = TABLES["texts"]
PAGE = Document.model_validate(TABLES["page"])
WITHDRAWN = Document.model_validate(TABLES["withdrawn"])


def documents(kind: SourceKind) -> list[Document]:
    found = [Document.model_validate(TEXTS[kind] | {"kind": kind})]
    return [*found, WITHDRAWN] if kind == "research" else found


class LinesOfAGraph:
    """A graph of one concept: every line of its page is a passage; the best for the question come first."""

    kinds: frozenset[SourceKind] = frozenset(["graph"])
    state = None
    described = SourceDescription.of_kind("graph")

    def __init__(self, name: str = "graph:tiny") -> None:
        self.name = name
        self.asked: list[ConceptQuery] = []

    def accepts(self, lookup: Lookup) -> bool:
        return isinstance(lookup.asked, ConceptQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        assert isinstance(lookup.asked, ConceptQuery)
        self.asked.append(lookup.asked)
        if lookup.asked.term.casefold() != "marfan syndrome":
            return Found(lookup, self.name, notes=("no such concept; nearest: Marfan syndrome",))
        passages, start = [], 0
        for line in PAGE.text.split("\n"):
            passage = Passage(
                document_id=PAGE.id, start=start, end=start + len(line), text=line, title=PAGE.title, kind="graph"
            )
            passages.append(passage)
            start += len(line) + 1
        hits = [
            Hit(passage=one, ranker="concept", rank=rank, score=1 / rank, source=self.name)
            for rank, one in enumerate(passages, start=1)
        ]
        return Found(lookup, self.name, rankings=(tuple(hits[: lookup.limit]),))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        return {PAGE.id: PAGE} if PAGE.id in ids else {}

    async def close(self) -> None:
        return None


def five(memory_source: Any, *, without: Sequence[str] = (), fails: Sequence[str] = ()) -> list[Any]:
    """The sources, without some of them, and with some that cannot be searched."""

    class Described(memory_source):  # type: ignore[misc]
        def __init__(self, kind: SourceKind, error: MedgroundError | None) -> None:
            super().__init__(documents(kind), name=f"corpus:omni.{kind}", fails=error)
            self.described = SourceDescription.of_kind(kind)

        def accepts(self, lookup: Lookup) -> bool:
            return not isinstance(lookup.asked, PlainWords | ProteinQuery | ConceptQuery)

    sources: list[Any] = [
        Described(kind, SourceUnavailable("its disk is gone", source=f"corpus:omni.{kind}") if kind in fails else None)
        for kind in TEXTS
        if kind not in without
    ]
    return sources if "graph" in without else [*sources, LinesOfAGraph()]


@pytest.fixture
def ask(make_run: MakeRun, memory_source: Any, scripted_model: Any) -> Asks:
    """Asks `omni-rag` over the five sources, or over others."""
    return asks(scripted_model, make_run, "omni-rag", lambda: five(memory_source), QUESTION)
