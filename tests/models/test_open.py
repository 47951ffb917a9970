"""Opening models from settings: only the named ones, all problems in one report, and no calls."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from closing import then_closed
from rows import each_row

from medground.errors import ConfigError
from medground.home.settings import Settings
from medground.models.base import Reply
from medground.models.registry import open_models
from medground.testing.chat_peer import ChatPeer, chat
from medground.testing.model_contract import FREE, NAME, NameOutput, asking

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
    assert {models.of(operator).name for operator in OPERATORS} == {"keyless"}
    pytest.importorskip("anthropic")
    chosen = settings(home, model__operators={"write": "anthropic:claude-sonnet-4-5"}, keys__anthropic=SECRET)
    models = open_models(chosen, OPERATORS)
    assert (models.of("screen").name, models.of("write").name) == ("keyless", "anthropic:claude-sonnet-4-5")
    asyncio.run(models.close())


@each_row(
    ("name", "variable"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("openai-chat:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-3-pro", "GOOGLE_API_KEY"),
        ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(
    home: Path, name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(PACKAGES.get(name.partition(":")[0], "openai"))
    message = problem(home, model__default=name)
    assert name in message
    assert variable in message
    provider = name.partition(":")[0]
    if provider in ("openai", "anthropic", "google"):  # a key from the settings is enough
        models = open_models(settings(home, **{f"keys__{provider}": SECRET}, model__default=name), OPERATORS)
        assert SECRET not in models.of("write").identity
        asyncio.run(models.close())
    monkeypatch.setenv(variable, SECRET)
    models = open_models(settings(home, model__default=name), OPERATORS)
    assert models.of("write").name == name
    asyncio.run(models.close())


def test_ollama_has_a_default_address_and_missing_packages_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = open_models(settings(home, model__default="ollama:qwen3"), OPERATORS)
    assert "http://localhost:11434/v1" in models.of("write").identity
    asyncio.run(models.close())
    if importlib.util.find_spec("groq") is None:
        assert 'pip install "pydantic-ai-slim[groq]"' in problem(home, model__default="groq:llama")
    monkeypatch.setitem(sys.modules, "medground.models.hosted", None)
    message = problem(home, model__default="openai:gpt-5")
    assert message == 'model \'openai:gpt-5\' needs the extra "models": pip install "medground[models]"'


@each_row("name", ["", "gpt-5", "openai:", ":gpt-5", "nonsense:model", "test", "Keyless"])
def test_an_unknown_name_lists_the_valid_forms(home: Path, name: str) -> None:
    message = problem(home, model__default=name)
    assert repr(name) in message
    assert "use keyless, local" in message


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
            assert (reply.output.id, reply.usage.price) == ("T1", 0)
    without, with_key = (headers["authorization"] for headers in peer.headers)
    assert "sk-meant-for-openai-only" not in without
    assert with_key == f"Bearer {SECRET}"
    request = peer.requests[0]
    assert request["model"] == "qwen3"
    assert request["response_format"]["type"] == "json_schema"
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert '"required": ["id"]' in request["messages"][0]["content"]  # the schema is shown to the model too


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
        "sys.exit(any(name.split('.')[0] in ('pydantic_ai', 'openai', 'httpx', 'httpx2') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
