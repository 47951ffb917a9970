"""`medground ask`: notices first; again, after an answer, from standard input, with a context and from a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Said, corpus_of, run, type_in
from rows import each_row, tables

from medground.values.answer import Answer

TABLES = tables(__file__)

QUESTION = "Does aspirin reduce the risk of stroke?"
CASE = "A 64-year-old man takes warfarin.\nHe bled last month."
ASPIRIN = {
    "id": "PMID:1",
    "title": "Aspirin",
    "text": "Aspirin significantly reduced the risk of stroke.",
    "year": 2001,
}
BLEEDING = {"id": "PMID:2", "title": "Harm", "text": "Aspirin increased the risk of bleeding in adults.", "year": 2002}
PAPERS = (ASPIRIN, BLEEDING)
STATINS = {"id": "PMID:3", "title": "Statins", "text": "Statins lowered the risk of stroke in adults."}


def test_the_same_corpus_gives_the_same_answer(papers: Path, ask: Said) -> None:
    first = ask("-c", "papers", QUESTION)
    again = ask("--again", first["trace_id"])
    assert again["before"] == first
    assert again["answer"]["id"] == first["id"]
    assert again["answer"]["trace_id"] != first["trace_id"]
    assert again["changes"]["kept"] == len(first["evidence"])
    assert not any(again["changes"][name] for name in ("decision", "new", "gone", "marked", "corpora", "settings"))


def test_an_answer_that_decays_is_found(papers: Path, ask: Said, said: Said) -> None:
    first = ask("-c", "papers", "--set", "recipe.sentences=2", QUESTION)
    corpus_of({**ASPIRIN, "retraction": "retracted"}, {**STATINS, "title": "Statins beside aspirin"})
    again = ask("--again", first["id"])
    found = again["changes"]
    assert ("PMID:1", "retracted") in [(quote["document_id"], quote["why"]) for quote in found["gone"]]
    assert {quote["document_id"] for quote in found["new"]} == {"PMID:3"}
    assert [(m["document_id"], m["before"], m["now"]) for m in found["marked"]] == [("PMID:1", "none", "retracted")]
    assert [corpus["name"] for corpus in found["corpora"]] == ["papers"]
    assert again["answer"]["settings_hash"] == first["settings_hash"]

    shown = " ".join(said("ask", "-q", "--again", first["trace_id"]).out.split())
    assert "Aspirin (PMID:1) has been retracted since." in shown
    assert "Gone: “Aspirin significantly reduced the risk of stroke.”" in shown
    assert "its document has been retracted" in shown
    assert "New: “Statins lowered the risk of stroke in adults.”" in shown
    assert "Corpus papers: " in shown
    assert "## Since " in said("ask", "-q", "--again", first["trace_id"], "--markdown").out


def test_a_first_line_is_explained_by_what_was_understood_and_by_each_term_of_the_scores(
    papers: Path, said: Said
) -> None:
    told = json.loads(said("explain", "-q", "--json", "-c", "papers", QUESTION).out)
    assert told["asked"][0]["subjects"].keys() == {"aspirin", "stroke"}
    assert [search["source"] for search in told["searched"]] == ["corpus:papers"]
    first, second = told["judged"]
    assert told["first_line"]["text"] == first["sentence"] == ASPIRIN["text"]
    assert first["answers"] == pytest.approx(sum(first["terms"].values()), abs=0.01)
    assert first["answers"] > second["answers"] and first["on_subject"] > second["on_subject"]
    shown = said("explain", "-q", "-c", "papers", QUESTION).out
    assert "<- first line" in shown and "above the next, most by" in shown
    refused = said("explain", "-q", "-c", "papers", "Does zuclomide prevent stroke?").out
    assert "First line: unanswerable: nothing is shown" in refused
    risk = said("explain", "-q", "-c", "papers", "My child swallowed 25 iron pills, what now?").out
    assert risk.startswith("If this is happening now") and "no source was searched" in risk


@pytest.mark.parametrize(
    ("words", "problem"),
    [((), "no question given"), (("",), "the question is empty"), (("-c", "nosuch", QUESTION), "no corpus 'nosuch'")],
)
def test_what_cannot_be_explained_is_a_mistake(
    papers: Path, words: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", "-q", *words) == 2
    assert problem in capsys.readouterr().err


def test_settings_that_are_not_kept_are_a_mistake(papers: Path, ask: Said, said: Said) -> None:
    first = ask("-c", "papers", QUESTION)
    kept = papers / "settings" / f"{first['settings_hash']}.json"
    kept.write_text("{", encoding="utf-8")
    told = said("ask", "--again", first["trace_id"], code=2).err
    assert "cannot be read; ask the question again with its options" in told
    kept.unlink()
    assert "are not stored" in said("ask", "--again", first["trace_id"], code=2).err
    assert run("ask", "-q", "--follow", first["trace_id"], "-c", "papers", "Does it cause bleeding?") == 0


def test_a_follow_up_keeps_subject_documents_and_settings(papers: Path, ask: Said, said: Said) -> None:
    first = ask("-c", "papers", "--year-from", "1900", "--set", "recipe.sentences=1", QUESTION)
    answer = Answer.model_validate(ask("--follow", "last", "Does it cause bleeding?"))
    follows = answer.question.follows
    assert answer.question.text == "Does aspirin cause bleeding?"
    assert answer.question.task == "yes-no-maybe"
    assert follows is not None
    assert (follows.answer, follows.asked) == (first["trace_id"], "Does it cause bleeding?")
    assert (follows.word, follows.stands_for) == ("it", "aspirin")
    assert follows.documents == tuple(document["id"] for document in first["documents"])
    assert answer.settings_hash == first["settings_hash"]
    assert answer.question.filters.year_from == 1900
    assert answer.usage.searches == 2

    shown = " ".join(said("ask", "-q", "--follow", answer.trace_id, "And in adults?").out.split())
    assert "“And in adults?” was read as “Does aspirin cause bleeding in adults?”" in shown
    assert "Asked after “Does aspirin cause bleeding?”" in " ".join(
        said("ask", "-q", "--follow", answer.trace_id, "Does garlic cause bleeding?", code=3).out.split()
    )


def test_the_question_comes_from_standard_input(
    papers: Path, monkeypatch: pytest.MonkeyPatch, ask: Said, said: Said
) -> None:
    type_in(monkeypatch, f"\ufeff{QUESTION}\n".encode())
    assert ask("-c", "papers", "-")["question"]["text"] == QUESTION
    type_in(monkeypatch, b"caf\xe9?")
    assert "standard input is not UTF-8" in said("ask", "-", code=2).err


def test_a_context_reaches_the_answer_and_its_id_and_what_follows(
    papers: Path, ask: Said, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    Path("case.txt").write_text(CASE, encoding="utf-8")
    Path("long.txt").write_text(f"{CASE} {'He is well. ' * 100}And that is the end.", encoding="utf-8")
    plain = ask("-c", "papers", QUESTION)
    told = ask("-c", "papers", "--context", "case.txt", QUESTION)
    type_in(monkeypatch, CASE)
    piped = ask("-c", "papers", "--context", "-", QUESTION)
    assert told["question"]["context"] == piped["question"]["context"] == CASE
    assert told["id"] == piped["id"] != plain["id"]
    assert [search["query"] for search in told["searches"]] == [search["query"] for search in plain["searches"]]
    again = ask("--again", "last")
    assert (again["answer"]["id"], again["answer"]["question"]["context"]) == (told["id"], CASE)
    after = ask("--follow", told["trace_id"], "And in adults?")
    assert after["question"]["context"] == CASE
    told = ask("-c", "papers", "--context", "long.txt", QUESTION)
    assert f"{QUESTION} (with a context)" in said("history").out
    for form in ((), ("--markdown",)):
        shown = " ".join(said("show", told["trace_id"], *form).out.split())
        assert "characters, not evidence): “A 64-year-old man takes warfarin. He bled last month." in shown
        assert "the end" not in shown
        assert "And that is the end." in " ".join(said("show", told["trace_id"], "--details", *form).out.split())


@each_row(
    ("words", "written", "message"),
    [
        *TABLES["mistakes"],
        ([QUESTION, "--context", "line.txt"], " \n", "line.txt is empty"),
        ([QUESTION, "--context", "line.txt"], b"\xff\xfe\xfa", "line.txt is not UTF-8"),
        ([QUESTION, "--context", "line.txt"], "a" * 16_001, "shorten it to at most 16,000"),
    ],
)
def test_a_mistake_is_one_line(papers: Path, words: list[str], written: str | bytes, message: str, said: Said) -> None:
    Path("line.txt").write_bytes(written if isinstance(written, bytes) else written.encode())
    error = said("ask", *words, code=2).err
    assert message in error
    assert error.count("\n") == 1


def test_questions_from_a_file_give_one_line_each(papers: Path, said: Said) -> None:
    asking = ("ask", "-q", "-c", "papers", "--from", "questions.txt")
    Path("case.txt").write_text(CASE, encoding="utf-8")

    def lines(text: str, *words: str) -> list[dict[str, Any]]:
        Path("questions.txt").write_bytes(text.encode())
        return [json.loads(line) for line in said(*asking, "--json", *words).out.splitlines()]

    found = lines(f"# two\n{QUESTION}\n\nDoes yoga help?\n{QUESTION}\n")
    assert [line["question"] for line in found] == [QUESTION, "Does yoga help?", QUESTION]
    assert [line["answer"]["decision"]["status"] for line in found][1] == "unanswerable"
    assert found[0] == found[2]
    assert len(list((papers / "answers").glob("*.json"))) == 2
    for words in ([], ["--markdown"]):
        assert said(*asking, *words).out.count("Does yoga help?") == 1
    for end in ("\r\n", "\r", "\n"):
        found = lines(f"\ufeff{QUESTION}{end}# no{end}Does yoga help?{end}")
        assert [line["question"] for line in found] == [QUESTION, "Does yoga help?"]
    for words, first in ([], ""), (["--context", "case.txt"], CASE):
        found = lines(f'{QUESTION}\n{{"question": "{QUESTION}", "context": "A woman of 30."}}', *words)
        assert [line["answer"]["question"]["context"] for line in found] == [first, "A woman of 30."]
        assert found[0]["answer"]["id"] != found[1]["answer"]["id"]


def test_a_question_that_fails_is_asked_again_and_no_other(papers: Path, said: Said) -> None:
    Path("questions.txt").write_text(f"{QUESTION}\nDoes aspirin cause bleeding?\n", encoding="utf-8")
    words = ("ask", "-q", "-c", "papers", "--from", "questions.txt", "--set", "budget.seconds=1e-9")
    shown = said(*words, "--json", code=1)
    lines = [json.loads(line) for line in shown.out.splitlines()]
    assert [line["error"]["type"] for line in lines] == ["BudgetExhausted"] * 2
    assert "2 of 2 questions failed; run the same command" in shown.err
    assert run(*words) in (0, 1)


def test_after_a_stop_nothing_is_asked_twice(papers: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Does aspirin reduce the risk of stroke in {n} adults?" for n in range(5)]
    Path("questions.txt").write_text("\n".join(texts), encoding="utf-8")
    words = ("ask", "-q", "-c", "papers", "--from", "questions.txt", "--json")
    shown = []

    def stopped(*given: Any, **more: Any) -> None:
        shown.append(given)
        if len(shown) > 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("medground.faces.cli.ask._show", stopped)
        assert run(*words) == 130

    def whole() -> set[str]:  # what was being asked at the stop keeps what it had found
        kept = (path for path in (papers / "answers").glob("*.json"))
        return {path.stem for path in kept if json.loads(path.read_text(encoding="utf-8"))["stopped"] is None}

    before = whole()
    assert len(before) >= 3
    lines = [json.loads(line) for line in said(*words).out.splitlines()]
    assert [line["question"] for line in lines] == texts
    assert before <= {line["answer"]["trace_id"] for line in lines}
    assert len(whole()) == 5
    assert run(*words) == 0
    assert len(whole()) == 10, "a finished file is asked anew"


EMERGENCY = "I took 40 paracetamol tablets, what now?"


@each_row("words", TABLES["the_notice_comes_before_a_mistake"])
def test_the_notice_comes_before_a_mistake(papers: Path, words: tuple[str, ...], said: Said) -> None:
    notice, mistake = said("ask", "-q", EMERGENCY, *words, code=2).err.splitlines()
    assert "call your local emergency number" in notice
    assert mistake.startswith("medground: ")


def test_a_claim_standard_input_and_a_context_too(papers: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    Path("mine.txt").write_text("I want to kill myself tonight.", encoding="utf-8")
    shown = said("ask", "-q", "-c", "papers", "--context", "mine.txt", "Does aspirin reduce stroke?", code=3).out
    assert "You do not have to face this alone" in " ".join(shown.split())
    assert "Aspirin significantly" not in shown
    assert said("verify", EMERGENCY, "-c", "missing", code=2).err.startswith("If this is happening now")
    type_in(monkeypatch, EMERGENCY)
    assert said("ask", "-", "-c", "missing", code=2).err.startswith("If this is happening now")


def test_a_file_of_questions_shows_each_notice(papers: Path, capsys: pytest.CaptureFixture[str], said: Said) -> None:
    Path("questions.txt").write_text(f"Does aspirin help?\n{EMERGENCY}\n", encoding="utf-8")
    words = ("ask", "-q", "-c", "papers", "--where", "ward=ICU", "--from", "questions.txt")
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert "call your local emergency number" in shown.out
    assert "1 of 2 questions failed; change the command as the errors say" in shown.err
    lines = [json.loads(line) for line in said(*words, "--json", code=2).out.splitlines()]
    assert [bool(line.get("error")) for line in lines] == [True, False]
