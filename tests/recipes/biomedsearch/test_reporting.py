"""Operators of a report: what a model may answer, and what word statistics answer."""

from __future__ import annotations

import pytest
from rows import each_row
from views import sentenced

from medground.models.operators.base import EvidenceView, InvalidOutput, SentencedPassage
from medground.models.operators.reasoning import SubClaim
from medground.models.operators.writing import WrittenSentence
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
    whole = "Does metformin reduce cardiovascular mortality in type 2 diabetes?"
    without = sentenced("P1", "A lifestyle programme did not reduce cardiovascular mortality in type 2 diabetes.")
    named = sentenced("P2", "Cardiovascular mortality in type 2 diabetes was 3.2 %.", title="A register of metformin")
    assert by_words(whole, whole, without, named) == ["P2.S1"]  # the rarest word of the subject is in its title
    whole = "Does metformin prevent hip fractures in osteoporosis?"
    on_subject = sentenced("P1", "Metformin lowered glucose and is taken with meals.")
    answering = sentenced("P2", "In osteoporosis metformin prevented hip fractures in 3 % of patients.")
    assert by_words(whole, whole, on_subject, answering) == ["P2.S1"]
    record = sentenced("P1", "Alzheimer disease 1: dementia and amyloid.", title="APP, Homo sapiens", kind="protein")
    assert by_words("How does loss of APP affect development?", "What does APP do?", record) == []
    other = ASKED.model_copy(update={"question": "Does metformin lower vaspinoreceptin in diabetes?"})
    output = answer_part.keyless(other)
    assert (output.answerable, output.reason, output.claims) == (False, "no passage mentions vaspinoreceptin", ())


@each_row(
    ("output", "message"),
    [
        (AnswerPartOutput(answerable=True, claims=()), "an answerable question has sentences"),
        (AnswerPartOutput(answerable=False, claims=(SubClaim(text="a", sentences=("P1.S1",)),)), "an answerable"),
        (AnswerPartOutput(answerable=True, claims=(SubClaim(text="a", sentences=("P9.S1",)),)), "unknown sentence ids"),
        (AnswerPartOutput(answerable=True, claims=(SubClaim(text="a", sentences=()),)), "names no sentence ids"),
    ],
)
def test_an_answer_names_its_sentences(output: AnswerPartOutput, message: str) -> None:
    with pytest.raises(InvalidOutput, match=message):
        answer_part.check(ASKED, output)


def test_words_connect_by_names_that_nobody_asked_about() -> None:
    value = ConnectInput(question="What does metformin do?", parts=PARTS)
    [found] = connect_parts.keyless(value).connections
    told = (found.first, found.second, found.relation, found.about, found.evidence)
    assert told == ("q1", "q2", "extends", "AMPK", ("E1", "E2"))


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


def test_every_written_sentence_cites() -> None:
    opening = (sentenced("B1", "Metformin is a drug."),)
    value = ComposeReportInput(question="What does metformin do?", task="free", introductions=opening, parts=PARTS)
    assert compose_report.keyless(value).background[0].evidence == ("B1.S1",)
    uncited = ComposeReportOutput(background=(), synthesis=(WrittenSentence(text="a", evidence=()),), answer=())
    with pytest.raises(InvalidOutput, match="every sentence names the ids"):
        compose_report.check(value, uncited)
    strange = ComposeReportOutput(background=(WrittenSentence(text="a", evidence=("E9",)),), synthesis=(), answer=())
    with pytest.raises(InvalidOutput, match="unknown evidence ids E9"):
        compose_report.check(value, strange)
