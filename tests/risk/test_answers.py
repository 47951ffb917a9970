"""A notice is the first thing said: in answers of every recipe, in verification, in each form and on errors."""

import asyncio
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from rows import each_row

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.engine.engine import Engine
from medground.errors import MedgroundError, SourceUnavailable
from medground.faces.cli.app import main
from medground.home.registry import RECIPES
from medground.home.settings import Settings
from medground.language.risk.notices import notice_for
from medground.values.answer import Answer
from medground.wording.markup import as_html, as_markdown
from medground.wording.text import as_text

SELF_HARM = "I want to kill myself"
EMERGENCY = "I have crushing chest pain now, does aspirin help?"
DOCTOR = "I am 64 and bleed again after menopause, is it losartan?"
TREATMENT = "Should I stop my losartan?"
PAPERS = [
    {
        "id": "PMID:1",
        "title": "Losartan",
        "text": "Losartan was stopped in 20 adults. Aspirin helps in acute chest pain.",
    },
    {"id": "PMID:2", "title": "Suicide", "text": "People who want to kill themselves were treated with radiotherapy."},
]
KEYLESS = [name for name in RECIPES if name not in ("model-only", "rag", "self-reflection")]


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> Path:
    """A home with the corpus `papers`."""
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, PAPERS)), encoding="utf-8")
    build(Library(home), "papers", find_inputs([file]))
    return home


def settings(**options: Any) -> Settings:
    return Settings.load(options={"retrieval.corpora": ("papers",)} | options)


def kind(answer: Any) -> str:
    return answer.notice.kind if answer.notice else ""


def silent(answer: Answer) -> bool:
    """Whether nothing was searched, read, asked or quoted."""
    material = (answer.evidence, answer.documents, answer.searches, answer.statements, answer.rationale, answer.models)
    return not any(material) and answer.usage.searches == answer.usage.model_calls == 0


@each_row("recipe", KEYLESS)
def test_no_recipe_runs_for_self_harm(papers: Path, recipe: str) -> None:
    with BlockingEngine(settings(**{"recipe.name": recipe})) as engine:
        answer = engine.ask(SELF_HARM)
    assert kind(answer) == "self-harm"
    assert answer.decision.status == "unanswerable"
    assert "no source was searched" in answer.decision.reason
    assert answer.recipe == recipe
    assert silent(answer)


@each_row("text", [EMERGENCY, "My son swallowed 30 losartan pills", "My infant has been vomiting all night"])
def test_nothing_is_quoted_under_an_emergency(papers: Path, text: str) -> None:
    with BlockingEngine(settings()) as engine:
        answer = engine.ask(text)
        again = engine.ask("is it dangerous", follow=answer.trace_id)
    assert (kind(answer), kind(again)) == ("emergency", "emergency")
    assert silent(answer)
    assert silent(again)


def test_a_case_of_an_examination_or_a_clinician_is_answered_below_its_notice(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        examined = engine.ask(EMERGENCY, options=["Aspirin helps in acute chest pain", "It does not"])
        case = engine.ask("Does aspirin help in acute chest pain?", context="He has crushing chest pain now.")
    assert (kind(examined), kind(case)) == ("emergency", "emergency")
    assert examined.searches
    assert case.evidence


def test_the_answer_follows_the_other_notices(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        doctor, treatment, plain = (
            engine.ask(text) for text in (DOCTOR, TREATMENT, "Does losartan reduce blood pressure?")
        )
    assert kind(doctor) == "see-doctor"
    assert doctor.searches
    assert kind(treatment) == "treatment"
    assert treatment.evidence
    assert plain.notice is None


def test_many_questions_and_a_stream_go_the_same_way(papers: Path) -> None:
    async def asked() -> tuple[list[Any], list[Any]]:
        async with Engine.open(settings()) as engine:
            many = await engine.ask_many([SELF_HARM, TREATMENT])
            return many, [step async for step in engine.stream(SELF_HARM)]

    many, steps = asyncio.run(asked())
    assert [outcome.answer.notice.kind for outcome in many] == ["self-harm", "treatment"]
    assert silent(steps[-1])
    assert [step.type for step in steps[:-1]] == ["kept"]


def test_a_claim_gets_the_same_notice(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        claims = [engine.verify(text) for text in (SELF_HARM, "My son swallowed bleach. Losartan was stopped.")]
        other = engine.verify(DOCTOR)
    assert [kind(claim) for claim in claims] == ["self-harm", "emergency"]
    assert not any((claim.statements, claim.evidence, claim.documents, claim.searches) != ((),) * 4 for claim in claims)
    assert kind(other) == "see-doctor"
    assert other.searches


def test_the_trace_keeps_the_kind_only(papers: Path) -> None:
    for question, risk in ((SELF_HARM, "self-harm"), (EMERGENCY, "emergency")):
        with BlockingEngine(settings()) as engine:
            answer = engine.ask(question)
        spans = read_trace(papers / "traces", answer.trace_id)
        assert [span["attributes"].get("medground.notice") for span in spans] == [risk]
        assert answer.notice is not None
        assert answer.notice.sentence not in json.dumps(spans)


def run(*words: str) -> None:
    with pytest.raises(SystemExit):
        main(list(words))


def flat(text: str) -> str:
    return re.sub(r"[\s*\\]+", " ", unescape(text)).strip()


@each_row("text", [SELF_HARM, EMERGENCY, TREATMENT])
def test_each_form_begins_with_it(papers: Path, text: str) -> None:
    with BlockingEngine(settings()) as engine:
        answer = engine.ask(text)
    assert answer.notice is not None
    said = flat(answer.notice.sentence)
    assert flat(as_text(answer)).startswith(said)
    assert flat(as_markdown(answer)).startswith(said)
    assert flat(re.sub("<[^>]*>", " ", as_html(answer))).startswith(said)
    again = Answer.model_validate_json(answer.model_dump_json())
    assert again == answer


def test_the_command_line_says_it_first(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = notice_for(SELF_HARM)
    assert said is not None
    for command in ("ask", "verify"):
        run(command, "-q", "-c", "papers", SELF_HARM)
        shown = flat(capsys.readouterr().out)
        assert shown.startswith(flat(said.sentence)), command
        assert "radiotherapy" not in shown
        assert "Nothing was searched." in shown
    run("ask", "-q", "-c", "papers", "--json", SELF_HARM)
    assert json.loads(capsys.readouterr().out)["notice"] == said.model_dump()


def test_a_failure_does_not_hide_it(papers: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    async def fails(*_: Any) -> None:
        raise SourceUnavailable("the disk is gone", source="papers")

    monkeypatch.setattr("medground.sources.corpus.CorpusSource.search", fails)
    with BlockingEngine(settings()) as engine, pytest.raises(MedgroundError) as caught:
        engine.ask(DOCTOR)
    assert caught.value.notice == notice_for(DOCTOR)
    run("ask", "-q", "-c", "papers", DOCTOR)
    shown = capsys.readouterr().err
    assert shown.index("Please have a doctor") < shown.index("the disk is gone")


def test_an_answer_about_self_harm_cannot_quote(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        answer = engine.ask("Was losartan stopped in adults?")
    content = answer.model_dump()
    with pytest.raises(ValidationError, match="quotes nothing"):
        Answer.model_validate(content | {"notice": notice_for(SELF_HARM)})
    del content["notice"]  # as stored before there were notices
    assert Answer.model_validate(content) == answer
    kept = Answer.model_validate(content | {"notice": {"kind": "emergency", "sentence": "Call for help."}})
    assert kept.notice is not None  # kept when emergencies were answered
    assert (kept.notice.stops, kept.evidence) == (False, answer.evidence)


def test_a_search_for_somebody_in_danger_finds_nothing_and_says_where_to_turn(papers: Path) -> None:
    with BlockingEngine(settings()) as engine:
        found = [engine.search(SELF_HARM), engine.search(EMERGENCY)]
        with_hits = engine.search(DOCTOR)
        harmless = engine.search("aspirin in chest pain")
    assert [kind(one) for one in found] == ["self-harm", "emergency"]
    assert not any(one.hits or one.searches for one in found)
    assert with_hits.notice == notice_for(DOCTOR)
    assert with_hits.hits
    assert harmless.notice is None
