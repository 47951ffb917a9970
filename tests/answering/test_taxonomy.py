"""The eight labels: the table of rules, labels by a model, who gave them, and the source of an error."""

import asyncio
import functools
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row
from scripted_capable import says

from medground.answering.run import Run
from medground.answering.verify.check import check_each
from medground.answering.verify.labelling import error_source
from medground.errors import ModelFailed
from medground.models.operators.base import EvidenceView, InvalidOutput
from medground.models.operators.verifying import LabelInput, LabelOutput, Signals, label, labelled, on_topic, oppose
from medground.values.document import Document
from medground.values.evidence import Sentence
from medground.values.statement import Category, Verdict


async def check_all(*given: Any, **named: Any) -> list[Verdict]:
    return [one.verdict for one in await check_each(*given, **named)]


MakeRun = Callable[..., Run]
CORRECT: tuple[Category, ...] = ("CORRECT-EXPLICIT", "CORRECT-IMPLICIT", "CORRECT-ADDITIONAL", "CORRECT-MISSING")
EXPLICIT, IMPLICIT, ADDITIONAL, UNSEEN = CORRECT
FALSE: Category = "INCORRECT-FALSE"
DEVIATING: Category = "INCORRECT-DEVIATING"
ILLOGICAL: Category = "INCORRECT-ILLOGICAL"
MISSING: Category = "INCORRECT-MISSING"


by_words = Signals
by_judge = functools.partial(Signals, judged=True)


TABLE: list[tuple[Signals, Category | None]] = [
    (by_words("quoted"), EXPLICIT),
    (by_judge("entails", coverage=0.8), EXPLICIT),
    (by_judge("entails", coverage=0.2, flags=("negation",)), IMPLICIT),
    (by_judge("entails", coverage=0.9, flags=("number",)), ADDITIONAL),
    (by_judge("entails", coverage=1.0, flags=("certainty",)), ILLOGICAL),
    (by_judge("contradicts"), FALSE),
    (by_judge("related"), MISSING),
    (by_judge("related", opposed=True), ILLOGICAL),
    (by_judge("neutral"), MISSING),
    (by_judge("entails", uncited=True), UNSEEN),
    (by_judge("neutral", on_topic=False), DEVIATING),
    (by_judge("neutral", opposed=True), ILLOGICAL),
    (by_words("related", coverage=1.0), None),
    (by_words("related", opposed=True), ILLOGICAL),
    (by_words("neutral"), None),
    (by_words("neutral", on_topic=False), DEVIATING),
    (by_words("neutral", opposed=True), ILLOGICAL),
    (by_words("entails", coverage=1.0), None),
    (by_words("contradicts"), None),
    (by_judge("failed"), None),
]


@each_row(("signals", "category"), TABLE)
def test_the_table(signals: Signals, category: Category | None) -> None:
    assert labelled(signals) == category


def test_the_rule_has_all_eight_labels() -> None:
    assert {category for _, category in TABLE if category} == set(get_args(Category))
    quote = (EvidenceView(id="E1", quote="Aspirin lowered the risk of stroke."),)
    assert on_topic(QUESTION, "Stroke is common.", ()) and on_topic("What helps?", "The risk of stroke fell.", quote)
    assert not on_topic(QUESTION, "Tuition fees doubled.", quote)
    assert oppose("Aspirin lowered stroke risk.", "Aspirin did not lower stroke risk.")
    assert not oppose("Aspirin lowered stroke risk.", "Warfarin never lowered bleeding.")


@given(
    st.sampled_from(["entails", "contradicts", "related", "neutral", "failed"]),
    st.floats(0, 1),
    st.lists(st.sampled_from(["number", "negation", "certainty", "cause"])),
    st.booleans(),
    st.booleans(),
)
def test_words_alone_never_say_correct_or_false(
    relation: Any, coverage: float, flags: list[str], topic: bool, uncited: bool
) -> None:
    signals = Signals(relation, coverage=coverage, flags=tuple(flags), on_topic=topic, uncited=uncited)
    assert labelled(signals) in (None, DEVIATING)


@each_row(
    ("verdict", "relevant", "source"),
    [
        (Verdict(label="supported", critic="c", category=EXPLICIT), True, None),
        (Verdict(label="related", critic="c"), True, None),
        (Verdict(label="not found", critic="c", category=MISSING), False, "retrieval"),
        (Verdict(label="not found", critic="c", category=MISSING), True, "generation"),
        (Verdict(label="contradicted", critic="c", category=FALSE), True, "generation"),
        (Verdict(label="not judged", critic="c", category=ADDITIONAL), False, None),
    ],
)
def test_the_error_source_is_retrieval_if_the_context_has_nothing(
    verdict: Verdict, relevant: bool, source: str | None
) -> None:
    assert error_source(verdict, relevant=relevant) == source


QUESTION = "Does aspirin reduce the risk of stroke?"
PAPER = Document(
    id="PMID:1", title="Aspirin and stroke", text="Aspirin lowered the risk of stroke. Bleeding rose with aspirin."
)
OTHER = Document(id="PMID:2", text="Zebrafish were kept at 28 degrees.")


def verdicts(run: Run, *written: tuple[str, tuple[str, ...]]) -> list[Verdict]:
    run.ledger.admit([PAPER, OTHER])
    run.ledger.quote("PMID:1", 0, 35)
    run.ledger.quote("PMID:1", 36, 63)
    run.ledger.quote("PMID:2", 0, 34)
    return asyncio.run(check_all([Sentence(text=text, evidence=cited) for text, cited in written], run))


def test_keyless_labels_what_words_can_show(make_run: MakeRun) -> None:
    found = verdicts(
        make_run(QUESTION),
        ("Aspirin lowered the risk of stroke.", ("E1",)),
        ("The risk of stroke was lowered by aspirin.", ("E1",)),
        ("Tuition fees doubled within a decade.", ("E1",)),
    )
    assert [(v.category, v.labelled_by) for v in found] == [(EXPLICIT, "keyless"), (None, ""), (DEVIATING, "keyless")]
    assert [v.error_source for v in found] == [None, None, "generation"]
    unlabelled = make_run(QUESTION, options={"verify.taxonomy": False})
    assert [v.category for v in verdicts(unlabelled, ("Aspirin lowered the risk of stroke.", ("E1",)))] == [None]


def test_statements_that_oppose_each_other_are_illogical(make_run: MakeRun) -> None:
    found = verdicts(
        make_run(QUESTION),
        ("The risk of stroke was lowered by aspirin.", ("E1",)),
        ("The risk of stroke was not lowered by aspirin.", ("E1",)),
        ("The risk of stroke was not lowered by zebrafish.", ("E3",)),
    )
    assert [v.category for v in found[:2]] == [ILLOGICAL, ILLOGICAL]
    assert found[2].category != ILLOGICAL


def test_labels_of_an_unvalidated_judge_carry_its_name(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model(
        {"check": says("neutral"), "label": LabelOutput(category=UNSEEN, best=None, reason="no  passage bears on it")}
    )
    run = make_run(QUESTION, model=model, by_model=["check", "label"], options={"verify.critic": "label"})
    quoted, found = verdicts(run, ("Aspirin lowered the risk of stroke.", ("E1",)), ("Stroke is common.", ("E3",)))
    assert (found.category, found.labelled_by, found.note) == (UNSEEN, model.name, "no passage bears on it")
    assert (found.label, found.error_source) == ("not judged", "generation")
    assert (quoted.category, quoted.labelled_by) == (EXPLICIT, "keyless")
    (asked,) = [value for name, value in model.seen if name == "label"]
    assert [p.id for p in asked.passages] == ["E3", "E1", "E2"]
    assert asked.cited == ("E3",)
    assert "Stroke is common." in asked.rationale


@each_row(("reason", "shown"), [("it rose", "it rose; "), ("PMID 99887766 says so", "")])
def test_a_reason_that_names_what_was_not_retrieved_is_not_shown_and_a_failure_leaves_no_label(
    make_run: MakeRun, scripted_model: Any, reason: str, shown: str
) -> None:
    model = scripted_model({"label": LabelOutput(category=FALSE, best="E2", reason=reason)})
    run = make_run(QUESTION, model=model, by_model=["label"], options={"verify.critic": "label"})
    (found,) = verdicts(run, ("Tuition fees doubled within a decade.", ("E1",)))
    assert (found.category, found.note) == (FALSE, f"{shown}labelled INCORRECT-FALSE by {model.name}")
    failing = scripted_model({"label": ModelFailed("timed out", model="scripted:model")})
    run = make_run(QUESTION, model=failing, by_model=["label"], options={"verify.critic": "label"})
    (found,) = verdicts(run, ("The risk of stroke was lowered by aspirin.", ("E1",)))
    assert (found.category, found.label) == (None, "not judged")
    assert run.warnings == ["a sentence could not be labelled: scripted:model: timed out"]


@given(st.text(max_size=100), st.lists(st.text(max_size=100), min_size=2, max_size=3))
def test_the_operator_refuses_unknown_ids_and_labels_without_their_passage(text: str, quotes: list[str]) -> None:
    passages = tuple(EvidenceView(id=f"P{n}", quote=quote) for n, quote in enumerate(quotes))
    value = LabelInput(question=QUESTION, rationale="-", statement=text, passages=passages)
    for category, best in ((MISSING, "P9"), (FALSE, None), (EXPLICIT, None)):
        with pytest.raises(InvalidOutput):
            label.check(value, LabelOutput(category=category, best=best))
    assert label.choices(value) == {"best": tuple(one.id for one in passages)}
    label.check(value, output := label.keyless(value))
    assert output.category in (None, EXPLICIT, DEVIATING)
