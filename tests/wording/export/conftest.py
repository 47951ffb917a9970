"""Answers to export: one with two papers, and one of whatever a document may say."""

from collections.abc import Callable
from typing import Any

import pytest
from plain_answer import plain_answer

from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.values.statement import Statement, Verdict

TRIAL = SourceDocument(
    id="PMID:1",
    title="A trial of aspirin & statins in 10% of {men}",
    kind="research",
    year=2001,
    journal="Lancet",
    authors=("van der Berg JA", "Müller K", "The Aspirin Trial Group"),
    identifiers={"doi": "https://doi.org/10.1016/S0140-6736(01)05627-6", "pmc": "12"},
    imprint={"volume": "357", "issue": "9250", "pages": "10-2"},
)
PAGE = SourceDocument(id="DOI:10.1000/x", title="Statins", kind="web", url="https://example.org/a?x=1&y=2")
UNQUOTED = SourceDocument(id="PMID:9", title="Found, but not cited", kind="research", retraction="retracted")


def answer_from(*documents: SourceDocument, quotes: tuple[str, ...] = (), **changes: Any) -> Answer:
    """An answer that quotes each document, with a quote on page 3 of the first."""
    evidence: list[Evidence] = []
    for n, document in enumerate(documents, start=1):
        text = quotes[n - 1] if quotes else f"Quote of {document.id}."
        place: dict[str, Any] = {"start": 0, "end": len(text), "section": "RESULTS", "page": 3 if n == 1 else None}
        evidence.append(Evidence(id=f"E{n}", document_id=document.id, quote=text, **place))
    rationale, verdict = "It works.", Verdict(label="related", critic="keyless")
    cited = tuple(quote.id for quote in evidence)
    said = Statement(text=rationale, start=0, end=len(rationale), evidence=cited, verdict=verdict)
    content = {"rationale": rationale, "statements": (said,), "evidence": tuple(evidence), "documents": documents}
    return plain_answer(**(content | changes))


@pytest.fixture(scope="session")
def answered() -> Callable[..., Answer]:
    """Makes an answer that quotes documents."""
    return answer_from


@pytest.fixture
def answer() -> Answer:
    """An answer that quotes two sources and lists a retracted one."""
    found = answer_from(TRIAL, PAGE)
    return found.model_copy(update={"documents": (*found.documents, UNQUOTED)})
