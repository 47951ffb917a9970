"""What a program hands in wrongly is refused in one line, before anything is asked; what it may hand in is used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import refused

import medground
from medground.engine.blocking import BlockingEngine
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.values.query import Filters
from medground.values.question import Question
from medground.wording.view import view

QUESTION = "Does aspirin reduce the risk of stroke?"
Call = Callable[[BlockingEngine, Any], Any]


@pytest.fixture
def engine(papers: Path) -> Iterator[BlockingEngine]:
    with BlockingEngine(Settings.load(), corpora="papers") as opened:
        yield opened


LISTS: dict[str, Call] = {
    "questions": lambda engine, value: engine.ask_many(value),
    "questions, each": lambda engine, value: list(engine.ask_each(value)),
    "papers": lambda engine, value: engine.papers(value),
    "lines": lambda engine, value: engine.strategy(value),
    "columns": lambda engine, value: engine.table(engine.ask(QUESTION).trace_id, value),
    "references": lambda engine, value: engine.check_text("Aspirin helps [1].", references=value),
    "fields": lambda engine, value: engine.check_text("Aspirin helps [1].", fields=value),
    "options": lambda engine, value: engine.ask(QUESTION, options=value),
}


@pytest.mark.parametrize("what", LISTS)
@pytest.mark.parametrize("value", [QUESTION, QUESTION.encode(), Question.ask(QUESTION), 5])
def test_what_is_one_thing_is_not_taken_for_a_list(engine: BlockingEngine, what: str, value: object) -> None:
    refused(UsageError, r"must be (Iterable|Sequence)\[", LISTS[what], engine, value)


TEXTS: dict[str, Call] = {
    "a question": lambda engine, value: engine.ask(value),
    "a context": lambda engine, value: engine.ask(QUESTION, context=value),
    "a query": lambda engine, value: engine.search(value),
    "a text": lambda engine, value: engine.check_text(value),
    "a claim": lambda engine, value: engine.verify(value),
    "an answer": lambda engine, value: engine.table(value),
    "a paper": lambda engine, value: engine.related(value),
    "a line": lambda engine, value: engine.strategy([value]),
}


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("value", [[QUESTION], 5])
def test_what_is_not_text_is_refused(engine: BlockingEngine, what: str, value: object) -> None:
    refused(UsageError, r"must be (str|Sequence\[str\])", TEXTS[what], engine, value)


OTHERS: dict[str, Call] = {
    "limit must be int, not 'ten'": lambda engine, _: engine.search("aspirin", limit="ten"),  # type: ignore[arg-type]
    "concurrency must be int": lambda engine, _: engine.ask_many([QUESTION], concurrency="8"),  # type: ignore[arg-type]
    "syntax must be Literal": lambda engine, _: engine.search("aspirin", syntax="PubMed"),  # type: ignore[arg-type]
    "settings must be Mapping": lambda engine, _: engine.ask(QUESTION, settings=["a"]),  # type: ignore[arg-type]
    "plan must be ResearchPlan": lambda engine, _: engine.ask(QUESTION, plan="aspirin first"),  # type: ignore[arg-type]
    "on_step must be Callable": lambda engine, _: engine.ask(QUESTION, on_step="print"),  # type: ignore[arg-type]
    "references must be Sequence": lambda engine, _: engine.check_text("A [1].", references=["my.bib"]),  # type: ignore[list-item]
    "spans must be": lambda engine, _: engine.highlights("PMID:1", [1, 2]),  # type: ignore[list-item]
    "corpora must be str": lambda *_: BlockingEngine(corpora=5),  # type: ignore[arg-type]
    "sources must be a list, not 5": lambda *_: BlockingEngine(sources=5),  # type: ignore[arg-type]
    "progress must be Progress": lambda *_: BlockingEngine(progress="yes"),  # type: ignore[arg-type]
    "name must be str": lambda *_: medground.resume(5),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("says", OTHERS)
def test_what_is_of_another_type_is_refused_by_its_name(engine: BlockingEngine, says: str) -> None:
    refused(UsageError, says, OTHERS[says], engine, None)


def test_a_wrong_call_about_a_person_at_risk_has_the_notice(engine: BlockingEngine) -> None:
    error = refused(UsageError, "settings must be", engine.ask, "I want to kill myself", settings="fast")
    assert error.notice is not None and error.notice.stops


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"year_from": "soon"}, "year_from: not a whole number"),
        ({"year_from": 2020, "year_to": 2010}, "the first year"),
        ({"yearfrom": 2020}, "unknown field"),
        ({"date_to": "2020-13"}, "not a date"),
        ({"kinds": "research"}, "kinds: not a list"),
        ({"ids": ["stroke"]}, "not a document id"),
        ({"where": {"journal": 5}}, "where"),
        ({"where": 5}, "where: not a list"),
    ],
)
def test_limits_that_cannot_be_are_our_error(limits: dict[str, Any], says: str) -> None:
    refused(UsageError, says, lambda: Filters(**limits))


def test_a_question_is_asked_within_limits(engine: BlockingEngine) -> None:
    within = Filters(where={"journal": "Lancet"})  # type: ignore[arg-type]
    asked = Question.ask(QUESTION, filters=within)
    for answer in (
        engine.ask(QUESTION, filters=within),
        engine.ask(asked, filters=within),
        engine.ask(QUESTION, filters=within.model_dump()),  # as the HTTP API takes it
        medground.ask(QUESTION, corpora="papers", filters=within),
        engine.ask_many([QUESTION], filters=within)[0].answer,
    ):
        assert answer is not None
        assert (answer.question, answer.evidence) == (asked, ())
    assert engine.ask("Is it safe?", follow=answer.trace_id, filters=Filters(year_to=2020)).question.filters.year_to
    for wrong, says in (
        (Filters(year_from=1990), "has filters already"),
        ("1990", "filters must be Filters"),
    ):
        refused(UsageError, says, engine.ask, asked, filters=wrong)


def test_the_first_line_of_an_answer_is_the_same_on_every_face(engine: BlockingEngine) -> None:
    for question in (QUESTION, "Do fins of zebrafish regenerate?", "Does yoga shorten labour?"):
        answer = engine.ask(question)
        assert answer.headline == view(answer).headline
        assert answer.headline in str(answer)
