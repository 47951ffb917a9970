"""A report of what was found: its sections by words and by a model, its counts and its limits."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from refusals import refused
from researched import (
    BLOG,
    HORMONES,
    PLAN,
    PREPRINT,
    PROTEIN,
    QUESTION,
    RECIPE,
    SEXES,
    SLEEP,
    documents_of,
    found,
    reported,
    tool,
)
from rows import each_row
from scripted_capable import checks
from views import sentenced

from medground.answering.run import Run
from medground.answering.write.choice import report_paragraphs
from medground.errors import ModelFailed
from medground.models.operators.base import EvidenceView, InvalidOutput, SentencedPassage
from medground.models.operators.reasoning import SubClaim
from medground.models.operators.writing import WrittenSentence
from medground.recipes.biomedsearch.report import write_report
from medground.recipes.biomedsearch.reporting import (
    AnswerPartInput,
    AnswerPartOutput,
    ComposeReportInput,
    ComposeReportOutput,
    Connected,
    ConnectInput,
    ConnectOutput,
    PartView,
    answer_part,
    compose_report,
    connect_parts,
)
from medground.values.answer import Answer
from medground.values.report import Report, ReportSection, SubFound

MakeRun = Callable[..., Run]


def _report(answer: Answer) -> Report:
    assert answer.report is not None
    return answer.report


def _said(answer: Answer, section: ReportSection) -> list[str]:
    return [s.text for s in answer.statements if section.start <= s.start and s.end <= section.end]


def _finding(answer: Answer, subquestion: str) -> ReportSection:
    return next(one for one in _report(answer).sections if one.subquestion == subquestion)


def _notes(answer: Answer, kind: str) -> tuple[str, ...]:
    return next(one.notes for one in _report(answer).sections if one.kind == kind)


def test_a_report_of_quotes(make_run: MakeRun) -> None:
    answer, _ = reported(make_run, found())
    report = _report(answer)
    kinds = [section.kind for section in report.sections]
    assert kinds == [*["findings"] * 3, "limitations", "searched"]
    assert _said(answer, _finding(answer, "q1")) == [
        "The cyp17a1 knockout lowered the hormones cortisol and 11-ketotestosterone by 87 % in zebrafish."
    ]
    assert PROTEIN.text.splitlines()[0] in _said(answer, _finding(answer, "q3"))
    assert {statement.verdict.label for statement in answer.statements} == {"quoted"}
    assert answer.decision.status == "not judged"
    # its parts follow the rationale, and those with statements are its paragraphs
    sections = [one for one in report.sections if one.start < one.end]
    assert " ".join(answer.rationale[one.start : one.end] for one in sections) == answer.rationale
    assert report_paragraphs(answer) == [" ".join(_said(answer, one)) for one in sections if _said(answer, one)]
    assert len(report_paragraphs(answer)) == 3
    assert report.connections == ()  # whether findings hang together no statistics of words tell


def test_the_words_of_a_quote_stand_once_and_another_part_only_below_an_answer(make_run: MakeRun) -> None:
    again = SEXES.model_copy(update={"id": "PMID:8", "text": HORMONES.text})
    one, other, *_ = PLAN.subquestions
    items = [
        SubFound(one, (tool("q1", "literature", [HORMONES]),)),
        SubFound(other, (tool("q2", "literature", [again]),)),
    ]
    answer, _ = reported(make_run, items, known=[again])
    texts = [statement.text for statement in answer.statements]
    assert len(texts) == len(set(texts)) > 0
    asked = PLAN.model_copy(update={"question": "Does cyp17a1 knockout cure Hartlow syndrome in zebrafish?"})
    run = make_run(asked.question, recipe=RECIPE)
    run.ledger.admit([HORMONES, SEXES])
    items = [
        SubFound(one, (tool("q1", "literature", [HORMONES]),)),
        SubFound(other, (tool("q2", "literature", [SEXES]),)),
    ]
    answer = asyncio.run(write_report(asked, items, run, unasked=["q2"]))
    assert answer.decision.unmentioned
    assert [section.subquestion for section in _report(answer).sections if section.kind == "findings"] in ([], ["q1"])


def test_what_limits_a_report_is_told(make_run: MakeRun) -> None:
    answer, _ = reported(make_run, found())
    last = _report(answer).subanswers[-1]
    assert (last.state, last.reason) == ("not answerable", "no passage mentions cyp17a1 or zebrafish")
    limits = _notes(answer, "limitations")
    assert limits[0] == f"Nothing was found that answers: “{PLAN.subquestions[3].text}”"
    assert limits[1].startswith("Not searched: Brave is not configured")
    assert any(note.endswith("BRAVE (missed for q2, q4).") for note in _notes(answer, "searched"))
    assert any("1 sentence rests on web pages alone" in note for note in limits)
    said = _said(answer, _finding(answer, "q2"))  # web pages come last, unless experience is asked for
    assert said[-1].startswith("Every zebrafish of my cyp17a1 knockout") and len(said) > 1
    asked = PLAN.model_copy(update={"question": "What are people's personal experiences with cyp17a1 zebrafish?"})
    answer, _ = reported(make_run, found(), plan=asked)
    assert _said(answer, _finding(answer, "q2"))[0].startswith("Every zebrafish")


def test_counts_and_what_was_read(make_run: MakeRun) -> None:
    answer, _ = reported(make_run, found())
    report = _report(answer)
    rows = {(row.subquestion, row.tool): row for row in report.flow}
    assert ("q4", "web") not in rows  # it was not searched
    assert rows["q2", "literature"].cited == 2  # the preprint and the paper are one work
    assert report.read == (SLEEP.id,)
    assert {document.id for document in answer.documents} == {HORMONES.id, SEXES.id, BLOG.id, PROTEIN.id, SLEEP.id}
    searched = _notes(answer, "searched")
    assert searched[0] == "Literature, for 4 sub-questions: 10 records found, 5 filtered out, 5 kept, 3 cited."
    assert searched[-2:] == ("a cycle was broken between sleep and cortisol.", "2 organisms have Cyp17a1.")


def test_a_preprint_of_a_retracted_paper_is_not_read(make_run: MakeRun) -> None:
    gone = SEXES.model_copy(update={"retraction": "retracted"})
    one = SubFound(PLAN.subquestions[1], (tool("q2", "literature", [gone, PREPRINT]),))
    run = make_run(QUESTION)
    run.ledger.admit([gone, PREPRINT])
    answer, run = reported(make_run, [one], known=[gone])
    assert answer.decision.status == "unanswerable" and not answer.statements
    assert f"{PREPRINT.id} is a version of a retracted paper, so it is not used as evidence" in run.warnings


def test_nothing_found_calls_no_writer_and_a_failure_is_no_empty_result(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model({})
    counts = {"found": 7, "filtered": 7}
    nothing = [SubFound(one, (tool(one.id, "literature", [], counts=counts),)) for one in PLAN.subquestions]
    answer, _ = reported(make_run, nothing, model=model, by_model=["answer_part", "compose_report"])
    assert answer.decision.status == "unanswerable"
    assert answer.decision.reason == (
        "nothing was found for any of the 4 sub-questions "
        "(literature: 28 records found, 28 filtered out, 0 kept, 0 cited)"
    )
    assert [one.state for one in _report(answer).subanswers] == ["not answerable"] * 4

    why = {"state": "failed", "failures": ("Europe PMC: no reply in 30 s",)}
    failed = [SubFound(one, (tool(one.id, "literature", [], **why),)) for one in PLAN.subquestions]
    answer, _ = reported(make_run, failed)
    reason = "nothing could be searched: Europe PMC: no reply in 30 s (missed for q1, q2, q3, q4)"
    assert answer.decision.reason == reason
    assert [one.state for one in _report(answer).subanswers] == ["failed"] * 4 and not _report(answer).flow


def _answers(value: AnswerPartInput) -> AnswerPartOutput:
    if "sleep" in value.question:
        said = SubClaim(text="Mice slept.", sentences=(value.passages[0].sentences[0].id,))
        return AnswerPartOutput(answerable=False, reason="only mice were studied", claims=(said,))  # contradicts itself
    kind, word = ("protein", "") if "protein" in value.question else ("research", "knockout")
    line = next(s.id for p in value.passages for s in p.sentences if p.kind == kind and word in s.text)
    return AnswerPartOutput(
        answerable=True, claims=(SubClaim(text="The knockout lowered hormones.", sentences=(line,)),)
    )


def _connects(value: Any) -> ConnectOutput:
    first, second = value.parts[:2]
    quotes = (first.quotes[0].id, second.quotes[0].id)
    found = Connected(first=first.id, second=second.id, relation="supports", about="male fish", evidence=quotes)
    return ConnectOutput(connections=(found,))


def _composes(value: Any) -> ComposeReportOutput:
    quote = value.parts[0].quotes[0].id
    return ComposeReportOutput(
        background=(WrittenSentence(text="The gene lies on chromosome 13.", evidence=(quote,)),),
        synthesis=(WrittenSentence(text="Hormones fall without it.", evidence=(quote,)),),
        answer=("Hormones fall without it.",),
        form="sentence",
    )


BY_MODEL = ["answer_part", "connect_parts", "compose_report"]


def test_a_report_by_a_model(make_run: MakeRun, scripted_model: Any) -> None:
    script = {"answer_part": _answers, "connect_parts": _connects, "compose_report": _composes}
    script["check"] = checks(lambda asked: asked.is_("entails", asked.evidence[0].id, settles="lowered the hormones"))
    answer, _ = reported(make_run, found(), model=scripted_model(script), by_model=[*BY_MODEL, "check"])
    report = _report(answer)
    said = {section.kind: _said(answer, section) for section in report.sections}
    assert said["background"] == ["The gene lies on chromosome 13."]
    assert said["synthesis"] == ["Hormones fall without it."]
    assert _said(answer, _finding(answer, "q3"))[0].startswith("Function: Catalyzes")  # not the model's words
    assert report.connections[0].relation == "supports" and report.connections[0].found_by == "scripted:model"
    assert report.subanswers[3].reason == "only mice were studied"
    assert answer.decision.status == "decided"


def test_a_model_that_fails_on_a_part_leaves_that_part_out(make_run: MakeRun, scripted_model: Any) -> None:
    def answers(value: AnswerPartInput) -> AnswerPartOutput:
        if "hormones" in value.question:
            raise ModelFailed("no usable output", model="scripted")
        return _answers(value)

    script = {"answer_part": answers, "connect_parts": _connects, "compose_report": ModelFailed("no", model="scripted")}
    answer, run = reported(make_run, found(), model=scripted_model(script), by_model=BY_MODEL)
    assert [one.state for one in _report(answer).subanswers][:2] == ["not answerable", "answered"]
    assert any("background, synthesis and answer: word statistics did this part" in warning for warning in run.warnings)


def test_a_report_so_far_is_made_of_quotes_and_asks_nobody(make_run: MakeRun, scripted_model: Any) -> None:
    run = make_run(QUESTION, recipe=RECIPE, model=scripted_model({}), by_model=BY_MODEL)
    run.ledger.admit(documents_of(found()))
    answer = asyncio.run(write_report(PLAN, found(), run, "the budget of 2 calls is used"))
    assert answer.stopped and "ended early" in _notes(answer, "limitations")[0]
    assert {statement.verdict.label for statement in answer.statements} == {"quoted"}
    assert run.usage.model_calls == 0


ASKED = AnswerPartInput(
    question="Does metformin lower blood pressure in diabetes?",
    part_of="What are the effects of metformin in diabetes?",
    passages=(
        sentenced("P1", "Metformin lowered blood pressure by 4 mm Hg in diabetes.", "It was measured twice."),
        sentenced("P2", "Metformin lowered weight in diabetes significantly."),
        sentenced("P3", "Losartan lowered blood pressure by 9 mm Hg."),
    ),
)
Q1 = (EvidenceView(id="E1", quote="Metformin activates AMPK in the liver."),)
Q2 = (EvidenceView(id="E2", quote="Weight fell by way of AMPK."), EvidenceView(id="E3", quote="No."))
PARTS = (
    PartView(id="q1", question="Does metformin lower glucose?", answer=("It activates AMPK.",), quotes=Q1),
    PartView(id="q2", question="Does metformin lower weight?", answer=("AMPK lowers weight.",), quotes=Q2),
)


def by_words(question: str, part_of: str, *passages: SentencedPassage) -> list[str]:
    asked = AnswerPartInput(question=question, part_of=part_of, passages=passages)
    output = answer_part.keyless(asked)
    answer_part.check(asked, output)
    return [claim.sentences[0] for claim in output.claims]


def test_words_take_sentences_on_the_subject_and_on_the_part() -> None:
    asked = ASKED.question, ASKED.part_of
    assert by_words(*asked, *ASKED.passages) == ["P1.S1"]
    record = sentenced("P4", "Length: 9.", "Disease: low blood pressure.", title="MET protein", kind="protein")
    assert by_words(*asked, record, *ASKED.passages) == ["P1.S1", "P4.S2"]  # lines of a record come after texts
    whole = "Does metformin prevent hip fractures in osteoporosis?"
    on_subject = sentenced("P1", "Metformin lowered glucose and is taken with meals.")
    answering = sentenced("P2", "In osteoporosis metformin prevented hip fractures in 3 % of patients.")
    assert by_words(whole, whole, on_subject, answering)[0] == "P2.S1"
    harms = "What are the adverse effects of metformin in osteoporosis?"
    assert by_words(harms, whole, on_subject, answering) == []  # about its things, and nothing of what it asks of them
    harmful = sentenced("P3", "The most common adverse effect of metformin was nausea.", title="Osteoporosis")
    assert by_words(harms, whole, answering, harmful) == ["P3.S1"]
    beside = sentenced(
        "P4",
        "The most common adverse effect was a rash.",
        "It is an adverse effect of metformin.",
        title="Osteoporosis",
    )
    assert by_words(harms, whole, answering, beside) == []  # one names no metformin, one is read with what is before it
    record = sentenced("P1", "Alzheimer disease 1: dementia and amyloid.", title="APP, Homo sapiens", kind="protein")
    assert by_words("How does loss of APP affect development?", "What does APP do?", record) == []
    other = ASKED.model_copy(update={"question": "Does metformin lower vaspinoreceptin in diabetes?"})
    output = answer_part.keyless(other)
    assert (output.answerable, output.reason, output.claims) == (False, "no passage mentions vaspinoreceptin", ())


@each_row(
    ("output", "message"),
    [
        (AnswerPartOutput(answerable=True, claims=(SubClaim(text="a", sentences=("P9.S1",)),)), "unknown sentence ids"),
        (AnswerPartOutput(answerable=True, claims=(SubClaim(text="a", sentences=()),)), "names no sentence ids"),
    ],
)
def test_an_answer_names_its_sentences(output: AnswerPartOutput, message: str) -> None:
    refused(InvalidOutput, message, answer_part.check, ASKED, output)


@each_row(
    ("first", "second", "evidence", "message"),
    [
        ("q1", "q7", ("E1", "E2"), "between two of q1, q2"),
        ("q1", "q2", ("E1", "E9"), "E9 is not a quote"),
        ("q1", "q2", ("E2", "E3"), "a quote of each side"),
    ],
)
def test_a_connection_has_a_quote_of_each_side(
    first: str, second: str, evidence: tuple[str, ...], message: str
) -> None:
    one = Connected(first=first, second=second, relation="supports", about="x", evidence=evidence)
    with pytest.raises(InvalidOutput, match=message):
        connect_parts.check(ConnectInput(question="?", parts=PARTS), ConnectOutput(connections=(one,)))


def test_written_sentences_cite_quotes_that_were_shown() -> None:
    value = ComposeReportInput(question="What does metformin do?", task="free", parts=PARTS)
    strange = ComposeReportOutput(background=(WrittenSentence(text="a", evidence=("E9",)),), synthesis=(), answer=())
    refused(InvalidOutput, "unknown evidence ids E9", compose_report.check, value, strange)
