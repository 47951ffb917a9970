"""Answers to print: a small one to vary, and one with everything that an answer can hold."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from plain_answer import plain_answer

from medground.values.answer import Answer, Search, SnapshotReference, SourceDocument
from medground.values.decision import SingleChoiceDecision
from medground.values.evidence import Evidence
from medground.values.question import Question
from medground.values.statement import Conflict, Dropped, Side, Statement, Verdict
from medground.values.usage import UsageReport

TEXT = "Aspirin prevents stroke."
QUOTES = (
    Evidence(id="E1", document_id="PMID:1", start=10, end=37, quote="Aspirin may prevent stroke.", section="RESULTS"),
    Evidence(id="E2", document_id="PMID:2", start=0, end=31, quote="Aspirin did not [prevent] <it>."),
)
TYPES = ("Journal Article", "Randomized Controlled Trial")
TRIAL = SourceDocument(
    id="PMID:1", title="A trial.", kind="research", year=2001, journal="Lancet", publication_types=TYPES
)
COHORT = SourceDocument(id="PMID:2", title="A [cohort](x)", kind="research", retraction="concern")
PAGE = SourceDocument(id="DOI:10.1/x", title="Statins", kind="web", url="https://example.org/a(b)?x=1&y=2")
ERRATUM = SourceDocument(id="PMID:4", title="Erratum: Aspirin", kind="research")
RETRACTED = SourceDocument(id="PMID:5", title="Aspirin cures all", kind="research", retraction="retracted")


@pytest.fixture
def make_answer() -> Callable[..., Answer]:
    """An answer of one sentence that cites E1, with fields changed as needed."""

    def make(verdict: Verdict | None = None, **changes: Any) -> Answer:
        said = verdict or Verdict(label="related", critic="keyless")
        content: dict[str, Any] = {
            "rationale": f"{TEXT} [E1]",
            "statements": (Statement(text=TEXT, start=0, end=len(TEXT), evidence=("E1",), verdict=said),),
            "evidence": QUOTES,
            "documents": (TRIAL, COHORT),
        }
        return plain_answer(**(content | changes))

    return make


@pytest.fixture
def full(make_answer: Callable[..., Answer]) -> Answer:
    """An answer with clauses, all kinds of verdicts, conflicts, failures and a stop."""
    rationale = "Aspirin prevents stroke, and it raises bleeding. [E1][E2] It is safe. [E3] Statin text here. [E4]"

    def said(text: str, *evidence: str, **verdict: Any) -> Statement:
        start = rationale.index(text)
        found = Verdict(**verdict)
        return Statement(text=text, start=start, end=start + len(text), evidence=evidence, verdict=found)

    def conflict(found_by: str, *stances: Any) -> Conflict:
        sides = tuple(Side(stance=s, evidence=(q.id,)) for s, q in zip(stances, QUOTES, strict=True))
        return Conflict(about="aspirin, stroke", sides=sides, found_by=found_by)

    partly: dict[str, Any] = {"label": "partly", "critic": "nli:small", "probability": 0.87, "best": "E1"}
    partly |= {"flags": ("certainty",), "note": "says more than its source: the source says `may`"}
    partly |= {"category": "INCORRECT-ILLOGICAL", "labelled_by": "nli:small", "error_source": "generation"}
    entailed = "assessed by m (not validated here): entails"
    return make_answer(
        question=Question.ask("Does aspirin prevent stroke?", options=["Yes, in most patients", "No"]),
        decision=SingleChoiceDecision(status="decided", value="A", basis="model"),
        rationale=rationale,
        statements=(
            said("Aspirin prevents stroke,", "E1", "E2", **partly),
            said("and it raises bleeding.", "E1", "E2", label="not found", critic="nli:small", probability=0.9),
            said("It is safe.", "E3", label="not judged", critic="m", note=entailed),
            said("Statin text here.", "E4", label="quoted", critic="verbatim", best="E4", flags=("purpose",)),
        ),
        evidence=(
            *QUOTES,
            Evidence(id="E3", document_id="PMID:2", start=40, end=50, quote="Safe? Yes."),
            Evidence(id="E4", document_id="DOI:10.1/x", start=7, end=24, quote="Statin text\nhere.", section="Aims"),
        ),
        documents=(COHORT, TRIAL, PAGE, ERRATUM, RETRACTED),
        dropped=(Dropped(text="Aspirin cures all.", reason="contradicted: it does not"),),
        conflicts=(conflict("openai:gpt-5", "supports", "contradicts"), conflict("m", "unknown", "unknown")),
        support=0.25,
        faithfulness=0.5,
        searches=(
            Search(source="corpus:papers", query="aspirin[mesh]", status="found", hits=12),
            Search(source="corpus:papers", query="stroke[mesh]", status="empty"),
            Search(source="pubmed", query="aspirin", status="failed", error="no reply in 30 s"),
        ),
        warnings=("no quote mentions `statins`",),
        models={"respond": "openai:gpt-5", "extract": "keyless"},
        usage=UsageReport(
            input_tokens=12345, output_tokens=20, model_calls=3, cached_calls=1, seconds=2.5, price=Decimal("0.012")
        ),
        snapshots=(SnapshotReference(name="papers", hash="f" * 64),),
        stopped="the budget of 20,000 tokens is used",
    )
