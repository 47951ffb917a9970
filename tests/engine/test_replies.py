"""What is answered without a search, and what stands beside nothing found."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rows import tables

from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.values.question import Question
from medground.values.where import parse_where

TABLES = tables(__file__)

TRIAL = TABLES["trial"]
CASE = TABLES["case"]
FINS = {"id": "PMID:3", "title": "Fins", "text": "Fins of zebrafish grow again."}
QUESTION = "Does velnorixan reduce chronic cough?"


@pytest.fixture(scope="module")
def coughs(build_home: Callable[[dict[str, list[dict[str, Any]]]], Path]) -> Path:
    return build_home({"coughs": [TRIAL, CASE], "others": [FINS]})


@pytest.fixture
def engine(coughs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BlockingEngine]:
    monkeypatch.setenv("MEDGROUND_HOME", str(coughs))
    with BlockingEngine(Settings.load(options={"retrieval.corpora": ("coughs",)})) as opened:
        yield opened


def told(engine: BlockingEngine, asked: str | Question, follow: str | None = None) -> str:
    """Headline and reason of an answer, as one line."""
    lines = str(engine.ask(asked, follow=follow)).split("\n\n")
    return re.sub(r"\s+", " ", lines[1 if follow is None else 2])


def test_nothing_found_says_what_could_be_asked_and_searched(engine: BlockingEngine) -> None:
    answer = engine.ask("Does zyxatrol reduce chronic cough?")
    assert (answer.nearby, answer.unsearched) == (("What is known about chronic cough?",), ("others",))
    assert "Ask instead: “What is known about chronic cough?” Not searched: others." in str(answer)
    assert engine.ask(answer.nearby[0]).evidence
    assert engine.ask(QUESTION).unsearched == ()
    decision = answer.decision.model_copy(update={"unmentioned": ()})
    question = Question.ask("Does chronic cough matter?")
    nothing = {"question": question, "decision": decision, "evidence": (), "statements": ()}
    known = answer.model_copy(update=nothing)
    assert "Nothing found that answers this in coughs" in str(known)
    assert "Nothing found that answers this in coughs" in str(engine.ask("zzyx"))


def test_a_paper_that_is_named_by_its_id_is_what_is_asked_for(engine: BlockingEngine) -> None:
    assert [one.document_id for one in engine.ask("Summarise PMID:2").evidence] == ["PMID:2"]


def test_a_limit_that_leaves_nothing_names_the_field_and_its_values(engine: BlockingEngine) -> None:
    def within(limit: str) -> str:
        return told(engine, Question.ask(QUESTION, filters=parse_where([limit])))

    has = "No document in corpus coughs has"
    types = "case reports, randomized controlled trial"
    assert within("design=guideline") == f"{has} design guideline; its documents have {types}."
    assert within("ward=ED") == f"{has} ward ED; its documents have icu."
    assert within("journal=Lancet") == f"{has} journal Lancet."
    assert within("year=2024..") == f"{has} year 2024.."


def test_requests_about_the_last_answer_are_done(engine: BlockingEngine) -> None:
    first = engine.ask(QUESTION)
    assert told(engine, "who wrote it?", first.trace_id).endswith(
        "PMID:1: Rao A, Kim B (Thorax, 2021); PMID:2: no authors recorded (2012)."
    )
    sure = engine.ask("are you sure?", follow=first.trace_id)
    assert "Of 2 sentences, 2 are quoted. 2 of 2 quotes stand word for word in their documents now." in str(sure)
    assert (sure.question.text, sure.evidence, sure.usage.searches) == (QUESTION, first.evidence, 0)
    trials = engine.ask("only randomised trials since 2019", follow=sure.trace_id)
    assert {one.document_id for one in trials.evidence} == {"PMID:1"}
    assert (trials.question.text, trials.question.filters.year_from) == (QUESTION, 2019)
    assert "“only randomised trials since 2019” was asked about the answer to" in str(trials)
    newest = engine.ask("show me the newest", follow=first.trace_id)
    assert newest.evidence[0].document_id == "PMID:1" and not newest.question.filters.where


def test_requests_without_a_last_answer_are_told_how(engine: BlockingEngine) -> None:
    for asked in ("are you sure?", "who wrote it", "show me the newest", "only trials since 2019"):
        assert "ask it as one that follows that answer" in told(engine, asked), asked
    assert "1 of them with design randomized trial" in told(engine, "which are randomised?")
    assert told(engine, "How many papers do you have?").startswith("Corpus coughs holds 2 documents; ")


def test_what_is_asked_of_options_or_of_a_thing_is_a_question(engine: BlockingEngine) -> None:
    choice = engine.ask(Question.ask("Which is not true?", options=("It reduces cough", "It causes cough")))
    assert choice.usage.searches > 0
    first = engine.ask(QUESTION)
    counted = engine.ask("How many papers are there on it?", follow=first.trace_id)
    assert counted.question.text.startswith("How many papers are there on velnorixan") and counted.evidence


def test_a_conversation_keeps_its_subject_and_its_trial_and_asks_back(engine: BlockingEngine) -> None:
    first = engine.ask("my aunt has a chronic cough, does velnorixan help")
    carried = engine.ask("which dose should she take", follow=first.trace_id)
    assert "velnorixan" in carried.question.text
    trial = engine.ask("How many patients were in the trial?", follow=first.trace_id)
    follows = trial.question.follows
    assert follows is not None
    assert follows.paper == TRIAL["id"]
    assert {quote.document_id for quote in trial.evidence} <= {TRIAL["id"]}
    assert TRIAL["title"] in " ".join(str(trial).split())
    two = engine.ask("Is asthma linked to gout?")
    back = engine.ask("what helps", follow=two.trace_id)
    assert back.nearby == ("what helps with asthma?", "what helps with gout?")
    assert not back.searches
    assert "Ask instead: “what helps with asthma?”" in " ".join(str(back).split())
    chosen = engine.ask("the second", follow=back.trace_id)
    assert chosen.question.text == "what helps with gout?"
