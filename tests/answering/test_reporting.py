"""Quotes that report no finding: questions, aims, hypotheses, what is unknown, titles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.conclude.compose import compose
from medground.answering.run import Run
from medground.answering.verify.check import check_all
from medground.answering.verify.reporting import asks, asks_or_plans, why_not_finding
from medground.answering.write.draft import Draft
from medground.models.operators.verifying import EntailOutput
from medground.values.document import Document
from medground.values.evidence import Sentence

MakeRun = Callable[..., Run]
PAPER = Document(id="PMID:1", title="Aspirin lowers the risk of stroke", text="x")

NOT_FINDINGS = [
    "Does aspirin reduce stroke?",
    "“Does aspirin reduce stroke?”",
    "We aimed to determine whether aspirin reduces stroke.",
    "The primary objectives of this trial were to compare aspirin and placebo in stroke.",
    "OBJECTIVE: To compare aspirin with placebo.",
    "Our hypothesis was that aspirin reduces stroke.",
    "It is unclear whether aspirin reduces stroke.",
    "The benefit of aspirin remains to be established.",
    "This trial will determine if aspirin reduces stroke.",
    "Whether aspirin reduces stroke remains unclear.",
    "The aim was to evaluate the clinical significance of aspirin after Pap smear results.",
    "We conducted a national survey of residents and directors to determine how often aspirin is given.",
    "The hypothesis that aspirin is associated with less stroke was tested.",
]
FINDINGS = [
    "Aspirin reduced the risk of stroke.",
    "The objective response rate was 40 %.",
    "To see whether aspirin helps, we treated 20 patients and found fewer strokes.",
    "The aim was to reduce stroke, and its rate fell by 12 %.",
    "Results confirm the hypothesis that aspirin reduces stroke.",
    "The primary objective was met: aspirin reduced stroke.",
    "Goals of care were documented more often after the intervention.",
    "Aspirin reduced stroke, although its mechanism is unknown.",
    "Colonoscopy performed to find polyps reduces deaths.",
    "Aspirin lowers the risk of stroke in women",
    "Aspirin was designed for stroke, and risk fell significantly.",
]


@each_row("quote", NOT_FINDINGS)
def test_questions_aims_and_hypotheses_report_no_finding(quote: str) -> None:
    assert [why[0] for why in [why_not_finding(quote, PAPER)] if why] == ["purpose"]
    assert asks_or_plans(quote)


@each_row("quote", FINDINGS)
def test_a_result_is_a_finding(quote: str) -> None:
    assert why_not_finding(quote, PAPER) is None


def test_a_title_alone_reports_no_finding() -> None:
    assert why_not_finding("Aspirin lowers the risk of stroke.", PAPER) == ("title", "a title")
    assert why_not_finding("Aspirin lowers the risk of stroke.", Document(id="PMID:2", text="x")) is None


@given(st.text(max_size=200))
def test_any_text_can_be_examined(text: str) -> None:
    assert why_not_finding(text, PAPER) is None or asks_or_plans(text) or text
    assert asks(text + "?")


def judged(
    make_run: MakeRun, scripted_model: Any, quote: str, statement: str, told: str = "related", name: str = "local:small"
) -> Any:
    """A judge that finds every statement entailed, on a paper with this one sentence; `told` of doubts it says that."""

    def judge(value: Any) -> EntailOutput:
        return EntailOutput(relation=told if value.doubts else "entails", best="E1")  # type: ignore[arg-type]

    model = scripted_model({"entail": judge}, name=name)
    options = {"verify.trusted_judges": () if name == "local:small" else (name,), "verify.taxonomy": False}
    run = make_run("Does aspirin reduce stroke?", model=model, by_model=["entail"], options=options)
    run.answered_by["write"] = model.name
    run.ledger.admit([PAPER.model_copy(update={"text": quote})])
    run.ledger.quote("PMID:1", 0, len(quote))
    written = (Sentence(text=statement, evidence=("E1",)),)
    verdicts = asyncio.run(check_all(written, run))
    return compose(run, Draft(sentences=written, answer=("yes",), basis="model"), verdicts)


@each_row("quote", [*NOT_FINDINGS[:4], "Aspirin lowers the risk of stroke."])
@each_row("copied", [False, True])
@each_row("name", ["local:small", "scripted:model"])
def test_no_yes_rests_on_text_without_a_finding(
    make_run: MakeRun, scripted_model: Any, quote: str, copied: bool, name: str
) -> None:
    """A small judge is overruled; a capable one sees the doubt and shares it."""
    written = quote if copied else "Aspirin reduces the risk of stroke."
    answer = judged(make_run, scripted_model, quote, written, name=name)
    (statement,) = answer.statements
    assert statement.verdict.label == ("quoted" if copied else "partly" if name == "scripted:model" else "not judged")
    assert {"purpose", "title"} & set(statement.verdict.flags)
    assert answer.decision.status == "not judged"
    assert "reports no finding" in answer.decision.reason


@each_row("copied", [False, True])
@each_row("quote", ["Aspirin lowers the risk of stroke.", NOT_FINDINGS[4]])
def test_a_capable_judge_that_reads_a_finding_is_not_overruled(
    make_run: MakeRun, scripted_model: Any, quote: str, copied: bool
) -> None:
    written = quote if copied else "Aspirin reduces the risk of stroke."
    answer = judged(make_run, scripted_model, quote, written, told="entails", name="scripted:model")
    assert answer.decision.shown() == "yes"
    assert (answer.statements[0].verdict.label, answer.statements[0].verdict.flags) == (
        "quoted" if copied else "supported",
        (),
    )
    assert "scripted:model was told that it claims a finding" in answer.statements[0].verdict.note


def test_hedges_and_animals_are_reported_beside_the_decision(make_run: MakeRun, scripted_model: Any) -> None:
    hedged = judged(make_run, scripted_model, "Aspirin may lower the risk.", "Aspirin may lower the risk.")
    assert hedged.decision.shown() == "yes"
    assert any("is hedged (may)" in warning for warning in hedged.warnings)
    paper = judged(make_run, scripted_model, "Aspirin lowered it in mice.", "Aspirin lowered it in mice.")
    assert any("about animals or cells (mice)" in warning for warning in paper.warnings)
    plain = judged(make_run, scripted_model, "Aspirin lowered it in patients.", "Aspirin lowered it in patients.")
    assert not any("behind the decision" in warning for warning in plain.warnings)
