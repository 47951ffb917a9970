"""Our critics pass the contract tests that ship with the package."""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from chat_peer import ChatPeer, Sent, chat, prompt_of, refusal
from critic_contract import CLAIMS, CriticContract
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException
from rows import each_row
from tiny_networks import LABELS, trained

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Critic
from medground.answering.verify.critics import check_critic, open_critic
from medground.answering.verify.nli_critic import open_nli
from medground.errors import ConfigError
from medground.models.available import make
from medground.models.operators.base import EvidenceView
from medground.models.registry import Models

MakeRun = Callable[..., Run]
STATEMENT = re.compile(r"^(S[0-9]+)(?: \| cites (E[0-9]+)[^:\n]*)?:", re.MULTILINE)
ID = re.compile(r"^(E[0-9]+)\b", re.MULTILINE)


class TestKeyless(CriticContract):
    @pytest.fixture(autouse=True)
    def _open(self, make_run: MakeRun) -> None:
        self._make = lambda: open_critic(make_run("q1?"))

    def make(self) -> Critic:
        return self._make()

    def test_keyless_never_judges(self) -> None:
        assert {judgement.relation for judgement in self.judged(CLAIMS)} <= {"related", "neutral"}


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
            first, tokens = ID.findall(prompt_of(request))[0], []
            for number, (name, cited) in enumerate(STATEMENT.findall(prompt_of(request))):
                begun = ("," if number else '{"statements":[') + f'{{"statement":"{name}","relation":"'
                tokens += [
                    (begun, 0.9, {begun: 0.9}),
                    ("ent", 0.75, {"ent": 0.75, "contr": 0.25}),
                    ("ails", 0.9, {"ails": 0.9}),
                ]
                ended = f'","best":"{cited or first}"}}'
                tokens.append((ended, 0.9, {ended: 0.9}))
            tokens.append(("]}", 0.9, {"]}": 0.9}))
            return chat("".join(piece for piece, _, _ in tokens), tokens=None, logprobs=tokens)

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


Write = Callable[..., str]
VERIFY = open_nli.__module__.rpartition(".")[0]


def refused(name: str) -> str:
    with pytest.raises(ConfigError) as caught:
        check_critic(name, Path())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@each_row("name", ["", "nli", "nli:", "nli: ", "NLI:x", "keyless"])
def test_an_unknown_critic(name: str) -> None:
    assert "set verify.critic to `check`, `label`, `critic` or `nli:` and a folder or hub name" in refused(name)


@each_row("name", ["./absent", "/absent/model", "~/absent-model", "~nobody/model"])
def test_a_missing_folder(name: str) -> None:
    assert refused(f"nli:{name}") == f"no folder {name!r} with an NLI model; check verify.critic"


def test_a_hub_that_has_no_such_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="needs the extra torch")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "cannot load the NLI model 'nobody/absent'" in refused("nli:nobody/absent")


@each_row("module", ["onnxruntime", "tokenizers"])
def test_without_the_extra_for_graphs(onnx_model: Write, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    folder = onnx_model()
    for name in ("nli_model", "nli_onnx", "nli_torch"):
        monkeypatch.delitem(sys.modules, f"{VERIFY}.{name}", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    assert 'pip install "medground[dense]"' in refused(f"nli:{folder}")


def test_without_the_extra_for_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"{VERIFY}.nli_torch", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert 'needs the extra "torch" (torch is missing)' in refused("nli:some/model")


@each_row("file", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.onnx"])
def test_a_damaged_file(onnx_model: Write, file: str) -> None:
    folder = Path(onnx_model())
    (folder / file).write_bytes(b"\x00 broken")
    assert "NLI model" in refused(f"nli:{folder}")


def test_a_missing_file_and_a_config_of_another_model(onnx_model: Write) -> None:
    for file in ("config.json", "tokenizer.json"):
        folder = Path(onnx_model())
        (folder / file).unlink()
        assert file in refused(f"nli:{folder}")
    folder = Path(onnx_model())
    config = json.loads((folder / "config.json").read_text())
    told = {"LABEL_0, LABEL_1": ["LABEL_0", "LABEL_1"], "belongs to another model": ["entailment", "not_entailment"]}
    for said, labels in told.items():
        (folder / "config.json").write_text(json.dumps(config | {"id2label": dict(enumerate(labels))}))
        assert said in refused(f"nli:{folder}")


def graph(inputs: dict[str, tuple[int, list[Any]]]) -> onnx.ModelProto:
    """A graph that returns the same three numbers for any input."""
    tokens = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3])
    constant = numpy_helper.from_array(np.zeros((1, 3), np.float32), "zeros")
    node = helper.make_node("Identity", ["zeros"], ["logits"])
    opsets = [helper.make_opsetid("", 20)]
    return helper.make_model(
        helper.make_graph([node], "g", tokens, [out], [constant]), opset_imports=opsets, ir_version=10
    )


INT, ANY = TensorProto.INT64, ["batch", "tokens"]


@each_row(
    ("inputs", "said"),
    [
        ({"input_ids": (INT, ANY), "bbox": (INT, ANY)}, "has inputs input_ids, bbox"),
        ({"pixels": (TensorProto.FLOAT, ANY)}, "has inputs pixels"),
        ({"input_ids": (TensorProto.FLOAT, ANY)}, "as integers"),
        ({"input_ids": (INT, [1, 16])}, "cannot judge a pair: onnxruntime"),
        ({"input_ids": (INT, ANY)}, "shape (1, 3) for 2 pairs"),
    ],
)
def test_a_graph_of_another_kind(onnx_model: Write, inputs: dict[str, tuple[int, list[Any]]], said: str) -> None:
    folder = Path(onnx_model())
    onnx.save(graph(inputs), folder / "model.onnx")
    assert said in refused(f"nli:{folder}")


@pytest.mark.filterwarnings("ignore")
def test_weights_without_a_head(torch_model: Write, weights: Any) -> None:
    pytest.importorskip("safetensors", reason="needs the extra dense")
    from safetensors.torch import load_file, save_file

    file = Path(torch_model()) / "model.safetensors"
    body = {k: v for k, v in load_file(file).items() if "classifier" not in k}
    save_file(body, file.with_suffix(".new"), metadata={"format": "pt"})  # the old file is mapped by its tensors
    file.with_suffix(".new").replace(file)
    assert "was not trained to classify: its weights lack classifier." in refused(f"nli:{file.parent}")


@pytest.mark.filterwarnings("ignore")
@each_row("file", ["config.json", "model.safetensors"])
def test_a_damaged_torch_folder(torch_model: Write, file: str) -> None:
    folder = Path(torch_model())
    (folder / file).write_bytes(b"\x00 broken")
    assert "cannot load the NLI model" in refused(f"nli:{folder}")


def test_labels_alone_judge_nothing_and_blame_no_one(make_run: Callable[..., Run]) -> None:
    run = make_run("q1?", options={"verify.critic": "label"})
    critic = open_critic(run)
    assert (critic.name, critic.reads) == ("keyless", "passages")
    premise = EvidenceView(id="P1", quote="Stroke fell.")
    with_premise, without = asyncio.run(critic.judge([Claim("Stroke fell.", (premise,)), Claim("Stroke fell.", ())]))
    assert with_premise.relation == "unsure"
    assert without.relation == "neutral"
