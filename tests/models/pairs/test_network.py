"""A network is joined with its base, computes what was trained, and is not opened if it was damaged."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row
from safetensors.numpy import save
from tiny_networks import LABELS, LONGEST, WORDS, TinyBase, by_hand, metadata, trained

from medground.errors import ConfigError, ModelFailed
from medground.models.available import make
from medground.models.catalogue import Shipped
from medground.models.encoder_graph import BertShape, pair_graph, saved
from medground.models.pair_network import PairNetwork, joined, read

Ship = Callable[..., Shipped]
TEXTS = ["the lens is long", "the gene is not the cause of the aorta", "short", "the " * 40]


def made(model: Shipped, tmp_path: Path) -> PairNetwork:
    return PairNetwork.open(model.name, make(model, tmp_path / "models"))


def expected(base: TinyBase, tensors: Any, network: PairNetwork, pair: tuple[str, str]) -> NDArray[np.float64]:
    """The calibrated probabilities of a pair, by hand."""
    encoding = network._encoded(*pair)
    logits = by_hand(base.weights, tensors, encoding.ids) / 1.5
    energy = np.exp(logits - logits.max())
    return np.asarray(energy / energy.sum())


def exact(model: Shipped, base: TinyBase, tmp_path: Path, network: PairNetwork) -> PairNetwork:
    """The same network with its graph in float32."""
    import onnxruntime

    weights = joined(base.weights, read(model.content()))
    shape = BertShape(num_hidden_layers=2, num_attention_heads=4, layer_norm_eps=1e-5)
    path = saved(pair_graph(weights, shape, LONGEST), tmp_path / "float.onnx")
    return PairNetwork("float", network.about, "", onnxruntime.InferenceSession(str(path)), network._tokenizer)


@pytest.fixture
def made_folder(ship: Ship, tmp_path: Path) -> Path:
    """A network that was made."""
    return make(ship(), tmp_path / "models")


def test_the_graph_computes_the_trained_network(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    tensors = trained(base.weights, len(LABELS))
    model = ship(tensors=tensors)
    rough = made(model, tmp_path)
    network = exact(model, base, tmp_path, rough)
    spread, rounded = [], []
    for pair in [(one, other) for one in TEXTS for other in TEXTS[:3]]:
        by_float, by_int8 = network.probabilities([pair])[0], rough.probabilities([pair])[0]
        np.testing.assert_allclose(by_float, expected(base, tensors, network, pair), atol=1e-5)
        spread.append(by_float)
        rounded.append(np.abs(by_int8 - by_float).mean())
    assert np.mean(rounded) < 0.06
    assert np.ptp(spread, axis=0).max() > 0.2  # the pairs differ, so the comparison means something


def test_padding_changes_nothing(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    model = ship()
    network = exact(model, base, tmp_path, made(model, tmp_path))
    ids = [0, 5, 6, 2, 2, 7, 2]
    alone = by_hand(base.weights, trained(base.weights, 3), ids) / 1.5
    arrays = {"input_ids": np.array([[*ids, 1, 1]], np.int64), "attention_mask": np.array([[*[1] * 7, 0, 0]], np.int64)}
    np.testing.assert_allclose(network._session.run(["logits"], arrays)[0][0], alone, atol=1e-4)


def test_a_long_premise_is_cut_and_a_long_hypothesis_is_refused(ship: Ship, tmp_path: Path) -> None:
    network = made(ship(), tmp_path)
    shown = [WORDS[i] for i in network._encoded("lens aorta", "gene").ids]
    assert shown == ["<s>", "lens", "aorta", "</s>", "</s>", "gene", "</s>"]
    encoded = network._encoded("lens " * 99, "gene is long")
    assert len(encoded.ids) == LONGEST
    assert [WORDS[i] for i in encoded.ids][-4:] == ["gene", "is", "long", "</s>"]
    assert network.problem("gene is long") is None
    assert network.problem(" ") == "the statement has no tokens that the model can read"
    assert "99 tokens; the model takes at most 12" in str(network.problem("gene " * 99))
    assert [WORDS[i] for i in network._encoded("</s> <s>", "gene").ids].count("</s>") == 3  # a text writes no border


def test_each_pair_is_computed_alone_until_the_network_is_stopped(ship: Ship, tmp_path: Path) -> None:
    network = made(ship(), tmp_path)
    pairs = [(one, other) for one in TEXTS for other in TEXTS[:2]]
    together = network.probabilities(pairs)
    for pair, row in zip(pairs, together, strict=True):
        assert network.probabilities([pair])[0].tolist() == row.tolist()
    np.testing.assert_allclose(together.sum(axis=1), 1)
    asked: list[int] = []
    found = network.probabilities([("lens", "gene")] * 3, lambda: bool(asked) or bool(asked.append(1)))
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()
    network.about = network.about.model_copy(update={"max_length": 512})  # more than the graph was made for
    with pytest.raises(ModelFailed, match="onnxruntime"):
        network.probabilities([("lens " * 200, "gene")])


@each_row(
    "file, damage",
    [
        (file, damage)
        for file in ("model.onnx", "config.json", "made.json", "tokenizer.json")
        for damage in ("cut", "missing")
    ],
)
def test_a_damaged_network_is_not_opened(made_folder: Path, tmp_path: Path, file: str, damage: str) -> None:
    folder = shutil.copytree(made_folder, tmp_path / "network")
    path = folder / file
    path.write_bytes(path.read_bytes()[:-20]) if damage == "cut" else path.unlink()
    with pytest.raises(ConfigError, match="models remove critic && medground models fetch critic") as caught:
        PairNetwork.open("critic", folder)
    assert "\n" not in str(caught.value)


numbers = st.floats(-3, 3, width=16)


@settings(max_examples=25)
@given(
    shape=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3)),
    data=st.data(),
    temperature=st.floats(0.25, 4),
)
def test_joining_adds_the_product(shape: tuple[int, int, int], data: st.DataObject, temperature: float) -> None:
    out, inward, rank = shape

    def array(*size: int) -> NDArray[np.float16]:
        count = int(np.prod(size))
        return np.array(data.draw(st.lists(numbers, min_size=count, max_size=count)), np.float16).reshape(size)

    tensors = {"m.A": array(rank, inward), "m.B": array(out, rank), "v": array(3)}
    tensors |= {"head.0.weight": array(2, 2), "head.0.bias": array(2)}
    tensors |= {"head.2.weight": array(3, 2), "head.2.bias": array(3)}
    base = {"m": array(out, inward).astype(np.float32), "v": np.zeros(3, np.float32), "left": np.ones(2, np.float32)}
    found = joined(base, read(save(tensors, metadata(temperature=str(temperature)))))
    product = tensors["m.B"].astype(np.float64) @ tensors["m.A"].astype(np.float64)
    np.testing.assert_allclose(found["m"], base["m"] + product, rtol=1e-5, atol=1e-5)
    assert found["v"].tolist() == tensors["v"].tolist()
    assert found["left"].tolist() == [1, 1]
    scaled = found["head.2.weight"] * np.float32(temperature)
    np.testing.assert_allclose(scaled, tensors["head.2.weight"], rtol=1e-4, atol=1e-6)
    assert all(value.dtype == np.float32 for value in found.values())
