"""The first line of an answer: what is known on the question's subject, or what was not found."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rows import each_row, tables
from small_corpora import corpus_of_documents, make_documents

from medground.engine.answering import answered
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.language.question_reading import reading_of
from medground.language.risk import notices
from medground.recipes.ground.recipe import GROUND
from medground.values.answer import Answer
from medground.values.document import Document, Section
from medground.wording.phrases import headline

TABLES = tables(__file__)


def trial(number: int, title: str, text: str, **more: Any) -> Document:
    return Document(id=f"PMID:{number}", kind="research", title=title, text=text, **more)


EARLY = trial(1, "Velnorixan in chronic cough.", "Velnorixan reduced chronic cough compared with placebo.", year=2009)
LATE = trial(2, "Velnorixan trial.", "Velnorixan did not reduce chronic cough compared with placebo.", year=2024)
DRUG = trial(3, "Kelvastatin.", "Kelvastatin is a new statin for adults with high cholesterol.", authors=("Okonjo AT",))
HARM = trial(
    4, "Kelvastatin again.", "Adverse events of kelvastatin were headache and nausea.", authors=("Petrescu M",)
)
GONE = trial(5, "Dorbenemab in glioma.", "Dorbenemab doubled survival in glioma.", retraction="retracted")
Ask = Callable[..., Answer]


@pytest.fixture
def ask(make_run: Any, memory_source: Any) -> Ask:
    def asked(question: str, documents: Sequence[Document]) -> Answer:
        run = make_run(question, [memory_source(documents)], recipe=GROUND)
        return asyncio.run(answered(run, GROUND))

    return asked


def test_what_the_model_of_risk_has_learned_decides_about_no_refusal(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = ("Does zuclomide reduce chronic cough?", "Does velnorixan reduce chronic cough?")
    decided = set()
    for share in (None, 0.0, 0.2):
        if share is not None:
            monkeypatch.setattr(notices, "shares", lambda text, share=share: [share] * 4)
        notices.notice_for.cache_clear()
        reading_of.cache_clear()
        decided.add(tuple(ask(question, [EARLY, LATE]).decision.status for question in questions))
    assert len(decided) == 1 and "unanswerable" in (refused := decided.pop())[0] and refused[1] != refused[0]


def test_both_trials_of_a_drug_stand_on_top_with_their_years(ask: Ask) -> None:
    answer = ask("Is velnorixan effective for chronic cough?", [EARLY, LATE])
    assert {one.document_id for one in answer.evidence} == {"PMID:1", "PMID:2"}
    assert not answer.warnings


def test_the_latest_comes_first_and_years_of_publication_limit(ask: Ask) -> None:
    newest = ask("What is the latest evidence on velnorixan for chronic cough?", [EARLY, LATE])
    assert newest.evidence[0].document_id == "PMID:2"
    limited = ask("What is known since 2020 about velnorixan for chronic cough?", [EARLY, LATE])
    assert any("only publications from 2020 on were searched" in warning for warning in limited.warnings)


def test_a_sentence_on_what_is_asked_leads_and_without_one_nothing_is_found(ask: Ask) -> None:
    assert ask("What are the side effects of kelvastatin?", [DRUG, HARM]).evidence[0].document_id == "PMID:4"
    missing = ask("What are the side effects of kelvastatin?", [DRUG])
    assert missing.decision.status == "unanswerable"
    assert missing.decision.unmentioned == ("harms of kelvastatin",)
    assert str(missing).split("\n\n")[1].startswith("Nothing found on harms of kelvastatin in ")


def test_a_paper_on_all_things_comes_before_papers_on_one_of_them(ask: Ask) -> None:
    other = trial(6, "Simvastatin.", "Simvastatin does not improve outcome after aneurysmal subarachnoid hemorrhage.")
    both = trial(7, "Kelvastatin.", "Kelvastatin given in the acute period of SAH reduced deaths.")
    answer = ask("Does kelvastatin improve outcome after aneurysmal subarachnoid haemorrhage?", [other, both])
    assert answer.evidence[0].document_id == "PMID:7"


def test_a_study_s_own_words_on_its_limitations_come_first(ask: Ask) -> None:
    own = "Velnorixan reduced cough in 20 adults. A limitation of this study is that nobody was blinded."
    other = trial(7, "Massage for back pain.", "A limitation of the massage trial is its size.")
    answer = ask("What are the limitations of the velnorixan trial?", [trial(6, "A trial of velnorixan.", own), other])
    assert answer.statements[0].text == "A limitation of this study is that nobody was blinded."


def test_the_row_that_a_question_names_answers_whatever_else_the_question_says(ask: Ask) -> None:
    rows = trial(6, "Gout.", "Withdrawal | Drug (n=204): 12 | Placebo (n=199): 9\n\nFlare | Drug: 41 | Placebo: 77")
    (quote, *_) = ask("How many withdrawals were there in the placebo arm?", [rows]).statements
    assert quote.text.startswith("Withdrawal | ")


def test_what_comes_near_is_quoted_and_what_names_another_thing_is_not(ask: Ask) -> None:
    text = "Scans and other tests are used to confirm renal nutcracker syndrome."
    question = "Which scans or tests do they use to confirm nutcracker syndrome of the kidney vein?"
    answer = ask(question, [trial(6, "How to diagnose renal nutcracker syndrome?", text)])
    assert answer.statements[0].text == text
    brain = trial(7, "Stroke.", "Tranexamic acid did not reduce deaths after intracerebral haemorrhage.")
    assert ask("Is tranexamic acid effective in postpartum haemorrhage?", [brain]).decision.status == "unanswerable"


def test_only_the_papers_of_an_author_who_is_named_are_quoted(ask: Ask) -> None:
    answer = ask("What did Petrescu report on kelvastatin?", [DRUG, HARM])
    assert {one.document_id for one in answer.evidence} == {"PMID:4"}


def test_what_is_known_from_a_retracted_paper_only_is_told_at_once(ask: Ask) -> None:
    answer = ask("Does dorbenemab prolong survival in glioma?", [GONE])
    assert answer.decision.reason == "what was found on it is retracted: PMID:5"
    unrelated = ask("Is velnorixan effective for chronic cough?", [EARLY, GONE])
    assert [one.id for one in unrelated.documents] == ["PMID:1"]


def test_of_two_questions_each_is_searched_and_what_is_open_is_named_in_its_own_words(ask: Ask) -> None:
    both = ask("Is kelvastatin a new statin and what are its side effects?", [DRUG, HARM])
    assert {one.document_id for one in both.evidence} == {"PMID:3", "PMID:4"}
    half = ask("What are the side effects of kelvastatin and how is it dosed?", [DRUG, HARM])
    assert "no quote is about “how is it dosed?”" in half.warnings
    assert half.decision.status == "not judged"


def test_of_a_comparison_each_side_is_shown_or_the_one_that_is_missing_named(ask: Ask) -> None:
    apart = ask("Is kelvastatin better than velnorixan?", [EARLY, HARM])
    assert {one.document_id for one in apart.evidence} == {"PMID:1", "PMID:4"}
    assert "no source found compares kelvastatin with velnorixan directly" in apart.warnings
    lost = ask("Is velnorixan better than kelvastatin for chronic cough?", [EARLY, HARM])
    assert lost.decision.unmentioned == ("kelvastatin and chronic cough together",)


def test_that_only_others_or_animals_had_something_is_a_remark_on_its_quotes(ask: Ask) -> None:
    grown = ask("Does kelvastatin lower cholesterol in children?", [DRUG])
    assert (grown.decision.unmentioned, len(grown.evidence)) == ((), 1)
    assert "no quote mentions children, for whom the question asks" in grown.warnings
    rats = trial(6, "Quillafenone.", "Quillafenone lowered blood pressure in hypertensive rats.")
    for question in ("Does quillafenone lower blood pressure in humans?", "Does quillafenone work?"):
        assert "every quote is about animals or cells (rats)" in ask(question, [rats]).warnings


GOUT = trial(7, "What is gout?", "Gout is a painful arthritis that flares and settles.")


@pytest.mark.parametrize(
    ("question", "documents", "line"),
    [
        ("Does anything help for gout?", [GOUT], GOUT.text),
        ("Does anyone know if gout is hereditary2?", [GOUT], GOUT.text),
        ("My older sister has gout, can she fly?", [GOUT], GOUT.text),
        ("Does my baby have gout?", [GOUT], GOUT.text),
        ("Does coffee cause gout?", [GOUT], "Nothing found on coffee in"),
        ("Does velnorixan cause gout?", [GOUT], "Nothing found on velnorixan in"),
        ("My toddler swallowed a coin, now what?", [GOUT], "Nothing found that answers this in"),
    ],
)
def test_a_headline_names_things_only(ask: Ask, question: str, documents: list[Document], line: str) -> None:
    assert headline(ask(question, documents)).startswith(line)


@each_row(("question", "thing", "own", "other"), [tuple(row.split(" | ")) for row in TABLES["typed"]])
def test_a_number_or_letter_is_part_of_a_name(question: str, thing: str, own: str, other: str, tmp_path: Path) -> None:
    corpus_of_documents(tmp_path, [*make_documents(50, 100), trial(6, "A study.", other)])
    with BlockingEngine.open(Settings(home=tmp_path), corpora="papers") as engine:
        assert headline(engine.ask(question)).startswith(f"Nothing found on {thing}")
    corpus_of_documents(tmp_path, [*make_documents(50, 100), trial(6, "A study.", other), trial(7, "A study.", own)])
    with BlockingEngine.open(Settings(home=tmp_path), corpora="papers") as engine:
        assert engine.ask(question).evidence[0].document_id == "PMID:7"


def test_a_type_is_looked_for_in_texts_on_its_thing(ask: Ask) -> None:
    other = trial(6, "Bones.", "Life in osteogenesis imperfecta type I is as long as that of others.")
    beside = trial(7, "Sugar.", "People with type 2 diabetes live less long than others.")
    asked = "How long do people with osteogenesis imperfecta type II live?"
    assert ask(asked, [other, beside]).decision.unmentioned == ("type II",)


@each_row(("question", "remark", "own", "other"), [tuple(row.split(" | ")) for row in TABLES["senses"]])
def test_a_word_in_another_sense_is_told_and_the_sense_that_is_asked_comes_first(
    ask: Ask, question: str, remark: str, own: str, other: str
) -> None:
    wrong, right = trial(2, "A study.", other), trial(3, "A study.", own)
    assert any(warning.startswith(remark) for warning in ask(question, [wrong]).warnings)
    if own:
        answer = ask(question, [wrong, right])
        assert answer.evidence[0].document_id == "PMID:3"


def test_what_is_inborn_is_spread_by_inheritance(ask: Ask) -> None:
    other = trial(6, "Hepatitis.", "Hepatitis is spread from a mother to her child at birth.")
    drug = trial(7, "Haemophilia.", "The half-life of factor VIII was 12 hours in haemophilia.")
    inherited = trial(8, "Haemophilia.", "Haemophilia is inherited as an X-linked recessive trait.")
    question = "How is haemophilia spread to her child?"
    assert ask(question, [other, drug]).decision.unmentioned == ("the inheritance of haemophilia",)
    assert ask(question, [other, drug, inherited]).evidence[0].document_id == "PMID:8"


def test_what_other_papers_name_is_not_said_to_be_missing(ask: Ask) -> None:
    trial_ = trial(6, "Apixaban.", "Apixaban was safer than warfarin in adults.")
    other = trial(7, "Dialysis.", "Haemodialysis and dialysis were compared in adults.")
    question = "Is apixaban safer than warfarin in patients on dialysis?"
    assert ask(question, [trial_]).decision.unmentioned == ("dialysis",)
    both = ("apixaban and dialysis together", "warfarin and dialysis together")
    assert ask(question, [trial_, other]).decision.unmentioned == both


def paper(number: int, text: str, title: str = "Sorvatinib.") -> Document:
    return trial(number, title, text)


@pytest.mark.parametrize(
    ("question", "documents", "first"),
    [
        pytest.param(
            "What is the effect of sorvatinib in glioma?",
            [paper(1, "effect of sorvatinib in glioma"), paper(2, "Sorvatinib had an effect on survival in glioma.")],
            "Sorvatinib had",
            id="a whole sentence before a fragment",
        ),
        pytest.param(
            "What can cause sorvatinib rash?",
            [paper(1, "Sorvatinib rash can be caused by\n\n- sun  - heat  - alcohol\n\nThe end."), paper(2, "- heat")],
            "Sorvatinib rash can be caused by\n\n- sun  - heat  - alcohol",
            id="a list with what introduces it",
        ),
        pytest.param(
            "What are the signs of sorvatinib rash?",
            [paper(1, "Signs of sorvatinib rash Itch - Redness - Pain - Blisters - Fever - Scales")],
            "",
            id="no names in a row",
        ),
    ],
)
def test_what_a_reader_understands_by_itself_leads(
    ask: Ask, question: str, documents: Sequence[Document], first: str
) -> None:
    assert "".join(one.quote for one in ask(question, documents).evidence[:1]).startswith(first)


def test_no_sentence_stands_twice_in_a_quote(ask: Ask) -> None:
    said = "Sorvatinib reduced the size of gliomas in adults"
    answer = ask("Does sorvatinib reduce gliomas?", [paper(1, f"{said}\n{said}.")])
    assert [one.quote.count(said) for one in answer.evidence] == [1]


TABLE = "\n\n".join(
    [
        "Baseline characteristics.",
        "Age (years) | Group A (n = 31): 54.1 | Group B (n = 30): 55.9",
        "Nausea, n (%) | Group A (n = 31): 7 (23) | Group B (n = 30): 9 (30)",
    ]
)
ROWS = [Document.model_validate(one | {"text": one.pop("lead") * 40 + one["text"]}) for one in TABLES["rows"]]


@pytest.mark.parametrize(
    ("question", "document", "value"),
    [
        ("What was age in Group A in the study “{}”?", "PMID:7", "54.1"),
        ("In “{}”, what is the value of Nausea, n (%) for Group B (n = 30)?", "PMID:8", "9 (30)"),
        ("nausea, Group A, {}", "PMID:7", "7 (23)"),
        ("What was the mean age in the Group B group in the trial of {}?", "PMID:8", "55.9"),
    ],
)
def test_a_value_is_quoted_from_the_row_of_the_paper_that_is_named(
    ask: Ask, question: str, document: str, value: str
) -> None:
    paper = next(one for one in ROWS if one.id == document)
    quote = ask(question.format(paper.title), ROWS).evidence[0]
    assert (quote.document_id, value in quote.quote, "slept" in quote.quote) == (document, True, False)
    prose = ask(f"What is the effect of {paper.title.split()[0].lower()} on sleep in adults?", ROWS)
    assert " | " not in prose.evidence[0].quote


PAID = [
    ("Acknowledgements", "The work was supported by a grant from the Kelvin Foundation."),
    ("Results", "Cough fell."),
]


def test_who_paid_for_a_trial_is_told_where_it_is_asked_and_is_no_finding(ask: Ask) -> None:
    text = "\n\n".join(said for _, said in PAID)
    ends = [(label, text.index(said), text.index(said) + len(said)) for label, said in PAID]
    sections = tuple(Section(label=label, start=start, end=end) for label, start, end in ends)
    paper = trial(6, "Velnorixan for cough: a randomised trial", text, sections=sections)
    assert ask("Who funded the velnorixan trial?", [paper]).evidence[0].quote == PAID[0][1]
    found = ask("Does velnorixan reduce cough?", [paper])
    assert [one.section for one in found.evidence] == ["Results"]
