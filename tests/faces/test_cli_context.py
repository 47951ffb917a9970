"""`medground ask --context`: from a file or standard input, in the lines of `--from`; kept, shown, asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Said, asked, type_in
from rows import each_row

from medground import BlockingEngine, Question
from medground.testing.command import run

QUESTION = "Does aspirin reduce the risk of stroke?"
CASE = "A 64-year-old man takes warfarin.\nHe bled last month."
PAPERS = ({"id": "PMID:1", "title": "Aspirin", "text": "Aspirin significantly reduced the risk of stroke."},)


@pytest.fixture(autouse=True)
def case(papers: Path) -> None:
    """A case beside the papers."""
    Path("case.txt").write_text(CASE, encoding="utf-8")


def test_a_context_reaches_the_answer_and_its_id(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = asked(capsys, "-c", "papers", QUESTION)
    told = asked(capsys, "-c", "papers", "--context", "case.txt", QUESTION)
    type_in(monkeypatch, CASE)
    piped = asked(capsys, "-c", "papers", "--context", "-", QUESTION)
    assert told["question"]["context"] == piped["question"]["context"] == CASE
    assert told["id"] == piped["id"] != plain["id"]
    assert [search["query"] for search in told["searches"]] == [search["query"] for search in plain["searches"]]


def test_history_and_show_tell_the_context(capsys: pytest.CaptureFixture[str], said: Said) -> None:
    long = f"{CASE} {'He is well. ' * 100}And that is the end."
    Path("long.txt").write_text(long, encoding="utf-8")
    told = asked(capsys, "-c", "papers", "--context", "long.txt", QUESTION)
    assert f"{QUESTION} (with a context)" in said("history").out
    for form in ((), ("--markdown",)):
        shown = " ".join(said("show", told["trace_id"], *form).out.split())
        assert "characters, not evidence): “A 64-year-old man takes warfarin. He bled last month." in shown
        assert "the end" not in shown
        assert "And that is the end." in " ".join(said("show", told["trace_id"], "--details", *form).out.split())


def test_asked_again_and_followed_up_with_the_same_context(capsys: pytest.CaptureFixture[str]) -> None:
    told = asked(capsys, "-c", "papers", "--context", "case.txt", QUESTION)
    again = asked(capsys, "--again", "last")
    assert again["answer"]["id"] == told["id"]
    assert again["answer"]["question"]["context"] == CASE
    after = asked(capsys, "--follow", told["trace_id"], "And in adults?")
    assert after["question"]["context"] == CASE
    Path("other.txt").write_text("A woman of 30.", encoding="utf-8")
    other = asked(capsys, "--follow", told["trace_id"], "--context", "other.txt", "And in adults?")
    assert other["question"]["context"] == "A woman of 30."
    assert run("ask", "--again", "last", "--context", "case.txt") == 2


def test_lines_of_a_file_may_have_their_own_context(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [QUESTION, json.dumps({"question": QUESTION, "context": "A woman of 30."})]
    Path("questions.txt").write_text("\n".join(lines), encoding="utf-8")
    for words, first in (((), ""), (("--context", "case.txt"), CASE)):
        found = [
            json.loads(line)["answer"]
            for line in said("ask", "-q", "-c", "papers", "--from", "questions.txt", "--json", *words).out.splitlines()
        ]
        assert [answer["question"]["context"] for answer in found] == [first, "A woman of 30."]
        assert found[0]["id"] != found[1]["id"]


@each_row(
    ("line", "message"),
    [
        ('{"question": 3}', "line 1: question and context must be text"),
        ('{"question": "Is it?", "case": "x"}', "line 1: unknown key 'case'"),
        ('{"question', "line 1: this is not JSON"),
        ('{"context": "x"}', "line 1: question and context must be text"),
        (json.dumps({"question": "Is it?", "context": "a" * 16_001}), "line 1: the context has 16,001 characters"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, message: str, said: Said) -> None:
    Path("questions.txt").write_text(line, encoding="utf-8")
    error = said("ask", "-c", "papers", "--from", "questions.txt", code=2).err
    assert message in error
    assert error.count("\n") == 1


@each_row(
    ("content", "words", "message"),
    [
        (None, ("--context", "nowhere.txt"), "cannot read nowhere.txt"),
        (b" \n", ("--context", "bad.txt"), "bad.txt is empty"),
        (b"\xff\xfe\xfa", ("--context", "bad.txt"), "bad.txt is not UTF-8"),
        (b"a" * 16_001, ("--context", "bad.txt"), "shorten it to at most 16,000"),
        (None, ("--context", "-", "-"), "- is given twice"),
    ],
)
def test_bad_contexts_are_a_mistake_in_one_line(
    content: bytes | None, words: tuple[str, ...], message: str, said: Said
) -> None:
    if content is not None:
        Path("bad.txt").write_bytes(content)
    question = () if "-" in words else (QUESTION,)
    error = said("ask", "-c", "papers", *words, *question, code=2).err
    assert message in error
    assert error.count("\n") == 1


def test_the_engine_takes_a_context(capsys: pytest.CaptureFixture[str]) -> None:
    told = asked(capsys, "-c", "papers", "--context", "case.txt", QUESTION)
    with BlockingEngine(corpora="papers") as engine:
        assert engine.ask(QUESTION, context=CASE).id == told["id"]
        assert engine.ask(Question.ask(QUESTION, context=CASE)).id == told["id"]
        outcomes = engine.ask_each([Question.ask(QUESTION, context=CASE), QUESTION])
        answers = [outcome.answer for outcome in outcomes]
    assert [answer.question.context for answer in answers if answer] == [CASE, ""]


def test_a_context_that_shows_a_person_at_risk_gets_a_notice_first(said: Said) -> None:
    Path("mine.txt").write_text("I want to kill myself tonight.", encoding="utf-8")
    shown = said("ask", "-q", "-c", "papers", "--context", "mine.txt", QUESTION, code=3).out
    assert "You do not have to face this alone" in " ".join(shown.split())
    assert "Aspirin significantly" not in shown
