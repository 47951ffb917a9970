"""A closed question becomes the statement that `yes` asserts, or nothing."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from rows import each_row

from medground.language.closed_question import as_statement

AUXILIARIES = ("does", "do", "did", "is", "are", "was", "has", "have", "can", "should", "will")
SAID = ("aspirin", "statins", "reduce", "increase", "treated", "risk", "safe", "higher", "work", "reducing")
SMALL = ("of", "in", "with", "to", "a", "the", "and", "or", "there", "it", "really", "(ASA)", "that", "any", "ever")
WORDS = st.sampled_from((*AUXILIARIES, *SAID, *SMALL))
UNSAID = {*AUXILIARIES, "it", "they", "a", "an", "any", "some", "ever", "sometimes"}


@each_row(
    ("question", "statement"),
    [
        ("Does aspirin reduce the risk of stroke?", "Aspirin reduces the risk of stroke."),
        ("Do statins  cause myopathy?", "Statins cause myopathy."),
        ("Did the training improve survival?", "The training did improve survival."),
        ("Does weight change predict mortality?", "Weight change predicts mortality."),
        ("Does stress change the way of life?", "Stress changes the way of life."),
        ("Does social support increase survival?", "Social support increases survival."),
        ("Does training help prevent falls?", "Training helps prevent falls."),
        ("Does the gene have a role in growth?", "The gene has a role in growth."),
        ("Can exercise prevent falls?", "Exercise can prevent falls."),
        ("Can scans accurately predict outcome?", "Scans can accurately predict outcome."),
        ("Can doctors safely and reliably assess pain?", "Doctors can safely and reliably assess pain."),
        ("Should children receive zinc?", "Children should receive zinc."),
        ("Can we predict which patients relapse?", "We can predict which patients relapse."),
        ("Will habits change if we teach doctors?", "Habits will change if we teach doctors."),
        ("Can mRNA (messenger RNA) cross the membrane?", "mRNA (messenger RNA) can cross the membrane."),
    ],
)
def test_a_verb_is_put_into_its_form(question: str, statement: str) -> None:
    assert as_statement(question) == statement


@each_row(
    ("question", "statement"),
    [
        ("Is metformin associated with cancer?", "Metformin is associated with cancer."),
        ("Are statins really necessary in old age?", "Statins are really necessary in old age."),
        ("Is obesity a risk factor for gout?", "Obesity is a risk factor for gout."),
        ("Is the use of a stent safe?", "The use of a stent is safe."),
        ("Is repair in acute type A dissection justifiable?", "Repair in acute type A dissection is justifiable."),
        ("Is control making a difference?", "Control is making a difference."),
        ("Are we seeing the effects of campaigns?", "We are seeing the effects of campaigns."),
        ("Is survival improving?", "Survival is improving."),
        ("Is the framework being used?", "The framework is being used."),
        ("Is halofantrine ototoxic?", "Halofantrine is ototoxic."),
        ("Are lesions more frequent in women?", "Lesions are more frequent in women."),
        ("Are women who are treated for gout at risk?", "Women who are treated for gout are at risk."),
        ("Are tests proposed by the society useful?", "Tests proposed by the society are useful."),
        ("Is the risk associated with zinc increased?", "The risk associated with zinc is increased."),
        ("Is zinc used to treat cells infected with a virus?", "Zinc is used to treat cells infected with a virus."),
        ("Is gout one of the oldest diseases?", "Gout is one of the oldest diseases."),
        ("Are age and sex accurate predictors of pain?", "Age and sex are accurate predictors of pain."),
        ("Are scores getting higher?", "Scores are getting higher."),
        ("Is the study of use of zinc safe?", "The study of use of zinc is safe."),
        ("Is zinc safe and effective?", "Zinc is safe and effective."),
        ("Is zinc a drug that is safe?", "Zinc is a drug that is safe."),
        ("Is it safe to operate?", "It is safe to operate."),
        ("Is type 4 is caused by a mutation?", "Type 4 is caused by a mutation."),
        ("Is the drug (a statin, oral) effective?", "The drug (a statin, oral) is effective."),
        ("Has strimvelis been approved?", "Strimvelis has been approved."),
        ("Has the incidence of gout increased?", "The incidence of gout has increased."),
        ("Has ivosidenib ever been tested?", "Ivosidenib has been tested."),
        ("Is surgery ever justified?", "Surgery is sometimes justified."),
    ],
)
def test_what_is_said_of_the_subject_follows_its_verb(question: str, statement: str) -> None:
    assert as_statement(question) == statement


@each_row(
    ("question", "statement"),
    [
        ("Is there an association of A with B?", "There is an association of A with B."),
        ("Is there any association of A with B?", "There is an association of A with B."),
        ("Is there any evidence of harm?", "There is evidence of harm."),
        ("Are there any factors amenable to change?", "There are factors amenable to change."),
        ("Are there differences of sex?", "There are differences of sex."),
        ("Has hesperidin any role in pain?", "Hesperidin has a role in pain."),
        ("Does care have any impact on survival?", "Care has an impact on survival."),
        ("Do any statins cause pain?", "Some statins cause pain."),
        ("Does zinc have any other effect?", None),
        ("Does zinc reduce pain or any fever or any cough?", None),
    ],
)
def test_any_takes_the_right_article(question: str, statement: str | None) -> None:
    assert as_statement(question) == statement


@each_row(
    ("question", "statement"),
    [
        ("In patients with sepsis, does fluid improve survival?", "In patients with sepsis, fluid improves survival."),
        ("Aspirin in migraine: does it help?", "Aspirin in migraine helps."),
        ("Aspirin in migraine. Is it safe?", "Aspirin in migraine is safe."),
        ("Fast foods - are they a risk factor for asthma?", "Fast foods are a risk factor for asthma."),
        ("Suturing of the septum, is it an alternative?", "Suturing of the septum is an alternative."),
        ("Ovarian torsion: is surgery necessary?", "Ovarian torsion: surgery is necessary."),
        ("Rectal tumours: is it safe to operate?", "Rectal tumours: it is safe to operate."),
        ("Leptin: a new marker of obesity?", "Leptin is a new marker of obesity."),
        ("Failed insertions in practice: a risk factor?", "Failed insertions in practice are a risk factor."),
        ("Sudden deafness in old age: does it progress to pain?", "Sudden deafness in old age progresses to pain."),
        ("Assessing lesions in mice: a new method?", "Assessing lesions in mice is a new method."),
        ("Zinc is a metal, yes or no?", "Zinc is a metal."),
        ("Is zinc a metal, yes or no?", "Zinc is a metal."),
        ("Imatinib in old age, will genes be a guide?", "Imatinib in old age: genes will be a guide."),
        ("Is p53 a gene?", "p53 is a gene."),
        ("Is endothelin-1 a hormone?", "Endothelin-1 is a hormone."),
        ("Care before surgery: is it necessary a fast?", None),
        ("Deaths in rich towns: is it just a difference of age?", None),
        ("In severe sepsis, is it useful?", None),
        ("Operations in children: do they benefit?", None),
        ("Analysis of falls in Rome: is it a sign of age?", None),
        ("Side effects of zinc: does it matter?", None),
        ("Aspirin (oral: does it help?", None),
        ("Leptin and gout: a causative link?", None),
        ("Cells show changes: a new type of disease?", None),
        ("Zinc or iron: is diet enough?", None),
        ("Zinc in children: is it better or worse?", None),
        ("Zinc: does it have any other or any effect?", None),
        ("How safe is zinc: is it toxic?", None),
    ],
)
def test_a_title_before_the_question(question: str, statement: str | None) -> None:
    assert as_statement(question) == statement


@each_row(
    ("question", "statement"),
    [
        ("Does surgery or radiation improve survival?", "Surgery or radiation improves survival."),
        ("Is zinc associated with morbidity or mortality?", "Zinc is associated with morbidity or mortality."),
        ("Does zinc reduce morbidity or mortality?", "Zinc reduces morbidity or mortality."),
        ("Is repair with or without a mesh safe?", "Repair with or without a mesh is safe."),
        ("Does either obesity or age matter?", "Either obesity or age matters."),
        ("Is aspirin or warfarin better?", None),
        ("Is gout a cause or a result?", None),
        ("Is zinc safe or harmful?", None),
        ("Does zinc increase or decrease pain?", None),
        ("Should patients receive zinc or iron?", None),
        ("Does zinc cause either pain or fever?", None),
    ],
)
def test_or_is_kept_only_where_it_offers_no_choice(question: str, statement: str | None) -> None:
    assert as_statement(question) == statement


def test_a_second_verb_keeps_the_auxiliary() -> None:
    question = "Does smoking influence healing and lead to infection?"
    assert as_statement(question) == "Smoking does influence healing and lead to infection."


@each_row(
    "question",
    [
        "Does vitamin D supply a need?",
        "Is aspirin not effective?",
        "Doesn't aspirin reduce pain?",
        "Which drug is better?",
        "Does aspirin reduce pain",
        "Does aspirin reduce pain? Is it safe?",
        "DOES ASPIRIN REDUCE PAIN?",
        "Is it?",
        "Are they safe?",
        "Are patients treated with zinc a risk group?",
        "Are patients at risk of falls adequately treated?",
        "Is zinc effective for gout a cure?",
        "Is zinc useful in mice needed?",
        "Is an event due to zinc similar to gout?",
        "Does patient contact impact work?",
        "Has the use changed in patients treated at home?",
        "Is bleeding (after surgery rare?",
        "Is bleeding) rare?",
        "",
        "yes or no?",
    ],
)
def test_the_rules_are_silent_when_unsure(question: str) -> None:
    assert as_statement(question) is None


@given(text=st.text(max_size=80))
@example("Is any?")
@example("Does any?")
@example("Aspirin: is it any?")
@example("Aspirin: a?")
def test_any_text_is_accepted(text: str) -> None:
    for asked in (text, f"{text}?", f"Is {text}?", f"Topic of: does {text}?"):
        found = as_statement(asked)
        assert found is None or (found.endswith(".") and "?" not in found)


@given(topic=st.sampled_from(("", "Aspirin in pain: ", "In old age, ")), words=st.lists(WORDS, max_size=9))
def test_every_word_of_content_is_kept(topic: str, words: list[str]) -> None:
    question = f"{topic}{' '.join(words)}?"
    found = as_statement(question)
    if found is not None:
        assert found.endswith(".") and "?" not in found
        assert _content(found) == _content(question)


def _content(text: str) -> list[str]:
    """Words in any order, without those that a statement may drop or change, verbs in any form."""
    return sorted(w.removesuffix("s") for w in re.findall(r"[a-z]+", text.lower()) if w not in UNSAID)
