"""Numbers that a statement gives for another group or outcome than the quote does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row

from medground.answering.captions import verdict as worded
from medground.answering.run import Run
from medground.answering.verify.check import check_all
from medground.answering.verify.numbers import binding, misplaced_number
from medground.language.slots import slots
from medground.models.operators.verifying import EntailOutput
from medground.values.document import Document
from medground.values.evidence import Sentence

MakeRun = Callable[..., Run]
AFTER = "Nausea occurred in 12% of patients with ondansetron and in 30% with placebo (P = 0.01)."
BEFORE = "In the ondansetron group nausea occurred in 12%, whereas in the placebo group it occurred in 30%."
LISTS = "Nausea was less common with ondansetron than with placebo (12% vs. 30%, 95% CI 8 to 28)."
NAMES = "Ondansetron, metoclopramide, and placebo were followed by nausea in 12, 20, and 30%, respectively."
OUTCOMES = "With ondansetron 12% had nausea; headache was reported by 30%."


@each_row("quote", [AFTER, BEFORE, LISTS, NAMES])
@each_row(
    ("statement", "said"),
    [
        ("Nausea was seen in 12% on ondansetron and 30% on placebo.", "agrees"),
        ("The rate was 30% on placebo and 12% on ondansetron.", "agrees"),
        ("Nausea was seen in 30% on ondansetron and 12% on placebo.", "crossed"),
        ("Ondansetron had a rate of 30%, placebo one of 12%.", "crossed"),
        ("Nausea was seen in 12% and 30%.", None),
        ("It occurred in 45%.", None),
        ("The trial was large.", None),
    ],
)
def test_swapped_groups_are_noticed(quote: str, statement: str, said: str | None) -> None:
    assert binding(statement, quote).said == said


def test_a_number_of_another_outcome_is_noticed() -> None:
    assert binding("Headache was reported by 12% of patients.", OUTCOMES).said == "crossed"
    assert binding("Headache was reported by 30% of patients.", OUTCOMES).said == "agrees"


def test_numbers_of_other_kinds_are_kept_apart() -> None:
    quote = "Pain fell by 12 mm in group A after 24 hours and by 30 mm in group B after 48 hours."
    assert binding("Pain fell by 30 mm in group A.", quote).said == "crossed"
    assert {slot.kind for slot in slots(quote)} == {"mm", "hour"}


def test_any_sentence_that_has_the_numbers_right_is_enough() -> None:
    statement = "Nausea was seen in 12% on placebo and 30% on ondansetron."
    assert misplaced_number(statement, [AFTER]) == "12%"
    assert not misplaced_number(statement, [AFTER, "Later it was 12% on placebo and 30% on ondansetron."])
    assert not misplaced_number(statement, [])
    assert not misplaced_number("Nothing in numbers.", [AFTER])


@settings(max_examples=30)
@given(st.text(alphabet="aB 12%,;().and vs"), st.text(alphabet="aB 12%,;().and vs"))
def test_nothing_is_crossed_with_itself(one: str, other: str) -> None:
    assert binding(one, one).said != "crossed"
    binding(one, other)


def test_the_answer_says_it_in_words(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model({"entail": EntailOutput(relation="entails", best="E1")})
    run = make_run("Does ondansetron help?", model=model, by_model=["entail"])
    written = [Sentence(text="Nausea was seen in 30% on ondansetron and 12% on placebo.", evidence=("E1",))]
    runs = [run, make_run("Does ondansetron help?")]
    for one in runs:
        one.ledger.admit([Document(id="PMID:1", text=AFTER)])
        one.ledger.quote("PMID:1", 0, len(AFTER))
    judged, found = (asyncio.run(check_all(written, one))[0] for one in runs)
    assert "for another group or outcome than the text quoted does" in judged.note
    assert "misplaced" in found.flags
    assert "the quote may give its number for another group or outcome" in worded(found)


def test_numbers_of_repeated_text_keep_their_order() -> None:
    quote = "Facial palsy developed in 7 out of 706 procedures."
    assert binding("Facial palsy developed in 706 out of 7 procedures.", quote).said == "crossed"
    assert binding(quote, quote).said != "crossed"
