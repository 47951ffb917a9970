"""The paragraphs of a report."""

from datetime import UTC, datetime
from typing import Any

from medground.answer import Answer, FreeDecision, SourceDocument, Statement, Verdict
from medground.evidence import Evidence
from medground.question import Question
from medground.report import Report, ReportSection
from medground.research_plan import ResearchPlan, SubQuestion
from medground.write.paragraphs import paragraphs, report_paragraphs

RATIONALE = "Aspirin is old. [E1] It helps. [E1] It harms. [E2]"


def _statement(text: str, quote: str) -> Statement:
    start = RATIONALE.index(text)
    verdict = Verdict(label="related", critic="keyless")
    return Statement(text=text, start=start, end=start + len(text), evidence=(quote,), verdict=verdict)


def _answer(**changes: Any) -> Answer:
    plan = ResearchPlan(question="Aspirin?", subquestions=(SubQuestion(id="q1", text="Does it help?"),))
    sections = (
        ReportSection(kind="background", title="Background", start=0, end=20),
        ReportSection(kind="findings", title="Does it help?", start=21, end=len(RATIONALE), subquestion="q1"),
        ReportSection(kind="limitations", title="Limitations", start=len(RATIONALE), end=len(RATIONALE), notes=("x",)),
    )
    quotes = tuple(Evidence(id=f"E{n}", document_id="PMID:1", start=n, end=n + 1, quote=str(n)) for n in (1, 2))
    return Answer(
        **{
            "id": "a",
            "question": Question.ask("Aspirin?"),
            "decision": FreeDecision(status="not judged"),
            "rationale": RATIONALE,
            "statements": (
                _statement("Aspirin is old.", "E1"),
                _statement("It helps.", "E1"),
                _statement("It harms.", "E2"),
            ),
            "evidence": quotes,
            "documents": (SourceDocument(id="PMID:1", title="A", kind="research"),),
            "report": Report(plan=plan, sections=sections),
            "recipe": "biomedsearch",
            "settings_hash": "0",
            "trace_id": "t",
            "created": datetime(2026, 1, 1, tzinfo=UTC),
        }
        | changes
    )


def test_each_section_with_statements_is_a_paragraph() -> None:
    assert report_paragraphs(_answer()) == ["Aspirin is old.", "It helps. It harms."]
    last = paragraphs(_answer())[-1]
    assert (RATIONALE[last.start : last.end], last.title, last.evidence) == (
        "It helps. [E1] It harms. [E2]",
        "Does it help?",
        ("E1", "E2"),
    )


def test_an_answer_without_a_report_has_none() -> None:
    assert report_paragraphs(_answer(report=None)) == []
