"""Batch interfaces at the layer of models: both styles, what a provider refuses, and its limits."""

import json
from pathlib import Path
from typing import Any

import pytest
from batch_peer import BatchPeer
from chat_peer import Sent, chat, claude, refusal
from closing import then_closed
from http_peer import Peer
from model_contract import FREE, NAME, NameInput, NameOutput, ThingView
from rows import each_row

from medground.errors import ModelFailed
from medground.home.settings import Settings
from medground.models.batching import portions
from medground.models.registry import open_models

ASKED = NameInput(question="Which?", things=(ThingView(id="T1", text="one"),))


def answered(url: str, model: str = "openai:stub", **options: Any) -> Any:
    own = {f'models."{model}".base_url': url.removesuffix("/v1") if "anthropic" in model else url}
    own |= {"model.batch": True, "model.batch_seconds": 0.02, **options}
    models = open_models(Settings.load(options={"model.default": model, **own}), [NAME.name])
    return then_closed(models, models.answer(NAME, ASKED, FREE))


@pytest.mark.usefixtures("loopback")
@each_row(("model", "reply"), [("openai:stub", chat('{"id": "T1"}')), ("anthropic:critic", claude({"id": "T1"}))])
def test_a_call_is_answered_by_a_batch_in_either_style(
    home: Path, caplog: pytest.LogCaptureFixture, model: str, reply: Sent
) -> None:
    expired: list[object] = []

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        expired.append(None)
        return None if len(expired) == 1 else (200, json.loads(reply.body))

    with BatchPeer(answer) as peer:
        found = answered(peer.url.replace("//", "//user:password@"), model)
    assert found.output == NameOutput(id="T1") and found.usage.model_calls == 2
    assert [len(batch) for batch in peer.batches] == [1, 1], "what expired is sent again"
    kept = [path.read_text(encoding="utf-8") for path in (home / "cache" / "batches").glob("*.json")]
    assert kept and "password" not in "".join([*kept, caplog.text])


@pytest.mark.usefixtures("loopback", "home")
def test_a_server_without_batches_is_named() -> None:
    with Peer(refusal(404)) as peer, pytest.raises(ModelFailed, match=r"no batch interface at .*/files; leave --batch"):
        answered(peer.url)
    with BatchPeer(lambda body: (400, {"error": {"message": "no such model"}})) as batches:
        with pytest.raises(ModelFailed, match="no such model"):
            answered(batches.url)
        with pytest.raises(ModelFailed, match="no such model"):
            answered(batches.url)
    assert len(batches.batches) == 2, "what was refused is not kept"


def test_a_batch_keeps_to_the_limits_of_its_provider() -> None:
    calls = {f"{n:064}": b"x" * n for n in range(7)}
    assert [len(part) for part in portions(calls, most=3)] == [3, 3, 1]
    found = portions(calls, size=900)
    assert len(found) > 1 and {key: body for part in found for key, body in part.items()} == calls
    assert portions({}) == []
