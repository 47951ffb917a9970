"""Small NLI models with random weights: a BERT with a classification head, as an ONNX graph and as a torch folder."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from medground.answering.verify.nli_critic import open_nli
from medground.answering.verify.nli_model import NliModel
from medground.models.encoder_graph import BertShape, EncoderGraph

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "lens", "aorta", "gene", "is", "not", "long", "short"]
WORDS += ["cause", "of", ".", ",", "poison", "ignore", "answer"]
HIDDEN, HEADS, INNER, LAYERS, PLACES = 32, 4, 64, 2, 48
SEED = 66
"""Weights that give all three relations to the contract's claims, so that the tests cover each of them."""

MNLI = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
SHAPE = BertShape(num_hidden_layers=LAYERS, num_attention_heads=HEADS, layer_norm_eps=1e-12)
Weights = dict[str, NDArray[np.float32]]


def random_weights(labels: int = 3, seed: int = SEED) -> Weights:
    """Weights of a BERT with pooler and head, large enough that the probabilities differ from pair to pair."""
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        "pooler.dense.weight": (HIDDEN, HIDDEN),
        "classifier.weight": (labels, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[f"{layer}.{part}.weight"] = (HIDDEN, HIDDEN)
        shapes[f"{layer}.intermediate.dense.weight"] = (INNER, HIDDEN)
        shapes[f"{layer}.output.dense.weight"] = (HIDDEN, INNER)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    weights = {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    weights["embeddings.word_embeddings.weight"] *= 4
    biases = {name: shape[0] for name, shape in shapes.items() if not name.startswith("embeddings")}
    for name, size in biases.items():
        weights[f"{name.removesuffix('weight')}bias"] = random.normal(0, 0.1, size).astype(np.float32)
    for name in norms:
        weights[f"{name}.weight"] = random.normal(1, 0.2, HIDDEN).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(0, 0.2, HIDDEN).astype(np.float32)
    return weights


class PairGraph(EncoderGraph):
    """The project's BERT graph with two segments and a classification head."""

    def embeddings(self) -> str:
        words = self.node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        segments = self.node("Gather", self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        axis = self._constant("first_axis", np.array([0], np.int64))
        end = self.node("Shape", "input_ids", start=1, end=2)
        places = self._weight("embeddings.position_embeddings.weight")
        placed = self.node("Slice", places, self._constant("zero", np.array([0], np.int64)), end, axis)
        return self._norm(self.node("Add", self.node("Add", words, placed), segments), "embeddings.LayerNorm")

    def classified(self, hidden: str) -> None:
        first = self.node("Gather", hidden, self._constant("first", np.array([0], np.int64)), axis=1)
        first = self.node("Flatten", first, axis=1)
        pooled = self.node("Tanh", self._dense(first, "pooler.dense"))
        product = self.node("MatMul", pooled, self._constant("classifier.weight", self._weights["classifier.weight"].T))
        self.node("Add", product, self._weight("classifier.bias"), out="logits")


def write_tokenizer(folder: Path) -> None:
    """A WordPiece tokenizer whose words are tokens."""
    tokenizer = Tokenizer(models.WordPiece({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    about = {"tokenizer_class": "BertTokenizer", "model_max_length": PLACES, "do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    (folder / "vocab.txt").write_text("\n".join(WORDS))


def config(labels: Sequence[str]) -> dict[str, Any]:
    """The config that transformers writes next to such a model."""
    return {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "id2label": {str(n): label for n, label in enumerate(labels)},
        "label2id": {label: n for n, label in enumerate(labels)},
        "vocab_size": len(WORDS),
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": PLACES,
        "type_vocab_size": 2,
        "pad_token_id": 0,
        "layer_norm_eps": 1e-12,
    }


def fresh(folder: Path) -> Path:
    """A folder that is not there yet: a test with rows writes one for each."""
    return next(one for n in itertools.count() if not (one := folder.with_name(f"{folder.name}{n or ''}")).exists())


@pytest.fixture
def weights() -> Weights:
    """The weights that models have unless a test changes them."""
    return random_weights()


def write_onnx(folder: Path, labels: Sequence[str], weights: Mapping[str, Any] | None = None) -> str:
    """A folder for onnxruntime."""
    folder.mkdir()
    write_tokenizer(folder)
    (folder / "config.json").write_text(json.dumps(config(labels)))
    graph = PairGraph(weights or random_weights(len(labels)), SHAPE)
    graph.classified(graph.encoded())
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    onnx.save(graph.model("nli", "logits", len(labels), inputs), folder / "model.onnx")
    return str(folder)


@pytest.fixture
def onnx_model(tmp_path: Path) -> Callable[..., str]:
    """Writes a folder for onnxruntime."""

    def write(name: str = "onnx", labels: Sequence[str] = MNLI, weights: Mapping[str, Any] | None = None) -> str:
        return write_onnx(fresh(tmp_path / name), labels, weights)

    return write


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> NliModel:
    """One model for all properties."""
    return open_nli(write_onnx(tmp_path_factory.mktemp("nli") / "onnx", MNLI))


@pytest.fixture
def torch_model(tmp_path: Path) -> Callable[..., str]:
    """Writes a folder for transformers."""
    pytest.importorskip("transformers", reason="needs the extra torch")
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    from safetensors.torch import save_file

    def write(name: str = "torch", labels: Sequence[str] = MNLI, weights: Mapping[str, Any] | None = None) -> str:
        folder = fresh(tmp_path / name)
        folder.mkdir()
        write_tokenizer(folder)
        (folder / "config.json").write_text(json.dumps(config(labels)))
        given = weights or random_weights(len(labels))
        named = {key if key.startswith("classifier") else f"bert.{key}": torch.tensor(v) for key, v in given.items()}
        save_file(named, str(folder / "model.safetensors"), metadata={"format": "pt"})
        return str(folder)

    return write


@pytest.fixture
def serve(loopback: None) -> Callable[..., Any]:
    """Opens a served model at an address, with waits too short to notice."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from medground.models.attempts import Retries as Patience
    from medground.models.served import ServedModel

    def open_at(url: str, *, native: bool = True) -> ServedModel:
        profile = ModelProfile(supports_json_schema_output=native)
        provider = OpenAICompatibleProvider("stub", base_url=url, api_key="sk-test-012345", profile=profile)
        patience = Patience(first_wait=0.001)
        return ServedModel("openai:stub", OpenAIChatModel("stub", provider=provider), server_retries=patience)

    return open_at
