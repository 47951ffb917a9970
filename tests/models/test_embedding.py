"""MiniLM's graph against an independent forward pass, and the embedder around it."""

import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row
from tiny_networks import BERT, HEADS, HIDDEN, LAYERS, WORDS, Weights, base_weights, encoded, tokenizer

from medground.corpus.embedder import Embedder
from medground.errors import ConfigError, StorageFailed
from medground.home.settings import Settings
from medground.models.catalogue import MINILM
from medground.models.embedders import open_embedder
from medground.models.encoder_graph import BertShape, mean_graph, quantised, saved
from medground.models.minilm import OnnxEmbedder
from medground.models.wheels import find

SHAPE = BertShape(num_hidden_layers=LAYERS, num_attention_heads=HEADS, layer_norm_eps=1e-12)
MAX_TOKENS = 16


def by_hand(weights: Weights, ids: list[int]) -> NDArray[np.float64]:
    """BERT for one text without padding, in float64."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    mean = encoded(w, x + w["embeddings.token_type_embeddings.weight"][0], BERT, 1e-12, [0.0] * HEADS).mean(0)
    return mean / np.linalg.norm(mean)


def words_tokenizer(path: Path) -> Path:
    tokenizer().save(str(path))
    return path


def token_ids(text: str) -> list[int]:
    words = [WORDS.index(word) if word in WORDS else WORDS.index("[UNK]") for word in text.split()]
    return [0, *words[: MAX_TOKENS - 2], 2]


@pytest.fixture(scope="module")
def weights() -> Weights:
    return base_weights(names=BERT)


@pytest.fixture(scope="module")
def small(weights: Weights, tmp_path_factory: pytest.TempPathFactory) -> dict[str, OnnxEmbedder]:
    """A small BERT with random weights as float32 and as int8."""
    folder = tmp_path_factory.mktemp("graphs")
    vocabulary = words_tokenizer(folder / "tokenizer.json")
    full = saved(mean_graph(weights, SHAPE), folder / "full.onnx")
    graphs = {"fp32": full, "int8": quantised(full, folder / "int8.onnx")}
    return {name: OnnxEmbedder(name, name, path, vocabulary, MAX_TOKENS, 1) for name, path in graphs.items()}


texts = st.lists(st.sampled_from([*WORDS[4:], "unseen"]), max_size=40).map(" ".join)
no_reset = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@no_reset
@given(text=texts)
def test_the_graph_computes_bert(weights: Weights, small: dict[str, OnnxEmbedder], text: str) -> None:
    np.testing.assert_allclose(small["fp32"].embed([text])[0], by_hand(weights, token_ids(text)), atol=1e-5)


@no_reset
@given(batch=st.lists(texts, max_size=12))
def test_padding_changes_nothing(small: dict[str, OnnxEmbedder], batch: list[str]) -> None:
    together = small["fp32"].embed(batch)
    assert together.shape == (len(batch), HIDDEN)
    assert together.dtype == np.float32
    for text, vector in zip(batch, together, strict=True):
        np.testing.assert_allclose(vector, small["fp32"].embed([text])[0], atol=1e-5)


@no_reset
@given(batch=st.lists(texts, min_size=1, max_size=12))
def test_int8_stays_close(small: dict[str, OnnxEmbedder], batch: list[str]) -> None:
    exact, rough = small["fp32"].embed(batch), small["int8"].embed(batch)
    np.testing.assert_allclose(np.linalg.norm(rough, axis=1), 1, atol=1e-5)
    assert (exact * rough).sum(1).min() > 0.98


def test_many_long_texts_are_split_into_batches(small: dict[str, OnnxEmbedder]) -> None:
    batch = [" ".join(["lens", "aorta", "gene"] * (n % 7)) for n in range(1500)]
    vectors = small["fp32"].embed(batch)
    np.testing.assert_allclose(vectors[:7], vectors[7:14], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_broken_graph_is_reported_in_one_line(tmp_path: Path) -> None:
    graph = tmp_path / "broken.onnx"
    graph.write_bytes(b"not a graph")
    with pytest.raises(ConfigError, match="delete it and try again") as caught:
        OnnxEmbedder("x", "x", graph, words_tokenizer(tmp_path / "t.json"), MAX_TOKENS)
    assert "\n" not in str(caught.value)


def test_minilm_that_was_not_fetched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medground.models.wheels._installed", lambda piece: None)
    with pytest.raises(ConfigError, match="medground models fetch minilm"):
        open_embedder("minilm", home)


@each_row(("name", "package", "extra"), [("minilm", "onnxruntime", "dense"), ("some/model", "torch", "torch")])
def test_a_missing_extra_is_reported_in_one_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    for module in [f"medground.models.{name}" for name in ("minilm", "sessions", "torch_models")]:
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf'pip install "medground\[{extra}\]"') as caught:
        open_embedder(name, home)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def real_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that contains the real MiniLM, if this machine has it."""
    given = os.environ.get("MODELS_FOR_TESTS")
    models = Path(given) if given else Settings().home / "models"
    if find(MINILM, models) is None:
        pytest.skip("MiniLM was not fetched: medground models fetch minilm, or MODELS_FOR_TESTS=FOLDER")
    home = tmp_path_factory.mktemp("home")
    if MINILM.folder(models).is_dir():
        (home / "models").mkdir()
        MINILM.folder(home / "models").symlink_to(MINILM.folder(models).resolve())
    return home


@pytest.fixture(scope="module")
def minilm(real_home: Path) -> Embedder:
    return open_embedder("minilm", real_home, threads=2)


REAL = [
    "Ectopia lentis is a feature of Marfan syndrome.",
    "Dislocation of the lens is seen in Marfan syndrome.",
    "Lace plants form holes in their leaves by programmed cell death.",
    "",
]


def test_minilm_int8_is_close_to_fp32(minilm: Embedder, real_home: Path) -> None:
    exact = open_embedder("minilm-fp32", real_home, threads=2)
    assert (minilm.dimensions, minilm.name, exact.name) == (384, "minilm", "minilm-fp32")
    assert minilm.identity != exact.identity
    assert (minilm.embed(REAL) * exact.embed(REAL)).sum(1).min() > 0.97


def test_minilm_is_reopened_without_writing_its_graph_again(minilm: Embedder, real_home: Path) -> None:
    graphs = sorted((real_home / "models").glob("*.onnx"))
    before = [graph.stat().st_mtime_ns for graph in graphs]
    assert open_embedder("minilm", real_home).identity == minilm.identity
    assert before == [graph.stat().st_mtime_ns for graph in graphs]
    assert not (real_home / "models" / ".graph").exists()


def test_no_room_for_the_graph(real_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("medground.models.minilm._RECIPE", 99)
    monkeypatch.setattr("medground.models.minilm.saved", full)
    with pytest.raises(StorageFailed, match="No space left"):
        open_embedder("minilm", real_home)
    assert not list((real_home / "models").glob("*r99*"))


@pytest.fixture
def transformers_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra torch")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.mark.usefixtures("transformers_offline")
def test_a_model_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot load the embedding model") as caught:
        open_embedder(str(tmp_path / "absent"), tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("transformers_offline")
@pytest.mark.filterwarnings("ignore")
def test_a_sentence_transformers_folder(real_home: Path) -> None:
    """The same weights through torch: an independent check of the whole pipeline, tokens included."""
    folder = find(MINILM, real_home / "models")
    torch_model = open_embedder(str(folder), real_home)
    ours = open_embedder("minilm-fp32", real_home)
    assert torch_model.dimensions == 384
    assert torch_model.embed([]).shape == (0, 384)
    np.testing.assert_allclose((torch_model.embed(REAL) * ours.embed(REAL)).sum(1), 1, atol=1e-5)
    assert torch_model.identity == open_embedder(str(folder), real_home).identity != ours.identity
