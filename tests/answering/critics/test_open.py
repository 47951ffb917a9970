"""Every wrong critic name ends in one clear line, before any model is asked."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from rows import each_row

from medground.answering.run import Run
from medground.answering.verify.critic import Claim
from medground.answering.verify.critics import OperatorCritic, check_critic, open_critic
from medground.answering.verify.nli_critic import open_nli
from medground.errors import ConfigError
from medground.models.operators.base import EvidenceView

Write = Callable[..., str]
VERIFY = open_nli.__module__.rpartition(".")[0]


def refusal(name: str) -> str:
    with pytest.raises(ConfigError) as caught:
        check_critic(name, Path())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@each_row("name", ["", "nli", "nli:", "nli: ", "NLI:x", "keyless"])
def test_an_unknown_critic(name: str) -> None:
    assert "set verify.critic to `entail`, `label`, `critic` or `nli:` and a folder or hub name" in refusal(name)


def test_the_default_needs_nothing(make_run: Callable[..., Run]) -> None:
    assert check_critic("entail", Path()) is None
    assert isinstance(open_critic(make_run("q1?")), OperatorCritic)


@each_row("name", ["./absent", "/absent/model", "~/absent-model", "~nobody/model"])
def test_a_missing_folder(name: str) -> None:
    assert refusal(f"nli:{name}") == f"no folder {name!r} with an NLI model; check verify.critic"


def test_a_hub_that_has_no_such_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="needs the extra torch")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "cannot load the NLI model 'nobody/absent'" in refusal("nli:nobody/absent")


@each_row(("module", "extra"), [("onnxruntime", "dense"), ("tokenizers", "dense")])
def test_without_the_extra_for_graphs(
    onnx_model: Write, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    folder = onnx_model()
    for loaded in [name for name in sys.modules if name.startswith(f"{VERIFY}.nli_")]:
        if loaded.endswith(("nli_model", "nli_onnx", "nli_torch")):
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    assert f'pip install "medground[{extra}]"' in refusal(f"nli:{folder}")


def test_without_the_extra_for_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"{VERIFY}.nli_torch", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert 'needs the extra "torch" (torch is missing)' in refusal("nli:some/model")


def test_labels_that_do_not_name_entailment(onnx_model: Write) -> None:
    assert "LABEL_0, LABEL_1, LABEL_2" in refusal(f"nli:{onnx_model(labels=('LABEL_0', 'LABEL_1', 'LABEL_2'))}")


@each_row("file", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.onnx"])
def test_a_damaged_file(onnx_model: Write, file: str) -> None:
    folder = Path(onnx_model())
    (folder / file).write_bytes(b"\x00 broken")
    assert "NLI model" in refusal(f"nli:{folder}")


def test_a_missing_file_and_a_config_of_another_model(onnx_model: Write) -> None:
    for file in ("config.json", "tokenizer.json"):
        folder = Path(onnx_model())
        (folder / file).unlink()
        assert file in refusal(f"nli:{folder}")
    folder = Path(onnx_model())
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "entailment", "1": "not_entailment"}
    (folder / "config.json").write_text(json.dumps(config))
    assert "its config.json belongs to another model" in refusal(f"nli:{folder}")


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
    assert said in refusal(f"nli:{folder}")


@pytest.mark.filterwarnings("ignore")
def test_weights_without_a_head(torch_model: Write, weights: Any) -> None:
    pytest.importorskip("safetensors", reason="needs the extra dense")
    from safetensors.torch import load_file, save_file

    file = Path(torch_model()) / "model.safetensors"
    body = {k: v for k, v in load_file(file).items() if "classifier" not in k}
    save_file(body, file.with_suffix(".new"), metadata={"format": "pt"})  # the old file is mapped by its tensors
    file.with_suffix(".new").replace(file)
    assert "was not trained to classify: its weights lack classifier." in refusal(f"nli:{file.parent}")


@pytest.mark.filterwarnings("ignore")
@each_row("file", ["config.json", "model.safetensors"])
def test_a_damaged_torch_folder(torch_model: Write, file: str) -> None:
    folder = Path(torch_model())
    (folder / file).write_bytes(b"\x00 broken")
    assert "cannot load the NLI model" in refusal(f"nli:{folder}")


def test_labels_alone_judge_nothing_and_blame_no_one(make_run: Callable[..., Run]) -> None:
    run = make_run("q1?", options={"verify.critic": "label"})
    critic = open_critic(run)
    assert (critic.name, critic.reads) == ("keyless", "passages")
    premise = EvidenceView(id="P1", quote="Stroke fell.")
    with_premise, without = asyncio.run(critic.judge([Claim("Stroke fell.", (premise,)), Claim("Stroke fell.", ())]))
    assert with_premise.relation == "unsure"
    assert without.relation == "neutral"
