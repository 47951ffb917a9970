"""The package's own models pass the contract tests that ship with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from medground.models.base import Keyless, Model
from medground.models.served import ServedModel
from medground.testing.chat_peer import ChatPeer, Sent, chat, prompt_of
from medground.testing.model_contract import ModelContract

ID = re.compile(r"<id>(.*?)</id>")


def able(request: dict[str, Any]) -> Sent:
    found = ID.search(prompt_of(request))
    return chat(json.dumps({"id": found.group(1) if found else ""}))


async def able_function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    first = messages[0]
    assert isinstance(first, ModelRequest)
    prompt = "".join(str(p.content) for p in first.parts if isinstance(p, UserPromptPart))
    found = ID.search(prompt)
    return ModelResponse(parts=[TextPart(json.dumps({"id": found.group(1) if found else ""}))])


class TestKeyless(ModelContract):
    def make(self) -> Model:
        return Keyless()


class TestFunctionModel(ModelContract):
    def make(self) -> Model:
        return ServedModel("test:function", FunctionModel(able_function))


class TestServedOverASocket(ModelContract):
    @pytest.fixture(autouse=True)
    def _peer(self, serve: Callable[..., ServedModel]) -> Iterator[None]:
        with ChatPeer(able) as peer:
            self._open = lambda: serve(peer.url)
            yield

    def make(self) -> Model:
        return self._open()
