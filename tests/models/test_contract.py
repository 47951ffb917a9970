"""The package's own models pass the contract tests that ship with it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from medground.errors import ModelFailed
from medground.models.base import CallLimits, Keyless, Model
from medground.models.served import ServedModel
from medground.testing.chat_peer import ChatPeer, Sent, chat, prompt_of
from medground.testing.model_contract import FREE, IMPOSSIBLE, NAME, ModelContract, asking
from medground.values.usage import Usage

ID = re.compile(r"<id>(.*?)</id>")


def able(request: dict[str, Any]) -> Sent:
    found = ID.search(prompt_of(request))
    return chat(json.dumps({"id": found.group(1) if found else ""}))


class TestKeyless(ModelContract):
    def make(self) -> Model:
        return Keyless()


def test_keyless_is_free_never_cached_and_passes_the_operators_own_check() -> None:
    model = Keyless()
    assert (model.name, model.identity, model.cacheable) == ("keyless", "keyless", False)
    reply = asyncio.run(model.answer(NAME, asking("T1"), CallLimits(tokens=0, calls=0, seconds=0.0)))
    assert (reply.output.id, reply.usage) == ("T1", Usage(price=Decimal(0)))
    with pytest.raises(ModelFailed, match="keyless: impossible: no output passes") as caught:
        asyncio.run(model.answer(IMPOSSIBLE, asking("T1"), FREE))
    assert caught.value.usage == Usage()


class TestServedOverASocket(ModelContract):
    @pytest.fixture(autouse=True)
    def _peer(self, serve: Callable[..., ServedModel]) -> Iterator[None]:
        with ChatPeer(able) as peer:
            self._open = lambda: serve(peer.url)
            yield

    def make(self) -> Model:
        return self._open()
