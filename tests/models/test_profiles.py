"""What each kind of server is sent, what it refuses, and the tokens that it counts apart."""

import json
from typing import Any

import pytest
from chat_peer import ChatPeer, Sent, chat, claude, refusal
from closing import then_closed
from model_contract import FREE, NAME, NameInput, NameOutput, ThingView
from rows import each_row

from medground.home.settings import Settings
from medground.models.base import Reply
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import Operator
from medground.models.operators.checking import CheckInput, StatementView, check
from medground.models.registry import open_models
from medground.values.usage import Usage

ASKED = NameInput(question="Which?", things=(ThingView(id="T1", text="one"),))
CHARACTERS_PER_TOKEN = 4.5
"""Of English, more than any tokenizer in use reaches, so that a prefix is rather too short than too long."""


def answered(
    peer: ChatPeer, model: str = "openai:stub", operator: Any = NAME, value: Any = ASKED, **options: Any
) -> Any:
    own = {f'models."{model}".base_url': peer.url.removesuffix("/v1") if "anthropic" in model else peer.url}
    own |= {f'models."{model}".{name}': chosen for name, chosen in options.items()}
    settings = Settings.load(options={"model.default": model, "model.cache": False, **own}, environ={})
    models = open_models(settings, [operator.name])
    return then_closed(models, models.answer(operator, value, FREE))


def shared_start(one: str, other: str) -> int:
    differ = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def found_in(request: dict[str, Any], path: str) -> Any:
    value: Any = request
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


@pytest.mark.usefixtures("loopback")
@each_row(
    ("model", "options", "sent"),
    [
        ("openai:stub", {}, {"reasoning_effort": None, "temperature": 0.0, "response_format.type": "json_schema"}),
        ("openai:stub", {"reasoning": "low"}, {"reasoning_effort": "low", "temperature": None}),
        ("openai:stub", {"reasoning": "none"}, {"reasoning_effort": "none", "temperature": 0.0}),
        ("openai:stub", {"profile": "openai", "reasoning": "high"}, {"reasoning_effort": "high", "temperature": None}),
        ("ollama:llama3", {"reasoning": "high"}, {"reasoning_effort": "high", "response_format.type": "json_schema"}),
        ("openai:stub", {"profile": "vllm", "reasoning": "none"}, {"chat_template_kwargs.enable_thinking": False}),
        ("openai:stub", {"profile": "llama.cpp", "reasoning": "low"}, {"chat_template_kwargs.reasoning_effort": "low"}),
        ("anthropic:critic", {}, {"thinking": None, "temperature": 0.0}),
        ("anthropic:critic", {"reasoning": "low"}, {"thinking.type": "enabled", "temperature": None}),
    ],
)
def test_each_server_is_asked_in_its_own_way(model: str, options: dict[str, Any], sent: dict[str, Any]) -> None:
    with ChatPeer(claude({"id": "T1"}) if "anthropic" in model else chat('{"id": "T1"}')) as peer:
        assert answered(peer, model, **options).output == NameOutput(id="T1")
    request = peer.requests[0]
    assert {path: found_in(request, path) for path in sent} == sent
    if "anthropic" in model:
        assert request["system"][-1]["cache_control"]["type"] == "ephemeral"
        assert '"id": string' not in json.dumps(request["system"]), "it shows the schema"
    else:
        shown = options.get("profile") != "openai"
        assert ('"id": string' in request["messages"][0]["content"]) == shown


@pytest.mark.usefixtures("loopback")
def test_a_refused_form_gives_way_to_the_next_and_a_refused_effort_is_left_out() -> None:
    def strict(request: dict[str, Any]) -> Sent:
        for field in ("reasoning_effort", "response_format", "tools"):
            if field in request:
                return refusal(400, f"unknown parameter: {field}")
        return chat('{"id": "T1"}')

    with ChatPeer(strict) as peer:
        assert answered(peer, reasoning="low").output == NameOutput(id="T1")
    forms = [(request.get("response_format") or {}).get("type") or "tools" in request for request in peer.requests]
    assert forms == ["json_schema", "json_schema", True, "json_object", False]
    assert ["reasoning_effort" in request for request in peer.requests] == [True, False, False, False, False]


@pytest.mark.usefixtures("loopback")
def test_json_in_place_of_a_call_is_the_call() -> None:
    def without_schemas(request: dict[str, Any]) -> Sent:
        given = (request.get("response_format") or {}).get("type")
        return refusal(400, "json_schema is not supported") if given == "json_schema" else chat('{"id": "T1"}')

    with ChatPeer(without_schemas) as peer:
        assert answered(peer).output == NameOutput(id="T1")
    assert len(peer.requests) == 2 and "tools" in peer.requests[1]


PLAIN = {"prompt_tokens": 2000, "completion_tokens": 300, "total_tokens": 2300}


@pytest.mark.usefixtures("loopback")
@each_row(
    ("counted", "cached", "reasoned"),
    [
        ({}, 0, 0),
        ({"prompt_tokens_details": {"cached_tokens": 1024}}, 1024, 0),
        ({"prompt_cache_hit_tokens": 1088, "prompt_cache_miss_tokens": 912}, 1088, 0),
        ({"completion_tokens_details": {"reasoning_tokens": 256}}, 0, 256),
    ],
)
def test_tokens_that_a_server_counts_apart(counted: dict[str, Any], cached: int, reasoned: int) -> None:
    told = json.loads(chat('{"id": "T1"}').body) | {"usage": PLAIN | counted}
    with ChatPeer(Sent(json.dumps(told).encode())) as peer:
        usage: Usage = answered(peer).usage
    assert (usage.input_tokens, usage.server_cached_tokens, usage.reasoning_tokens) == (2000, cached, reasoned)
    assert ("cached by the server" in usage.token_notes) == bool(cached)
    told_by_claude = {"input_tokens": 50, "output_tokens": 10, "cache_read_input_tokens": cached}
    with ChatPeer(claude({"id": "T1"}, usage=told_by_claude)) as peer:
        usage = answered(peer, "anthropic:critic").usage
    assert (usage.input_tokens, usage.server_cached_tokens) == (50 + cached, cached)


@pytest.mark.usefixtures("loopback")
def test_questions_share_a_start_that_servers_keep_and_one_schema() -> None:
    """As OpenAI counts: the start that two prompts share, from 1,024 tokens on."""
    before: list[str] = []

    def counting(written: str) -> Any:
        def reply(request: dict[str, Any]) -> Sent:
            prompt = "\n".join(message["content"] for message in request["messages"])
            shared = max((shared_start(prompt, one) for one in before), default=0)
            before.append(prompt)
            tokens = int(shared / CHARACTERS_PER_TOKEN)
            details = {"prompt_tokens_details": {"cached_tokens": tokens if tokens >= 1024 else 0}}
            told = json.loads(chat(written).body)
            return Sent(json.dumps(told | {"usage": PLAIN | details}).encode())

        return reply

    asked: tuple[tuple[Operator[Any, Any], str, list[Any]], ...] = (
        (
            read_and_answer,
            '{"statements": [], "answer": []}',
            [
                ReadInput(question="Does rest help?", task="yes-no", passages=()),
                ReadInput(question="Which drug helps?", task="free", passages=(), search="PubMed syntax"),
            ],
        ),
        (
            check,
            '{"statements": [{"statement": "S1", "relation": "neutral"}], "found": [], "rests_on": []}',
            [
                CheckInput(question=text, statements=(StatementView(id="S1", text=text),))
                for text in ("Rest helps.", "Drugs help.")
            ],
        ),
    )
    for operator, written, values in asked:
        before.clear()
        with ChatPeer(counting(written)) as peer:
            replies: list[Reply[Any]] = [
                answered(peer, operator=kind, value=value)
                for value in values
                for kind in (operator, operator.with_context("A man of 60."))
            ]
        cached = [reply.usage.server_cached_tokens for reply in replies]
        assert cached[0] == 0 and min(cached[1:]) >= 1024, (operator.name, cached)
        assert len({json.dumps(request["response_format"]) for request in peer.requests}) == 1
