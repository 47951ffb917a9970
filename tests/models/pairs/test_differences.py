"""The file of differences: joined with its base, or refused in one line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row
from safetensors.numpy import save
from tiny_networks import LABELS, base_weights, metadata, trained

from medground.errors import ConfigError
from medground.models.pair_network import joined, read

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
    found = joined(base, read(save(tensors, metadata(temperature=str(temperature))), "x"), "x")
    product = tensors["m.B"].astype(np.float64) @ tensors["m.A"].astype(np.float64)
    np.testing.assert_allclose(found["m"], base["m"] + product, rtol=1e-5, atol=1e-5)
    assert found["v"].tolist() == tensors["v"].tolist()
    assert found["left"].tolist() == [1, 1]
    scaled = found["head.2.weight"] * np.float32(temperature)
    np.testing.assert_allclose(scaled, tensors["head.2.weight"], rtol=1e-4, atol=1e-6)
    assert all(value.dtype == np.float32 for value in found.values())


@each_row(
    "about, said",
    [
        ({"kind": ""}, "kind: Field required"),
        ({"kind": "judge"}, "kind: Input should be 'critic'"),
        ({"order": "any"}, "order: Input should be"),
        ({"max_length": "4"}, "max_length: "),
        ({"max_length": "many"}, "max_length: "),
        ({"temperature": "0"}, "temperature: "),
        ({"temperature": "nan"}, "temperature: "),
        ({"abstain_below": "1.5"}, "abstain_below: "),
        ({"labels": '["entailment"]'}, "3 outputs and 1 labels"),
        ({"labels": "entailment"}, "its metadata are wrong"),
    ],
)
def test_wrong_metadata(about: dict[str, str], said: str) -> None:
    content = save(trained(base_weights(), len(LABELS)), metadata(**about))
    with pytest.raises(ConfigError, match="the weights of critic are damaged") as caught:
        read(content, "critic")
    assert said in str(caught.value)


@each_row("change", ["no B", "no A", "rank", "shape", "unknown", "no head", "nan", "vector"])
def test_differences_that_do_not_fit(change: str) -> None:
    base = base_weights()
    tensors = trained(base, len(LABELS))
    name = "encoder.layer.0.output.dense.weight"
    match change:
        case "no B":
            del tensors[f"{name}.B"]
        case "no A":
            del tensors[f"{name}.A"]
        case "rank":
            tensors[f"{name}.A"] = tensors[f"{name}.A"][:1]
        case "shape":
            tensors[f"{name}.A"] = tensors[f"{name}.A"][:, :5].copy()
        case "unknown":
            tensors["somewhere.A"] = tensors["somewhere.B"] = np.zeros((2, 2), np.float16)
        case "no head":
            del tensors["head.0.bias"]
        case "nan":
            tensors["head.0.bias"][0] = np.nan
        case "vector":
            tensors["embeddings.LayerNorm.bias"] = np.zeros(3, np.float16)
    with pytest.raises(ConfigError, match=r"the weights of critic (are damaged|do not fit their base)"):
        joined(base, read(save(tensors, metadata()), "critic"), "critic")


WHOLE = save(trained(base_weights(), len(LABELS)), metadata())


@given(content=st.binary(max_size=64) | st.integers(0, len(WHOLE) - 1).map(lambda length: WHOLE[:length]))
def test_bytes_that_are_no_such_file_are_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(ConfigError, match="the weights of x are damaged") as caught:
        read(content, "x")
    assert "\n" not in str(caught.value)
