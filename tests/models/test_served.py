"""Served models against a real server on this machine: requests, replies, and every kind of failure."""

import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import httpx2
import pytest
from chat_peer import ChatPeer, Sent, chat, refusal, streamed, tool_call
from closing import then_closed
from model_contract import FREE, NAME, NameInput, NameOutput, ThingView
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from rows import each_row

from medground.errors import BudgetExhausted, ConfigError, MedgroundError, ModelFailed
from medground.home.settings_groups import ServerSettings
from medground.models.attempts import Retries
from medground.models.base import CallLimits, Reply
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.output import form_of
from medground.models.served import ServedModel
from medground.recipes.omni_rag.operators import ExploredSource, PlanSourcesInput, plan_sources_tagged
from medground.values.usage import Usage

Serve = Callable[..., ServedModel]
ASKED = NameInput(question="Which?", things=(ThingView(id="T1", text="one"), ThingView(id="T2", text="two")))
GOOD = chat('{"id": "T2"}')
HTML = "text/html"


def ask(model: ServedModel, value: NameInput = ASKED, limits: CallLimits = FREE) -> Reply[NameOutput]:
    return then_closed(model, model.answer(NAME, value, limits))


def failure(model: ServedModel, limits: CallLimits = FREE) -> MedgroundError:
    with pytest.raises(MedgroundError) as caught:
        ask(model, limits=limits)
    assert "\n" not in str(caught.value)
    return caught.value


def test_what_the_server_receives(serve: Serve, key: str) -> None:
    with ChatPeer(chat('{"id": "T2"}', tokens=(321, 45))) as peer:
        model = serve(peer.url)
        first, again = ask(model), ask(model)  # each in an event loop of its own
    assert first == again and first.output == NameOutput(id="T2")
    assert first.usage == Usage(input_tokens=321, output_tokens=45, model_calls=1, price=None)
    request = peer.requests[0]
    assert request["messages"] == [
        {"role": "system", "content": NAME.instructions + form_of(NameOutput)},
        {"role": "user", "content": NAME.prompt(ASKED)},
    ]
    assert request["temperature"] == 0.0
    schema = request["response_format"]["json_schema"]
    expected = {"properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": False}
    assert schema["strict"] is True and expected.items() <= schema["schema"].items()
    assert peer.asked[0].headers["authorization"] == f"Bearer {key}"


def test_a_model_without_schema_output_must_call_a_tool(serve: Serve) -> None:
    with ChatPeer(tool_call('{"id": "T1"}')) as peer:
        assert ask(serve(peer.url, native=False)).output == NameOutput(id="T1")
    request = peer.requests[0]
    assert request["tool_choice"] == "required"
    assert request["tools"][0]["function"]["parameters"]["required"] == ["id"]
    assert "response_format" not in request


@each_row(
    ("bad", "message"),
    [
        (chat('{"identity": "T1"}'), "id: Field required"),
        (chat("It is T1, I believe."), "Invalid JSON"),
        (chat('{"id": "T9"}'), "'T9' is not one of the given ids"),
    ],
)
def test_invalid_output_is_retried_with_the_reason(serve: Serve, bad: Sent, message: str) -> None:
    with ChatPeer(bad, bad, GOOD) as peer:
        reply = ask(serve(peer.url))
    assert reply.output == NameOutput(id="T2")
    assert reply.usage == Usage(input_tokens=300, output_tokens=30, model_calls=3, price=None)
    assert len(peer.requests) == 3
    with ChatPeer(bad) as peer:
        failed = failure(serve(peer.url))
    assert isinstance(failed, ModelFailed)
    assert message in str(failed) and failed.usage == reply.usage
    assert [one["role"] for one in peer.requests[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert message.partition(":")[0] in json.dumps(peer.requests[-1]["messages"]).replace('\\"', '"')


MEANT = {"statements": [{"text": "It rose.", "sentences": ["P1.S1"]}], "answer": ["no"], "form": None, "query": "x"}
PASSAGE = SentencedPassage(id="P1", sentences=tuple(SentenceView(id=f"P1.S{n}", text=f"Sentence {n}.") for n in (1, 2)))
ALONE = SentencedPassage(id="P2", sentences=(SentenceView(id="P2.S1", text="Alone."),))


def citing(*ids: str) -> dict[str, object]:
    return MEANT | {"statements": [{"text": "It rose.", "sentences": list(ids)}]}


@each_row(
    ("written", "calls"),
    [
        (json.dumps(MEANT), 1),
        (f"Here it is:\n```json\n{json.dumps(MEANT, indent=1)}\n```\nAsk me more.", 1),
        (f"<think>Is it {{no}}?</think>{json.dumps(MEANT)}", 1),
        (f"It rose, I thought.\n</think>\n{json.dumps(MEANT)}", 1),
        (json.dumps(MEANT)[:-1] + ",}", 1),
        (json.dumps(MEANT | {"answer": "no"}), 1),
        (json.dumps(MEANT | {"answer": ["No."]}), 1),
        (json.dumps(MEANT | {"answer": ["Nein"]}), 1),
        (json.dumps(MEANT | {"form": "yes-no"}), 1),
        (json.dumps(MEANT | {"missing": None, "query": None}), 1),
        (json.dumps(MEANT | {"confidence": 0.9, "notes": ["sure"]}), 1),
        (json.dumps({"AnswerOutput": MEANT}), 1),
        (json.dumps({"result": {"output": MEANT}}), 1),
        (json.dumps(citing("[P1.S1]")), 1),
        (json.dumps(citing("p1.s1")), 1),
        (json.dumps(citing("P1 S1")), 1),
        (repr(MEANT), 1),
        (json.dumps(json.dumps(MEANT)), 1),
        (json.dumps(MEANT, indent=1).replace('"answer"', '// the answer\n"answer"'), 1),
        (json.dumps({name.title(): value for name, value in MEANT.items()}), 1),
        (json.dumps(MEANT | {"answer": [{"value": "no"}]}), 1),
        (json.dumps(MEANT | {"statements": {"It rose.": {"sentences": ["P1.S1"]}}}), 1),
        (json.dumps(MEANT) + "\n" + json.dumps(MEANT), 1),
        (json.dumps(MEANT) + "\n" + json.dumps(MEANT | {"answer": ["yes"]}), 2),
        (json.dumps(MEANT | {"answer": ["no, or yes"]}), 2),
        (json.dumps(citing("P1")), 2),
        (json.dumps(MEANT)[:-20], 2),
        ("{" * 5000, 2),
        ("{" * 5000 + "}", 2),
    ],
)
def test_a_reply_is_read_as_it_is_meant_where_only_one_meaning_is_possible(
    serve: Serve, written: str, calls: int
) -> None:
    value = ReadInput(question="?", task="yes-no", passages=(PASSAGE, ALONE), search="PubMed")
    with ChatPeer(chat(written), chat(json.dumps(MEANT))) as peer:
        model = serve(peer.url)
        output = then_closed(model, model.answer(read_and_answer, value, FREE)).output
    assert len(peer.requests) == calls
    said = (output.answer, output.form, output.missing, output.statements[0].sentences)
    assert said == (("no",), None, (), ("P1.S1",))


@each_row(("id", "calls"), [("P2", 1), ("P1", 2)])
def test_a_document_of_one_sentence_stands_for_it(serve: Serve, id: str, calls: int) -> None:
    value = ReadInput(question="?", task="yes-no", passages=(PASSAGE, ALONE))
    with ChatPeer(chat(json.dumps(citing(id))), chat(json.dumps(MEANT))) as peer:
        model = serve(peer.url)
        then_closed(model, model.answer(read_and_answer, value, FREE))
    assert len(peer.requests) == calls


@each_row(
    ("told", "field"),
    [
        ("Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("This response_format type is unavailable now", "response_format"),
    ],
)
def test_what_a_server_refuses_is_not_sent_to_it_again(serve: Serve, told: str, field: str) -> None:
    def limited(request: dict[str, object]) -> Sent:
        return refusal(400, told) if field in request else GOOD

    with ChatPeer(limited, limited, limited) as peer:
        model = serve(peer.url)
        first, again = ask(model), ask(model)
    assert first.output == again.output == NameOutput(id="T2")
    assert [field in request for request in peer.requests] == [True, False, False]


@each_row(
    "transient",
    [
        refusal(429, "slow down", retry_after="0"),
        refusal(500, "oops"),
        Sent(b"<html>bad gateway</html>", 502, HTML),
        Sent(GOOD.body, cut=30),
    ],
)
def test_a_transient_failure_is_retried(serve: Serve, transient: Sent) -> None:
    with ChatPeer(transient, transient, GOOD) as peer:
        usage = ask(serve(peer.url)).usage
    lost = usage.estimated_tokens  # what was sent for a reply that never arrived whole may be charged for
    assert (usage.input_tokens, usage.output_tokens, usage.model_calls) == (100 + lost, 10, 3)
    assert (lost > 0) == bool(transient.cut)


def test_waits_grow_and_retry_after_wins(serve: Serve) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    server_retries = Retries(tries=4, first_wait=1.0, sleep=sleep, chance=lambda: 1.0)
    steps = refusal(500), refusal(429, retry_after="7"), refusal(503), GOOD
    with ChatPeer(*steps) as peer:
        ask(serve(peer.url, server_retries=server_retries))
    assert waits == [1.0, 7.0, 4.0]


@each_row(
    ("trouble", "calls", "message"),
    [
        (refusal(429, retry_after="3600"), 1, "retry after 3600 s"),
        (refusal(429, retry_after="0"), 3, "is limiting the call rate (HTTP 429)"),
        (refusal(500, "oops"), 3, "answered HTTP 500: oops"),
        (Sent(b"<html>gateway</html>", 502, HTML), 3, "answered HTTP 502"),
        (refusal(429, code="insufficient_quota"), 1, "no credit or quota"),
        (refusal(400, code="context_length_exceeded"), 1, "lower recipe.batch"),
        (refusal(400, "max_tokens\nis too large"), 1, "HTTP 400: max_tokens is too large"),
        (Sent(b"<html>Welcome</html>", 200, HTML), 1, "not a chat completion"),
        (Sent(GOOD.body[:80], 200), 1, "not a chat completion"),
        (Sent(GOOD.body, cut=30), 3, "lost the connection"),
        (chat("", finish="content_filter"), 1, "content filter"),
        (chat('{"id": "T', finish="length"), 1, "output limit"),
    ],
)
def test_every_failure_reports_its_cause_and_cost(serve: Serve, trouble: Sent, calls: int, message: str) -> None:
    with ChatPeer(trouble) as peer:
        failed = failure(serve(peer.url))
    assert isinstance(failed, ModelFailed) and failed.usage is not None
    assert message in str(failed) and str(failed).startswith("openai:stub: ")
    assert len(peer.requests) == failed.usage.model_calls == calls


def test_sentences_are_heard_while_they_are_written_and_the_reply_is_checked_as_ever(serve: Serve) -> None:
    told = [{"text": "It rose.", "sentences": []}, {"text": "It fell.", "sentences": []}]
    written, value = json.dumps({"statements": told, "answer": []}), ReadInput(question="?", task="yes-no", passages=())
    heard: list[str] = []
    hearing = replace(read_and_answer, heard=heard.append)
    for whole in (written, written[: written.index("It fell") + 3], written.replace("[]", '["P9.S9"]', 1)):
        with ChatPeer(streamed(whole), streamed(written)) as peer:
            model = serve(peer.url)
            reply = then_closed(model, model.answer(hearing, value, FREE))
        calls = len(peer.requests)
        assert [one.text for one in reply.output.statements] == heard == ["It rose.", "It fell."]
        assert (reply.usage.tokens, calls) == (1010 * calls, 1 if whole == written else 2)
        assert peer.requests[0]["stream"] is True and peer.requests[0]["stream_options"] == {"include_usage": True}
        heard.clear()
    with ChatPeer(Sent(streamed(written).body, cut=200, type="text/event-stream")) as peer:
        model = serve(peer.url)
        with pytest.raises(ModelFailed, match="lost the connection"):
            then_closed(model, model.answer(hearing, value, FREE))


def test_nothing_listens(serve: Serve) -> None:
    with socket.socket() as closed:  # bound and not listening: connections are refused
        closed.bind(("127.0.0.1", 0))
        failed = failure(serve(f"http://127.0.0.1:{closed.getsockname()[1]}/v1"))
    assert isinstance(failed, ModelFailed)
    assert "cannot reach http://127.0.0.1:" in str(failed)
    assert "Connection refused" in str(failed)


def test_a_proxy_in_between_is_named(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed, ChatPeer(chat('{"id": "T1"}')) as peer:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed.getsockname()[1]}")
        failed = failure(serve(peer.url))
    assert "through a proxy: set NO_PROXY=127.0.0.1" in str(failed)
    assert not peer.requests
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert "through a proxy" not in str(failure(serve(peer.url)))  # it is closed now


def test_other_clients_fail_with_the_same_message(loopback: None, key: str) -> None:
    pytest.importorskip("anthropic")
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    body = json.dumps({"type": "error", "error": {"type": "api_error", "message": f"boom {key}"}}).encode()
    with ChatPeer(Sent(body, 500)) as peer:
        provider = AnthropicProvider(base_url=peer.url.removesuffix("/v1"), api_key=key)
        stub, retries = AnthropicModel("stub", provider=provider), Retries(first_wait=0.001)
        failed = failure(ServedModel("anthropic:stub", stub, server_retries=retries, secrets=(key,)))
    assert str(failed).endswith("answered HTTP 500: boom ********")
    assert len(peer.requests) == 3


def test_a_model_that_cannot_do_what_an_operator_needs() -> None:
    async def unable(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise UserError("this model takes no text")

    failed = failure(ServedModel("hosted:picture", FunctionModel(unable)))
    assert isinstance(failed, ConfigError)
    assert str(failed) == "hosted:picture: cannot be used for 'name': this model takes no text"


@each_row("status", [400, 401, 404, 429])
def test_the_key_is_never_shown(serve: Serve, key: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatPeer(refusal(status, f"the key {key} is wrong; header Authorization: Bearer {key}")) as peer:
        failed = failure(serve(peer.url))
    assert key not in str(failed) + repr(failed) + caplog.text
    assert failed.__cause__ is None and failed.__suppress_context__
    assert isinstance(failed, ConfigError) is (status in (401, 404)) and peer.url in str(failed)
    assert "MEDGROUND_KEYS__OPENAI" in str(failed) or status != 401


def test_limits_of_a_call(serve: Serve) -> None:
    """The run checks its budget after every call; the call itself only refuses to start another request."""
    bad = chat("no")
    for sent, limits, limit in (
        (bad, CallLimits(calls=2), "calls"),
        (bad, CallLimits(tokens=150), "tokens"),
        (refusal(500), CallLimits(calls=1), "calls"),
    ):
        with ChatPeer(sent) as peer:
            spent = failure(serve(peer.url), limits)
        calls = len(peer.requests)
        assert isinstance(spent, BudgetExhausted) and spent.limit == limit
        tokens = calls if sent is bad else 0
        price = None if tokens else Decimal(0)
        assert spent.usage == Usage(
            input_tokens=100 * tokens, output_tokens=10 * tokens, model_calls=calls, price=price
        )
        assert calls == (2 if sent is bad else 1)
    with ChatPeer(Sent(GOOD.body, hang=300)) as peer:
        spent = asyncio.run(late(serve(peer.url), peer, CallLimits(seconds=60)))
        assert isinstance(spent, BudgetExhausted) and spent.limit == "seconds"
        assert spent.usage is not None and spent.usage.model_calls == 1
    with ChatPeer(GOOD) as peer:
        assert ask(serve(peer.url), limits=CallLimits(tokens=50, calls=1)).usage.tokens == 110


async def asked(peer: ChatPeer) -> None:
    """Return when a request has arrived."""
    async with asyncio.timeout(60):
        while not peer.requests:
            await asyncio.sleep(0.005)


async def late(model: ServedModel, peer: ChatPeer, limits: CallLimits) -> BaseException | None:
    """The outcome of a call that runs out of seconds as soon as the request arrives: the loop's clock is moved on."""
    call = asyncio.create_task(model.answer(NAME, ASKED, limits))
    await asked(peer)
    loop = asyncio.get_running_loop()
    clock = loop.time
    loop.time = lambda: clock() + (limits.seconds or 0)  # type: ignore[method-assign]
    await asyncio.wait([call])
    await model.close()
    return call.exception()


def test_cancelling_a_request_under_way(serve: Serve) -> None:
    async def run(model: ServedModel) -> Reply[NameOutput]:
        task = asyncio.create_task(model.answer(NAME, ASKED, FREE))
        await asked(peer)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 30)
        return await model.answer(NAME, ASKED, FREE)

    with ChatPeer(Sent(GOOD.body, hang=300), GOOD) as peer:
        model = serve(peer.url)
        assert then_closed(model, run(model)).output.id == "T2"


def test_a_price_is_known_listed_free_or_unknown() -> None:
    class Listed(FunctionModel):
        """A function that poses as a model with a list price."""

        system = "openai"

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('{"id": "T1"}')])

    async def answer_listed(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('{"id": "T1"}')], model_name="gpt-4o", provider_name="openai")

    assert ask(ServedModel("hosted:model", FunctionModel(answer))).usage.price is None
    for name in ("local", "local:model.gguf"):
        assert ask(ServedModel(name, FunctionModel(answer))).usage.price == 0
    price = ask(ServedModel("openai:gpt-4o", Listed(answer_listed, model_name="gpt-4o"))).usage.price
    assert price is not None and Decimal(0) < price < Decimal("0.01")


def test_no_temperature_for_models_that_reject_it(loopback: None) -> None:
    with ChatPeer(Sent(b"{}")) as peer:
        model = OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(base_url=peer.url, api_key="none"))
        failure(ServedModel("openai:gpt-5", model))  # warnings are errors here
    assert "temperature" not in peer.requests[0]


def test_identity_covers_what_determines_the_output(serve: Serve) -> None:
    one, other = serve("http://user:password@127.0.0.1:1/v1?token=abc"), serve("http://127.0.0.1:2/v1")
    assert one.identity != other.identity
    assert one.identity == serve("http://127.0.0.1:1/v1").identity
    assert "password" not in one.identity and "abc" not in one.identity


def test_plain_text_is_taken_as_it_is_and_asked_for_again_if_it_does_not_pass(serve: Serve) -> None:
    value = PlanSourcesInput(
        question="Which eye problems?", sources=(ExploredSource(name="book", kind="book", about="Textbooks."),)
    )
    with ChatPeer(chat("I cannot."), chat("<book> eye ; lens </book>")) as peer:
        model = serve(peer.url)
        reply = then_closed(model, model.answer(plan_sources_tagged, value, FREE))
        assert reply.output.text == "<book> eye ; lens </book>"
    assert all("response_format" not in request and "tools" not in request for request in peer.requests)
    assert "no source is named" in json.dumps(peer.requests[1]["messages"])


def test_a_reply_may_take_as_long_as_its_timeout_says_whatever_its_client_would_wait(loopback: None) -> None:
    def slow(asked: dict[str, object]) -> Sent:
        time.sleep(0.6)
        return GOOD

    with ChatPeer(slow) as peer:
        client = httpx2.AsyncClient(timeout=0.2)
        provider = OpenAICompatibleProvider("llama.cpp", base_url=peer.url, api_key="none", http_client=client)
        stub, once = OpenAIChatModel("stub", provider=provider), Retries(tries=1)
        model = ServedModel("local", stub, ServerSettings(timeout=60.0), server_retries=once)
        assert ask(model).output == NameOutput(id="T2")
