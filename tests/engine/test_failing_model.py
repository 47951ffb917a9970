"""A language model that fails, runs out of its budget or reads another language leaves an answer that says so."""

import json
from pathlib import Path

import pytest
from chat_peer import ChatPeer, Sent, chat, refusal
from command_line import run
from rows import each_row

from medground.engine.blocking import BlockingEngine
from medground.errors import ModelFailed, UsageError
from medground.home.settings import Settings
from medground.models.operators.answering import AnswerOutput, ReadInput
from medground.models.operators.checking import CheckInput, CheckOutput, StatementCheck
from medground.models.operators.reasoning import SubClaim
from medground.models.operators.rewording import CompleteInput, CompleteOutput, TranslateOutput

QUESTION = "Does aspirin reduce the risk of stroke?"
QUOTE = "Aspirin reduced the risk of stroke in adults."


@each_row(
    ("sent", "reason"),
    [
        (refusal(500, "oops"), "answered HTTP 500"),
        (refusal(429, retry_after="3600"), "limiting the call rate"),
        (refusal(400, code="context_length_exceeded"), "exceeds the model's context window"),
        (chat("I cannot give medical advice."), "no valid answer"),
        (chat('{"statements": [', finish="length"), "output limit"),
        (chat("", finish="content_filter"), "content filter"),
    ],
)
def test_a_model_that_fails_leaves_quotes_and_the_reason(
    loopback: None,
    papers: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    sent: Sent,
    reason: str,
) -> None:
    monkeypatch.setenv("MEDGROUND_KEYS__OPENAI", "sk-test-0123456789abcdefghij")
    with ChatPeer(sent) as peer:
        words = ("ask", "-q", "--json", "-c", "papers", "--model", "openai:stub", "--no-cache", "--set")
        assert run(*words, f"model.base_url={peer.url}", "--set", "model.retries=0", QUESTION) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [quote["quote"] for quote in answer["evidence"]] == [QUOTE]
    assert reason in answer["stopped"] and answer["decision"]["status"] == "not judged"


def test_a_failure_is_raised_where_it_must_be_counted(papers: Path, scripted_model: type) -> None:
    model = scripted_model({"read_and_answer": ModelFailed("it broke", model="mine")}, name="mine")
    settings = Settings.load(options={"retrieval.corpora": ("papers",)})
    with BlockingEngine(settings, model=model) as engine:
        assert engine.ask(QUESTION).evidence
        engine._engine.quotes_instead = False  # as in an evaluation
        with pytest.raises(ModelFailed, match="it broke"):
            engine.ask(QUESTION)


def german(value: ReadInput) -> AnswerOutput:
    assert value.question == "Senkt Aspirin das Risiko für einen Schlaganfall?"
    (sentence,) = (one.id for passage in value.passages for one in passage.sentences)
    said = SubClaim(text="Aspirin senkte bei Erwachsenen das Risiko eines Schlaganfalls.", sentences=(sentence,))
    return AnswerOutput(statements=(said,), answer=("yes",))


def quoted(value: ReadInput) -> AnswerOutput:
    (sentence,) = (one.id for passage in value.passages for one in passage.sentences)
    return AnswerOutput(
        statements=(SubClaim(text="In adults aspirin lowered the risk of stroke.", sentences=(sentence,)),),
        answer=("A",) if value.options else ("yes",),
    )


def agreed(value: CheckInput) -> CheckOutput:
    judged = tuple(
        StatementCheck(statement=one.id, relation="entails", best=value.evidence[0].id) for one in value.statements
    )
    return CheckOutput(statements=judged, found=value.answer, result="follows", rests_on=(judged[0].statement,))


def test_a_question_in_another_language_is_searched_in_english_and_answered_in_its_own(
    papers: Path, scripted_model: type
) -> None:
    replies = {"translate": TranslateOutput(english=QUESTION), "read_and_answer": german, "check": agreed}
    settings = Settings.load(options={"retrieval.corpora": ("papers",)})
    asked = "Senkt Aspirin das Risiko für einen Schlaganfall?"
    with BlockingEngine(settings, model=scripted_model(replies, name="mine")) as engine:
        answer = engine.ask(asked)
        assert answer.decision.shown() == "yes"
        assert [one.text for one in answer.statements] == [
            "Aspirin senkte bei Erwachsenen das Risiko eines Schlaganfalls."
        ]
        assert (answer.question.typed, answer.question.text) == (asked, QUESTION)
        assert f"the question was read in English as “{QUESTION}”" in answer.warnings
        assert engine.ask(asked).id == answer.id


def test_a_follow_up_is_read_by_the_model_and_without_it_by_what_was_learned(
    papers: Path, scripted_model: type
) -> None:
    typed, whole = "and was it seen in grown-ups", "Does aspirin reduce the risk of stroke in adults?"

    def completed(value: CompleteInput) -> CompleteOutput:
        assert (value.conversation, value.question) == ((QUESTION,), typed)
        return CompleteOutput(whole=whole)

    replies: dict[str, object] = {"complete": completed, "read_and_answer": quoted, "check": agreed}
    settings = Settings.load(options={"retrieval.corpora": ("papers",)})
    with BlockingEngine(settings, model=scripted_model(replies, name="mine")) as engine:
        first = engine.ask(QUESTION)
        second = engine.ask(typed, follow=first.trace_id)
        assert (second.question.text, second.question.typed) == (whole, whole)
        assert second.question.follows and second.question.follows.asked == typed
        assert second.question.follows.things == 2 * ("aspirin", "stroke")
        assert (second.question.follows.carried, second.nearby) == ("aspirin and stroke", (typed,))
        replies["complete"] = ModelFailed("it broke", model="mine")
        third = engine.ask("does it do that in adults", follow=first.trace_id)
        assert third.question.text != whole and any("what the conversation leaves out" in w for w in third.warnings)
        with pytest.raises(UsageError, match="write the whole question"):
            engine.ask("and why", follow=engine.ask("hello there").trace_id)
        replies["complete"] = CompleteOutput(whole=whole)
        choices = {"A": "yes it does", "B": "it does not"}
        fourth = engine.ask("which of these then", follow=first.trace_id, options=choices)
        assert (fourth.question.text, len(fourth.question.options)) == (whole, 2)
