"""Models opened from settings: only those named, all problems in one report, what a run of them costs, and schemas."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_peer import ChatPeer, Sent, chat, claude, refusal
from closing import then_closed
from model_contract import FREE, NAME, NameOutput, asking
from rows import each_row, tables

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.errors import BudgetExhausted, ConfigError, MedgroundError, ModelFailed
from medground.home.settings import Settings
from medground.models.base import CallLimits, Reply
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import EvidenceView, Operator, SentencedPassage, SentenceView
from medground.models.operators.checking import CheckInput, check
from medground.models.operators.reading import ExtractInput, extract
from medground.models.operators.reasoning import Demonstration, reason
from medground.models.output import LISTED, MOST, WRITTEN
from medground.models.registry import open_models
from medground.recipes.biomedsearch.decomposing import decompose
from medground.values.question import Option, Question
from medground.values.usage import Usage

TABLES = tables(__file__)

OPERATORS = ("screen", "name", "write")
PACKAGES = {"anthropic": "anthropic", "google": "google.genai"}
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.endswith(("_API_KEY", "_BASE_URL", "_TOKEN")):
            monkeypatch.delenv(variable)


def settings(home: Path, **options: Any) -> Settings:
    named = {name.replace("__", "."): value for name, value in options.items()}
    return Settings.load(environ={}, options={"home": home, **named})


def problem(home: Path, *, operators: Iterable[str] = OPERATORS, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        open_models(settings(home, **options), operators)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_keyless_is_the_default_even_when_keys_are_set_and_each_operator_can_have_its_own_model(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    models = open_models(settings(home, keys__openai=SECRET, keys__anthropic=SECRET), OPERATORS)
    assert {models.for_operator(operator).name for operator in OPERATORS} == {"keyless"}
    pytest.importorskip("anthropic")
    chosen = settings(home, model__operators={"write": "anthropic:claude-sonnet-4-5"}, keys__anthropic=SECRET)
    models = open_models(chosen, OPERATORS)
    assert (models.for_operator("screen").name, models.for_operator("write").name) == (
        "keyless",
        "anthropic:claude-sonnet-4-5",
    )
    asyncio.run(models.close())


@each_row(("name", "variable"), TABLES["missing_keys"])
def test_a_missing_key_names_its_variable(
    home: Path, name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(PACKAGES.get(name.partition(":")[0], "openai"))
    message = problem(home, model__default=name)
    assert name in message and variable in message
    provider = name.partition(":")[0]
    if provider in ("openai", "anthropic", "google"):  # a key from the settings is enough
        models = open_models(settings(home, **{f"keys__{provider}": SECRET}, model__default=name), OPERATORS)
        assert SECRET not in models.for_operator("write").identity
        asyncio.run(models.close())
    monkeypatch.setenv(variable, SECRET)
    models = open_models(settings(home, model__default=name), OPERATORS)
    assert models.for_operator("write").name == name
    asyncio.run(models.close())


def test_ollama_has_a_default_address_and_missing_packages_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = open_models(settings(home, model__default="ollama:qwen3"), OPERATORS)
    assert "http://localhost:11434/v1" in models.for_operator("write").identity
    asyncio.run(models.close())
    if importlib.util.find_spec("groq") is None:
        assert 'pip install "pydantic-ai-slim[groq]"' in problem(home, model__default="groq:llama")
    monkeypatch.setitem(sys.modules, "medground.models.hosted", None)
    message = problem(home, model__default="openai:gpt-5")
    assert message == 'model \'openai:gpt-5\' needs the extra "models": pip install "medground[models]"'


@each_row("name", ["", "gpt-5", "openai:", ":gpt-5", "nonsense:model", "test", "Keyless"])
def test_an_unknown_name_lists_the_valid_forms(home: Path, name: str) -> None:
    message = problem(home, model__default=name)
    assert repr(name) in message and "use keyless, local" in message


def test_all_problems_come_at_once(home: Path) -> None:
    message = problem(home, model__default="openai:gpt-5", model__operators={"wrote": "keyless", "write": "nonsense:x"})
    lines = ("model.operators.wrote is not an operator; available: name, screen, write", "OPENAI_API_KEY")
    assert all(line in message for line in (*lines, "unknown model 'nonsense:x'"))


@each_row("address", ["localhost:8000", "ftp://localhost/v1", "http://", "no address", "file:///etc/passwd"])
def test_an_invalid_address_is_refused(home: Path, address: str) -> None:
    assert "is not an address such as" in problem(home, model__default="openai:any", model__base_url=address)


def answered(home: Path, peer: ChatPeer, **options: Any) -> Reply[NameOutput]:
    models = open_models(settings(home, model__base_url=peer.url, **options), OPERATORS)
    return then_closed(models, models.answer(NAME, asking("T1"), FREE))


def test_a_custom_address(home: Path, loopback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-meant-for-openai-only")

    with ChatPeer(chat('{"id": "T1"}')) as peer:
        for key in ({}, {"keys__openai": SECRET}):
            reply = answered(home, peer, model__default="openai:qwen3", model__cache=False, **key)
            assert (reply.output.id, reply.usage.price) == ("T1", None)
    without, with_key = (one.headers["authorization"] for one in peer.asked)
    assert "sk-meant-for-openai-only" not in without
    assert with_key == f"Bearer {SECRET}"
    assert peer.requests[0]["model"] == "qwen3"
    assert '{\n  "id": string,\n}' in peer.requests[0]["messages"][0]["content"]  # its server shows it no schema


def test_each_model_has_a_server_of_its_own_in_either_style_and_each_operator_its_settings(
    home: Path, loopback: None
) -> None:
    pytest.importorskip("anthropic")
    with ChatPeer(chat('{"id": "T1"}')) as reader, ChatPeer(claude({"id": "T1"})) as critic, ChatPeer() as others:
        names = {"read": "openai:qwen2.5", "name": "anthropic:critic"}
        own = {"openai:qwen2.5": reader.url, "anthropic:critic": critic.url.removesuffix("/v1")}
        options = {f'models."{name}".base_url': url for name, url in own.items()}
        options |= {'models."openai:qwen2.5".structured': "prompt", 'keys.models."anthropic:critic"': SECRET}
        options |= {"operators.read.temperature": 0.7, "operators.read.longest": 50, "model.operators": names}
        given = Settings.load(options={"home": home, "model.base_url": others.url, "keys.openai": SECRET, **options})
        models = open_models(given, names)
        read = replace(NAME, name="read")
        for operator in (read, NAME, read):
            then_closed(models, models.answer(operator, asking("T1"), FREE))
    assert (len(reader.requests), len(critic.requests), len(others.requests)) == (1, 1, 0)
    (request,), (sent,) = reader.requests, reader.asked
    assert (request["temperature"], request["max_completion_tokens"]) == (0.7, 50)
    assert request["response_format"] == {"type": "json_object"} and '"id": string' in request["messages"][0]["content"]
    assert SECRET not in sent.headers["authorization"] and SECRET in critic.asked[0].headers["authorization"]
    assert "tools" in critic.requests[0] and "temperature" in critic.requests[0]
    assert SECRET not in json.dumps(given.shown()) + json.dumps(given.as_read_by("ground"))
    assert given.hash != given.with_options({"operators.read.temperature": 0.0}).hash
    assert given.with_groups(given.as_read_by("ground")).server_of("openai:qwen2.5").base_url == reader.url


def test_a_prompt_beyond_the_context_is_not_sent_by_the_tokens_that_the_server_counts(
    home: Path, loopback: None
) -> None:
    with ChatPeer(chat('{"id": "T1"}', tokens=(900, 10))) as peer:
        limits = {'models."openai:any".context': 500, 'models."openai:any".base_url': peer.url}
        models = open_models(Settings.load(options={"home": home, "model.default": "openai:any", **limits}), OPERATORS)
        then_closed(models, models.answer(NAME, asking("T1"), FREE))
        with pytest.raises(ModelFailed, match=r"about 888 tokens, more than models.openai:any.context"):
            then_closed(models, models.answer(NAME, asking("T2"), FREE))


def test_replies_are_cached_under_home_unless_switched_off(home: Path, loopback: None) -> None:
    with ChatPeer(chat('{"id": "T1"}')) as peer:
        answered(home, peer, model__default="openai:any", model__cache=False, keys__openai=SECRET)
        assert not (home / "cache").exists()
        for _ in range(2):
            answered(home, peer, model__default="openai:any", keys__openai=SECRET)
        assert len(peer.requests) == 2
    (stored,) = (home / "cache" / "calls").rglob("*.json")
    assert SECRET not in stored.read_text()
    assert NAME.instructions not in stored.read_text()


def test_importing_the_package_imports_no_client() -> None:
    code = (
        "import sys, medground.models.registry, medground.answering.run\n"
        "sys.exit(any(name.split('.')[0] in ('pydantic_ai', 'openai', 'httpx2', 'httpx2') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def asked(peer: ChatPeer, home: Path, calls: int = 1, **options: Any) -> tuple[Run, list[str | MedgroundError]]:
    """A run that calls one operator several times in sequence."""
    places = {"model__default": "openai:stub", "model__base_url": peer.url, "keys__openai": SECRET}
    given = settings(home, **places, **options)

    async def work() -> tuple[Run, list[str | MedgroundError]]:
        models = open_models(given, [NAME.name])
        trace = Trace("test", home / "trace.jsonl", given)
        recipe = Declaration(name="test", operators=(NAME,))
        run = Run(Question.ask("Why?"), given, recipe, sources=(), models=models, trace=trace)
        results: list[str | MedgroundError] = []
        for n in range(calls):
            try:
                results.append((await run.ask(NAME, asking(f"T{n}"))).id)
            except MedgroundError as error:
                results.append(error)
        await models.close()
        trace.close()
        return run, results

    return asyncio.run(work())


def test_calls_are_counted_together_and_a_limit_is_reported_for_the_whole_question(home: Path, loopback: None) -> None:
    with ChatPeer(chat("no"), chat("no"), chat("no"), chat('{"id": "T1"}'), chat("no")) as peer:
        run, (failed, good, reached) = asked(peer, home, calls=3, budget__calls=6)
    assert isinstance(failed, ModelFailed)
    assert good == "T1"
    assert isinstance(reached, BudgetExhausted)
    assert "the budget of 6 calls is used up (spent: 6)" in str(reached)
    assert run.usage == Usage(input_tokens=600, output_tokens=60, model_calls=6, price=None)
    assert run.answered_by == {"name": "openai:stub"}


@each_row("trouble", [refusal(401, f"wrong key {SECRET}"), Sent(SECRET.encode()), chat(f'"{SECRET}"')])
def test_the_key_is_not_in_the_trace_nor_in_the_message(home: Path, loopback: None, trouble: Sent) -> None:
    with ChatPeer(trouble) as peer:
        _, (failed,) = asked(peer, home, model__retries=0)
    assert isinstance(failed, ModelFailed | ConfigError)
    assert SECRET not in str(failed)
    text = (home / "trace.jsonl").read_text(encoding="utf-8")
    assert '"status": "ERROR"' in text
    assert SECRET not in text


SMALL = "ollama:stub"
"""A model on one's own machine, whose schema is narrowed to each call."""


def passages(count: int) -> ExtractInput:
    sentences = tuple(SentenceView(id=f"P1.S{n}", text="It rose.") for n in range(1, count + 1))
    return ExtractInput(question="Did it rise?", passages=(SentencedPassage(id="P1", sentences=sentences),))


def replied(peer: ChatPeer, operator: Operator[Any, Any], value: Any, model: str = "openai:stub") -> Any:
    """What an operator answers with a server."""
    options = {"model.default": model, f"models.{model}.base_url": peer.url, "model.cache": False}
    models = open_models(Settings.load(options=options, environ={}), [operator.name])
    return then_closed(models, models.answer(operator, value, CallLimits())).output


def sent_for(operator: Operator[Any, Any], value: Any, reply: str, model: str = "openai:stub") -> Mapping[str, Any]:
    """The request that the server receives for one operator call."""
    with ChatPeer(chat(reply)) as peer:
        replied(peer, operator, value, model)
    return peer.requests[0]


def schema_of(request: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = request["response_format"]["json_schema"]["schema"]
    return schema


@pytest.mark.usefixtures("loopback")
def test_a_field_is_narrowed_to_the_ids_that_were_given_and_the_start_of_the_prompt_stays_the_same() -> None:
    three, four, many = (sent_for(extract, passages(n), '{"sentences": []}', SMALL) for n in (3, 4, MOST + 1))
    schema = schema_of(three)
    assert schema["$defs"]["Extracted"]["properties"]["sentence"]["enum"] == ["P1.S1", "P1.S2", "P1.S3"]
    assert schema["properties"]["sentences"]["maxItems"] == 3
    whole = schema_of(many)["$defs"]["Extracted"]["properties"]["sentence"]
    assert "enum" not in whole  # the operator's own check covers these
    assert three["messages"][0] == four["messages"][0]
    assert '"sentences": [{' in three["messages"][0]["content"]
    same, other = (schema_of(sent_for(extract, passages(n), '{"sentences": []}')) for n in (3, 4))
    assert same == other, "a server that compiles or caches schemas does so once for an operator"


@pytest.mark.usefixtures("loopback")
def test_two_questions_share_all_of_the_prompt_that_is_not_theirs() -> None:
    """A server that keeps the start of a prompt reads only the rest of the next one."""
    shown = Demonstration(question="Does rest help?", evidence=("Rest.",), rationale="Yes.", answer=("yes",))
    reasons, closed = {"demonstrations": (shown,), "passages": (), "task": "yes-no"}, '"answer": []}'
    for operator, values, reply, same in (
        (reason, reasons, f'{{"claims": [], {closed}', "Does rest help?"),
        (decompose, {}, '{"subquestions": ["Why?"]}', "dimensions"),
        (read_and_answer, {"passages": (), "task": "yes-no"}, f'{{"statements": [], {closed}', '"answer": ['),
    ):
        sent = [sent_for(operator, operator.input(question=text, **values), reply) for text in ("Is it?", "Was it?")]
        one, other = ("\n".join(message["content"] for message in request["messages"]) for request in sent)
        shared = one[: one.index("<question>\nIs it")]
        assert same in shared and other.startswith(shared), operator.name


@pytest.mark.usefixtures("loopback")
@each_row(("task", "quotes", "cited", "answers", "most"), TABLES["narrowed"])
def test_lists_of_ids_and_answers_are_narrowed_to_the_task(
    task: Any, quotes: tuple[str, ...], cited: list[str], answers: list[str], most: int
) -> None:
    said = tuple(SentenceView(id=f"P1.S{n}", text=quote) for n, quote in enumerate(quotes, start=1))
    options = (Option(letter="A", text="Aspirin"), Option(letter="B", text="Statins")) if "choice" in task else ()
    passages = (SentencedPassage(id="P1", sentences=said),)
    value = ReadInput(question="Which?", task=task, options=options, passages=passages)
    schema = schema_of(sent_for(read_and_answer, value, '{"statements": [], "answer": []}', SMALL))
    ids, answer = schema["$defs"]["SubClaim"]["properties"]["sentences"], schema["properties"]["answer"]
    assert (ids["maxItems"], ids["items"].get("enum", [])) == (len(cited), cited)
    assert (answer["items"]["enum"], answer["maxItems"]) == (answers, most)


@pytest.mark.usefixtures("loopback")
def test_every_list_of_a_small_model_has_an_end() -> None:
    value = ReadInput(question="Which?", task="free", passages=())
    schema = schema_of(sent_for(read_and_answer, value, '{"statements": [], "answer": []}', SMALL))
    most = {name: part["maxItems"] for name, part in schema["properties"].items() if part.get("type") == "array"}
    assert most == {"statements": WRITTEN, "answer": LISTED, "missing": LISTED}


@pytest.mark.usefixtures("loopback")
def test_what_a_model_copied_from_its_instructions_is_no_statement() -> None:
    operator = read_and_answer.definite()
    texts = (operator.rules[-1], "It rose.")
    written = {"statements": [{"text": text, "sentences": []} for text in texts], "answer": ["yes"]}
    value = ReadInput(question="Did it rise?", task="yes-no", passages=())
    with ChatPeer(chat(json.dumps(written))) as peer:
        output = replied(peer, operator, value)
    assert [statement.text for statement in output.statements] == ["It rose."]


@pytest.mark.usefixtures("loopback")
def test_an_optional_id_stays_optional() -> None:
    value = CheckInput(evidence=(EvidenceView(id="E1", quote="It rose."),))
    schema = schema_of(sent_for(check, value, '{"statements": []}', SMALL))
    best = schema["$defs"]["StatementCheck"]["properties"]["best"]["anyOf"]
    assert {"enum": ["E1"], "type": "string"} in best and {"type": "null"} in best
