"""Our critics pass the contract tests that ship with the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException
from tiny_networks import LABELS, trained

from medground.answering.run import Run
from medground.answering.verify.critic import Critic
from medground.answering.verify.critics import open_critic
from medground.errors import ModelFailed
from medground.models.available import make
from medground.models.operators.verifying import EntailInput, EntailOutput
from medground.models.registry import Models
from medground.testing.chat_peer import ChatPeer, Sent, chat, prompt_of, refusal
from medground.testing.critic_contract import CLAIMS, CriticContract

MakeRun = Callable[..., Run]
"""Weights that give the contract's claims more than one relation."""
ID = re.compile(r"<id>(E[0-9]+)</id>")


def reader(value: EntailInput) -> EntailOutput:
    """A model that finds verbatim statements entailed."""
    same = next((e.id for e in value.evidence if e.quote == value.statement), None)
    return EntailOutput(relation="entails" if same else "neutral", best=same)


class TestKeyless(CriticContract):
    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun) -> None:
        self._make = lambda: open_critic(make_run("q1?"))

    def make(self) -> Critic:
        return self._make()

    def test_keyless_never_judges(self) -> None:
        assert {judgement.relation for judgement in self.judged(CLAIMS)} <= {"related", "neutral"}


class TestScriptedModel(CriticContract):
    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun, scripted_model: Any) -> None:
        def make(reply: Any) -> Critic:
            return open_critic(make_run("q1?", model=scripted_model({"entail": reply}), by_model=["entail"]))

        self._make = make

    def make(self) -> Critic:
        return self._make(reader)

    def make_failing(self) -> Critic:
        return self._make(ModelFailed("timed out", model="scripted:model"))


class TestServedModel(CriticContract):
    """Over a socket, with log-probabilities."""

    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun, serve: Any) -> Iterator[None]:
        self._opened: list[Models] = []

        def make(url: str) -> Critic:
            run = make_run("q1?")
            run.models = Models("openai:stub", {}, {"openai:stub": serve(url)})
            self._opened.append(run.models)
            return open_critic(run)

        def answer(request: dict[str, Any]) -> Sent:
            best = ID.findall(prompt_of(request))[-1]
            pieces = ['{"relation":"', "ent", "ails", f'","best":"{best}","flags":[]}}']
            tokens = [(piece, 0.9, {piece: 0.9}) for piece in pieces]
            tokens[1] = ("ent", 0.75, {"ent": 0.75, "contr": 0.25})
            return chat("".join(pieces), tokens=None, logprobs=tokens)

        with ChatPeer(answer) as able, ChatPeer(refusal(500, "broken")) as unable:
            self._make, self._urls = make, (able.url, unable.url)
            yield

    def make(self) -> Critic:
        return self._make(self._urls[0])

    def make_failing(self) -> Critic:
        return self._make(self._urls[1])

    async def close(self) -> None:
        for models in self._opened:
            await models.close()
        self._opened.clear()

    def test_the_probability_is_measured(self) -> None:
        assert {round(j.probability or 0, 6) for j in self.judged(CLAIMS)} == {0.75}


class TestOnnx(CriticContract):
    runtime = "onnx_model"

    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun, request: pytest.FixtureRequest, weights: Any) -> None:
        write = request.getfixturevalue(self.runtime)
        whole = f"nli:{write()}"
        weights["classifier.bias"][0] = float("nan")
        broken = f"nli:{write('broken', weights=weights)}"
        self._make = lambda name: open_critic(make_run("q1?", options={"verify.critic": name}))
        self._names = whole, broken

    def make(self) -> Critic:
        return self._make(self._names[0])

    def make_failing(self) -> Critic:
        return self._make(self._names[1])

    def test_it_sees_all_relations(self) -> None:
        assert {judgement.relation for judgement in self.judged(CLAIMS)} == {"entails", "contradicts", "neutral"}


class TestTrained(CriticContract):
    """A network as it ships."""

    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun, ship: Any, base: Any, tmp_path: Any) -> None:
        tensors = trained(base.weights, len(LABELS))
        make(ship(tensors=tensors, about={"abstain_below": "0"}), tmp_path / "models")
        self._make = lambda: open_critic(make_run("q1?", options={"verify.critic": "critic"}))

    def make(self) -> Critic:
        return self._make()

    def make_failing(self) -> Critic:
        critic = self._make()
        critic._model._network._session = Broken()  # type: ignore[attr-defined]
        return critic

    def test_it_sees_all_relations(self) -> None:
        assert {judgement.relation for judgement in self.judged(CLAIMS)} >= {"entails", "contradicts"}


class Broken:
    """A session that fails."""

    def run(self, *arguments: object) -> None:
        raise RuntimeException("out of memory")


class TestTorch(TestOnnx):
    runtime = "torch_model"
