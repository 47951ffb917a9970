"""Whatever a model server sends, a call ends in one line, in bounded time and memory, and the budget counts it."""

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from closing import then_closed
from http_peer import Asked, Reply
from model_contract import FREE, NAME, asking
from rows import each_row

from medground.errors import BudgetExhausted, ModelFailed
from medground.home.settings import Settings
from medground.models.attempts import BYTES_PER_TOKEN
from medground.models.base import CallLimits
from medground.models.hosted import open_hosted
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.served import ServedModel

JSON = "application/json"
KEY = "sk-echoed/key+0123456789"
ASKED = asking("T2")
GOOD = '{"id": "T2"}'
pytestmark = pytest.mark.filterwarnings("ignore:Failed to extract usage")


def completion(text: str = GOOD, usage: Any = None, calls: int = 0) -> bytes:
    """A chat completion; without `usage` it reports none. `calls`: calls of tools."""
    call = {"id": "c", "type": "function", "function": {"name": "final_result", "arguments": "{}"}}
    message = {"role": "assistant", "content": text, **({"tool_calls": [call] * calls} if calls else {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    told = {} if usage is None else {"usage": usage}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice], **told}
    return json.dumps(whole).encode()


def told(prompt: Any, written: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": 0}


def bomb(size: int) -> bytes:
    """So many blanks, packed: a thousandth of it."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(pack.compress(b" " * (1 << 20)) for _ in range(size >> 20)), pack.flush()])


def model_at(url: str, *, timeout: float = 60.0, retries: int = 2) -> ServedModel:
    options = {"model.base_url": f"{url}/v1", "model.timeout": timeout, "model.retries": retries, "keys.openai": KEY}
    return open_hosted("openai:stub", Settings.load(options=options))


def failure(model: ServedModel) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        then_closed(model, model.answer(NAME, ASKED, FREE))
    assert "\n" not in str(caught.value)
    return caught.value


BOMB = Reply(bomb(1 << 28), type=JSON, headers={"content-encoding": "gzip"})


@each_row("kind", ["a gzip bomb", "endless"])
def test_a_reply_that_is_too_large_is_cut_while_it_arrives(kind: str, make_peer: Callable[..., Any]) -> None:
    peer = make_peer(Reply(b" " * 65536, type=JSON, endless=True) if kind == "endless" else BOMB)
    failed = failure(model_at(peer.url))
    assert "the response is larger than 8 MB" in str(failed)
    assert len(peer.asked) == 1  # another attempt would end the same way
    assert failed.usage is not None and failed.usage.estimated_tokens == failed.usage.input_tokens > 0


@each_row("slow", [{"drip": 0.2}, {"drip_head": 0.2}, {"hang": 30.0}])
def test_the_timeout_is_that_of_the_whole_reply(slow: dict[str, float], make_peer: Callable[..., Any]) -> None:
    peer = make_peer(Reply(completion(), type=JSON, **slow))
    said = str(failure(model_at(peer.url, timeout=0.3)))
    assert "within 0.3 s; raise model.timeout" in said


@each_row(
    ("sent", "line"),
    [
        (Reply(b"[" * 100_000, type=JSON), "not a chat completion"),
        (Reply(b"", type=JSON), "not a chat completion"),
        (Reply(completion("[" * 100_000, told(9, 9)), type=JSON), "recursion limit"),
        (Reply(completion().replace(b"T2", b"\xff\xfe"), type=JSON), "not a chat completion"),
        (Reply(completion(usage=told("many", "5")), type=JSON), "not a chat completion"),
        (Reply(completion('{"id": "\ud83d"}'), type=JSON), "'?' is not one of the given ids"),
        (Reply(completion(calls=2_000), type=JSON), "not a chat completion"),
        (Reply(completion(), type=JSON, headers={"content-encoding": "br"}), "packed as 'br'"),
        (Reply(status=302, headers={"location": "http://127.0.0.1:9/elsewhere"}), "not a chat completion"),
    ],
)
def test_a_reply_that_cannot_be_read_is_one_line(sent: Reply, line: str, make_peer: Callable[..., Any]) -> None:
    assert line in str(failure(model_at(make_peer(sent).url)))


@each_row("usage", [None, told(-1_000_000, -5), told(0, 0), told(1, 1), told(10**12, 10**12)])
def test_tokens_that_are_not_reported_are_counted_and_end_the_budget(usage: Any, make_peer: Callable[..., Any]) -> None:
    peer = make_peer(Reply(completion('{"id": "T9"}', usage), type=JSON))
    model = model_at(peer.url, retries=50)
    with pytest.raises(BudgetExhausted) as caught:
        then_closed(model, model.answer(NAME, ASKED, CallLimits(tokens=600)))
    used = caught.value.usage
    assert caught.value.limit == "tokens" and used is not None
    assert 600 <= used.estimated_tokens <= used.tokens < 3000
    prompt = len((NAME.instructions + NAME.prompt(ASKED)).encode())
    assert used.input_tokens >= len(peer.asked) * prompt // BYTES_PER_TOKEN


def test_a_server_that_echoes_what_it_got_is_answered_with_asterisks(make_peer: Callable[..., Any]) -> None:
    def echo(asked: Asked) -> Reply:
        forms = f"{asked.headers['authorization']} {base64.b64encode(KEY.encode()).decode()} {quote(KEY)}"
        return Reply(json.dumps({"error": {"message": f"bad {forms}"}}).encode(), 400, JSON)

    said = str(failure(model_at(make_peer(echo).url)))
    assert "bad Bearer ******** ******** ********" in said
    assert KEY not in said and "sk-echoed" not in said


def test_an_id_that_was_not_given_is_dropped_when_the_model_insists(make_peer: Callable[..., Any]) -> None:
    passage = SentencedPassage(id="P1", sentences=(SentenceView(id="P1.S1", text="Aspirin helps."),))
    value = ReadInput(question="Does aspirin help?", task="yes-no", passages=(passage,))
    said = {"statements": [{"text": "It helps.", "sentences": ["P99.S1", "P1.S1"]}], "answer": ["yes"]}
    peer = make_peer(Reply(completion(json.dumps(said)), type=JSON))
    model = model_at(peer.url)
    reply = then_closed(model, model.answer(read_and_answer, value, FREE))
    assert [one.sentences for one in reply.output.statements] == [("P1.S1",)]
    assert len(peer.asked) == 3  # it was asked again first
