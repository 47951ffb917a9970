"""Sources that disagree: by a model's stances or by words alone, and documents that never take a side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medground.answer import Conflict
from medground.document import Document, Section
from medground.evidence import Stance
from medground.operators.keyless.disagreement import Finding, difference
from medground.question import Question
from medground.run import Run
from medground.verify.conflicts import find_conflicts

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin reduce the risk of stroke?"


def found(
    run: Run, quotes: Sequence[tuple[str, str, Stance]], reader: str | None = None, **document: Any
) -> list[Conflict]:
    """The conflicts among quotes given as (document id, text, stance); `document` changes the last document."""
    texts: dict[str, list[tuple[str, Stance]]] = {}
    for name, text, stance in quotes:
        texts.setdefault(name, []).append((text, stance))
    for name, said in texts.items():
        more = document if name == quotes[-1][0] else {}
        run.ledger.admit([Document(id=name, text=" ".join(t for t, _ in said), **more)])
        at = 0
        for text, stance in said:
            run.ledger.quote(name, at, at + len(text), stance=stance)
            at += len(text) + 1
    if reader:
        run.answered_by["extract"] = reader
    return asyncio.run(find_conflicts(Question.ask(QUESTION), run.ledger.evidence, run))


def test_papers_with_opposite_stances_are_both_sides(make_run: MakeRun) -> None:
    quotes: list[tuple[str, str, Stance]] = [
        ("PMID:1", "Aspirin helped.", "supports"),
        ("PMID:2", "It did nothing.", "contradicts"),
        ("PMID:3", "It helped some.", "supports"),
        ("PMID:4", "It helped men.", "supports"),
        ("PMID:4", "Women had strokes.", "contradicts"),
        ("PMID:5", "Stroke is common.", "unknown"),
    ]
    (conflict,) = found(make_run("q?"), quotes, "openai:gpt-5")
    assert conflict.found_by == "openai:gpt-5"
    assert conflict.about == QUESTION
    assert [(side.stance, side.evidence) for side in conflict.sides] == [
        ("supports", ("E1", "E3")),
        ("contradicts", ("E2",)),
        ("mixed", ("E4", "E5")),
    ]


@pytest.mark.parametrize(
    "quotes",
    [
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:1", "It did nothing.", "contradicts")],
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:2", "It helped more.", "supports")],
        [("PMID:1", "Aspirin helped.", "supports"), ("PMID:2", "Some say so.", "mixed")],
        [("PMID:1", "Aspirin reduced stroke risk.", "unknown"), ("PMID:2", "Aspirin raised stroke risk.", "unknown")],
        [],
    ],
)
def test_one_paper_or_one_side_is_not_a_conflict(make_run: MakeRun, quotes: Any) -> None:
    assert found(make_run("q?"), quotes, "openai:gpt-5") == []


AGAINST: tuple[str, str, Stance] = ("PMID:2", "Aspirin did not reduce the risk of stroke in women.", "contradicts")
FOR: tuple[str, str, Stance] = ("PMID:1", "Aspirin significantly reduced the risk of stroke.", "supports")


@pytest.mark.parametrize("reader", [None, "openai:gpt-5"])
@pytest.mark.parametrize("retraction", ["retracted", "notice", "concern"])
def test_retracted_papers_take_no_side(make_run: MakeRun, reader: str | None, retraction: str) -> None:
    expected = 0 if retraction != "concern" else 1
    assert len(found(make_run("q?"), [FOR, AGAINST], reader, retraction=retraction)) == expected


def test_without_a_model_differing_findings_are_shown_side_by_side(make_run: MakeRun) -> None:
    (conflict,) = found(make_run("q?"), [FOR, AGAINST, ("PMID:3", FOR[1], "unknown")])
    assert conflict.found_by == "keyless"
    assert [(side.stance, side.evidence) for side in conflict.sides] == [
        ("unknown", ("E1", "E3")),
        ("unknown", ("E2",)),
    ]
    assert conflict.about == "PMID:1 and PMID:3 report a link between aspirin and stroke, PMID:2 reports none"


def test_stored_relations_take_no_side(make_run: MakeRun) -> None:
    run = make_run("q?")
    run.ledger.admit([Document(id="PMID:1", text=FOR[1]), Document(id="HP:1", text=AGAINST[1])])
    run.ledger.quote("PMID:1", 0, len(FOR[1]), stance="supports")
    run.ledger.quote("HP:1", 0, len(AGAINST[1]), stance="contradicts", origin="graph")
    assert asyncio.run(find_conflicts(Question.ask(QUESTION), run.ledger.evidence, run)) == []


def test_the_opening_of_an_abstract_is_background(make_run: MakeRun) -> None:
    rest = " Nine hundred people took part." * 20
    for text, section, expected in (
        (FOR[1] + rest, None, 0),
        (rest.strip() + " " + FOR[1], None, 1),
        (FOR[1] + rest, "RESULTS", 1),
        (rest.strip() + " " + FOR[1], "BACKGROUND", 0),
    ):
        run = make_run(QUESTION)
        sections = (Section(label=section, start=0, end=len(text)),) if section else ()
        run.ledger.admit([Document(id="PMID:1", text=text, sections=sections), Document(id="PMID:2", text=AGAINST[1])])
        start = text.index(FOR[1])
        run.ledger.quote("PMID:1", start, start + len(FOR[1]))
        run.ledger.quote("PMID:2", 0, len(AGAINST[1]))
        found = asyncio.run(find_conflicts(run.question, run.ledger.evidence, run))
        assert len(found) == expected, (section, text[:40])


def test_an_aim_takes_no_side(make_run: MakeRun) -> None:
    aim: tuple[str, str, Stance] = ("PMID:2", "We asked whether aspirin reduces stroke.", "contradicts")
    assert found(make_run("q?"), [FOR, aim], "openai:gpt-5") == []


DIFFER = [
    (
        "Does coffee cause pancreatic cancer?",
        "Coffee was associated with pancreatic cancer.",
        "No association was found between coffee and pancreatic cancer.",
    ),
    ("Does vitamin D prevent falls?", "Vitamin D reduced falls by 20%.", "Vitamin D had no effect on falls."),
    (
        "Is obesity associated with asthma?",
        "Obesity was strongly associated with asthma.",
        "Obesity was not associated with asthma in boys.",
    ),
    (
        "Does metformin improve survival in lung cancer?",
        "Metformin improved survival in lung cancer.",
        "There was no significant improvement in survival with metformin in lung cancer.",
    ),
    (
        "Does smoking increase the risk of psoriasis?",
        "Smoking increased the risk of psoriasis.",
        "Smoking decreased the risk of psoriasis.",
    ),
    (
        "Does acupuncture relieve low back pain?",
        "Acupuncture significantly relieved low back pain.",
        "Acupuncture failed to relieve low back pain.",
    ),
    ("Do statins affect cognition?", "Statins improved cognition.", "Statins worsened cognition."),
    (  # one of a list, more detail before the same word, and what surrounds a finding
        "Does simvastatin prevent vasospasm?",
        "CONCLUSIONS: High-dose simvastatin was effective in preventing cerebral vasospasm.",
        "However, simvastatin was found to have no influence on infarction, vasospasm and mortality.",
    ),
    (
        "Does lubeluzole help in stroke?",
        "These results show that 10 mg of lubeluzole significantly reduced mortality after stroke.",
        "Treatment with lubeluzole within 6 hours of stroke had a nonsignificant effect on mortality.",
    ),
    (  # the same heading under another name
        "Does salt cause high blood pressure?",
        "Salt intake was associated with an increased risk of hypertension, a high blood pressure.",
        "There was no association between salt and high blood pressure.",
    ),
    (
        "Does smoking affect blood pressure?",
        "Systolic blood pressure was increased by smoking.",
        "Smoking was associated with a reduction in blood pressure.",
    ),
    (
        "Does head CT cause brain tumours?",
        "Head CT was associated with more brain tumours.",
        "Neither head CT nor a chest CT increased the risk of glioma or of all brain tumours.",
    ),
    ("Does zinc shorten colds?", "Zinc resulted in a reduction in colds.", "Zinc is ineffective in reducing colds."),
    ("Does zinc help in colds?", "Zinc was effective against colds.", "No benefit of zinc for colds was seen."),
    ("Does garlic cause reflux?", "Garlic was a risk factor for reflux.", "Garlic showed no association with reflux."),
    (
        "Is LDL higher in coffee drinkers?",
        "Serum LDL was higher in coffee drinkers than in controls.",
        "There is no evidence of an effect of coffee drinkers on serum LDL.",
    ),
    (
        "Does zinc prevent colds?",
        "Zinc prevented colds.",
        "There was no evidence that zinc prevented colds.",
    ),
    (
        "Does yoga reduce pain?",
        "Pain was reduced after yoga.",
        "We found no difference in pain between yoga and controls.",
    ),
]
AGREE = [
    (
        "Does coffee cause pancreatic cancer?",
        "Coffee was associated with pancreatic cancer.",
        "Coffee drinkers had pancreatic cancer more often.",
    ),
    ("Does vitamin D prevent falls?", "Vitamin D reduced falls by 20%.", "Vitamin D reduced falls in women."),
    ("Does vitamin D prevent falls?", "Vitamin D reduced falls.", "We asked whether vitamin D has no effect on falls."),
    ("Does vitamin D prevent falls?", "Vitamin D reduced falls.", "Calcium had no effect on fractures."),
    (
        "Does vitamin D prevent falls?",
        "Vitamin D reduced falls, but not fractures.",
        "Vitamin D had no effect on falls.",
    ),
    (
        "Is obesity associated with asthma?",
        "Obesity was associated with asthma.",
        "Obesity was not associated with diabetes.",
    ),
    (
        "Does metformin improve survival in lung cancer?",
        "Metformin improved survival in lung cancer.",
        "Metformin decreased the hazard of death.",
    ),
    (
        "Is amoxapine an atypical antipsychotic?",
        "Modafinil decreased the drowsiness of atypical antipsychotics.",
        "Atypical antipsychotics showed higher occupancy.",
    ),
    (  # up against down, but not of the same outcome
        "Does iron improve growth?",
        "Iron reduced fever.",
        "Iron increased haemoglobin.",
    ),
    (  # planned, supposed, left open, or known from others
        "Does vitamin D prevent falls?",
        "Vitamin D had no effect on falls.",
        "If vitamin D reduced falls, that would be cheap.",
    ),
    (
        "Does vitamin D prevent falls?",
        "Vitamin D reduced falls.",
        "Whether vitamin D has no effect on falls remains to be evaluated.",
    ),
    (
        "Does vitamin D prevent falls?",
        "Vitamin D did not reduce falls.",
        "Vitamin D is currently recommended on evidence that it reduces falls.",
    ),
    (
        "Does vitamin D prevent falls?",
        "Vitamin D did not reduce falls.",
        "Previous studies of vitamin D reported that it reduces falls.",
    ),
    (  # one treatment against another, and one that both arms have
        "Does aspirin reduce pain?",
        "Aspirin did not reduce pain.",
        "Aspirin was significantly superior to ibuprofen in pain.",
    ),
    (
        "Does metformin reduce weight?",
        "Metformin did not reduce weight.",
        "Exenatide added to metformin reduced weight.",
    ),
    (  # no better than another treatment, and no harm
        "Does acupuncture reduce pain?",
        "Acupuncture reduced pain.",
        "Individual acupuncture was not superior to standard acupuncture for pain.",
    ),
    (
        "Does vitamin D improve bone density?",
        "Vitamin D improved bone density.",
        "Vitamin D did not have a negative effect on bone density.",
    ),
    (
        "Does acupuncture relieve low back pain?",
        "Acupuncture did not relieve low back pain.",
        "Acupuncture had no effect on low back pain.",
    ),
    # shown to users before the same cause and outcome were asked for
    (
        "Is mesothelioma caused by asbestos exposure?",
        "Mesothelioma, a rare tumor, is highly correlated with asbestos exposure.",
        "At least 107,000 people die each year from mesothelioma and asbestosis resulting from exposure",
    ),
    (
        "Is aptiganel effective for treatment of stroke?",
        "No improvement in clinical outcome of stroke has been seen with aptiganel.",
        "Placebo-treated patients exhibited slightly greater improvement on the stroke scale than aptiganel patients.",
    ),
    ("Does vitamin D prevent falls?", "Vitamin D reduced falls.", "Vitamin E had no effect on falls."),
    ("Does aspirin affect mortality?", "Aspirin reduced mortality.", "Aspirin did not reduce cancer mortality."),
    ("Does aspirin affect mortality?", "Aspirin reduced mortality.", "Aspirin did not increase mortality."),
    ("Do smokers get colds?", "Smokers had an increase.", "Smokers did not increase colds."),
    (
        "Do smokers get bronchitis?",
        "Smoking reduced bronchitis in men.",
        "Smoking had no effect on bronchitis in women.",
    ),
    (
        "Does metformin improve survival?",
        "Metformin improved survival in lung cancer.",
        "Metformin had no effect on survival in breast cancer.",
    ),
    ("Does aspirin reduce pain?", "No drug but aspirin reduced pain.", "Aspirin had no effect on pain."),
    ("Does aspirin reduce pain?", "None of the aspirin doses reduced pain.", "Aspirin had no effect on pain."),
    ("Does aspirin reduce pain?", "Aspirin reduced pain.", "We did not find that aspirin had no effect on pain."),
    ("Does fat raise cholesterol?", "A low-fat diet reduced cholesterol.", "A high-fat diet increased cholesterol."),
    ("Does aspirin reduce pain?", "Aspirin and codeine reduced pain.", "Aspirin and zinc had no effect on pain."),
    ("Does it reduce pain?", "This treatment reduced pain.", "This treatment had no effect on pain."),
    ("What reduces pain?", "Aspirin reduced pain.", "Aspirin had no effect on pain."),
]


@pytest.mark.parametrize(("question", "one", "other"), DIFFER)
def test_findings_that_differ_in_words(question: str, one: str, other: str) -> None:
    assert difference(question, Finding("", one), Finding("", other))
    assert difference(question, Finding("", other), Finding("", one))


@pytest.mark.parametrize(("question", "one", "other"), AGREE)
def test_findings_that_agree_or_are_about_other_things(question: str, one: str, other: str) -> None:
    assert difference(question, Finding("", one), Finding("", other)) is None


def test_findings_on_another_outcome_are_not_compared() -> None:
    one = Finding("Exercise training", "Training improved body image.")
    other = Finding("Exercise training", "Six weeks of whey and training did not alter body fat.")
    assert difference("Does exercise training improve body weight?", one, other) is None


@given(st.text(max_size=100), st.text(max_size=100), st.text(max_size=100))
def test_differences_are_symmetric_and_a_text_has_none_from_itself(question: str, one: str, other: str) -> None:
    there, back = (difference(question, Finding("", a), Finding("", b)) for a, b in ((one, other), (other, one)))
    assert (there and there.kind) == (back and back.kind)
    assert difference(question, Finding("", one), Finding("", one)) is None
