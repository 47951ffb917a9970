"""Five tiny sources of different kinds about Marfan syndrome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from asking import Asks, MakeRun, asks

from medground.errors import MedgroundError, SourceUnavailable
from medground.values.document import Document, Hit, Passage, SourceKind
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery
from medground.values.query import Filters
from medground.values.source_plan import SourceDescription

QUESTION = "Which eye problems does Marfan syndrome cause?"
TEXTS: dict[SourceKind, tuple[str, str, str]] = {
    "book": (
        "BOOK:marfan",
        "Connective tissue disorders",
        "Marfan syndrome weakens connective tissue. "
        "Dislocation of the lens is the typical eye problem of Marfan syndrome.",
    ),
    "guideline": (
        "GUIDE:marfan",
        "Care of Marfan syndrome",
        "Adults with Marfan syndrome should have their eyes examined every year, since retinal detachment is common.",
    ),
    "research": (
        "PMID:1",
        "Myopia in Marfan syndrome",
        "We examined 87 patients with Marfan syndrome. "
        "Myopia was the most frequent eye problem and affected 54 of them.",
    ),
    "wiki": (
        "WIKI:marfan",
        "Marfan syndrome",
        "Marfan syndrome is a genetic disorder. People with it tend to be tall and thin.",
    ),
}
PAGE = Document(
    id="HP:marfan",
    title="Marfan syndrome",
    text=(
        "Marfan syndrome: a disorder of connective tissue.\n"
        "Marfan syndrome has phenotype Ectopia lentis, a displacement of the lens of the eye.\n"
        "Marfan syndrome is caused by FBN1."
    ),
    kind="graph",
)
WITHDRAWN = Document(
    id="PMID:9",
    title="Eye problems of Marfan syndrome",
    text="Marfan syndrome never causes eye problems, as this eye study of Marfan syndrome shows.",
    retraction="retracted",
)


def documents(kind: SourceKind) -> list[Document]:
    name, title, text = TEXTS[kind]
    found = [Document(id=name, title=title, text=text, kind=kind)]
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
