"""The models that Medground fetches or ships, each pinned by hash. Heavy libraries are not needed here."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from medground.errors import ConfigError
from medground.values.document import Frozen

# The models that Medground downloads inside wheels, each pinned by hash.


@dataclass(frozen=True)
class Piece:
    """A consecutive part of a model file: one member of one wheel.

    Attributes:
        requirement: the wheel, pinned: `name==version`.
        member: path inside the wheel; its first part is the import name of the package.
        file: the model file it belongs to.
        sha256: of its `size` bytes.
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


@dataclass(frozen=True)
class WheelModel:
    """A model as a list of pieces; pieces of one wheel are adjacent, pieces of one file are in order.

    Attributes:
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


_DATA = Path(str(resources.files("medground"))) / "data"
_LISTED = TypeAdapter(tuple[WheelModel, ...]).validate_json((_DATA / "wheel_models.json").read_bytes())
MINILM, QWEN, MPNET = _LISTED

MODELS = (MINILM, QWEN)
"""The models that are of use by themselves."""
BASES = {"all-mpnet-base-v2": MPNET}
"""The models that shipped differences refer to, by the name of the checkpoint."""


# The trained networks that ship with the package, each as a file of differences and a card.

GRAPH, CONFIG, MADE, TOKENIZER = "model.onnx", "config.json", "made.json", "tokenizer.json"
"""The files of a network once it was made."""
HEAD = ("head.0", "head.2")
"""The two linear maps of a network's head, numbered as in training, where the GELU between them is 1."""
RECIPE = 1
"""Part of the identity of what is made from the files: increase it whenever the graph changes."""

FOLDER = _DATA / "models"


class Probe(Frozen):
    """A pair and what the network returned for it when it was measured: one probability for each label."""

    premise: str
    hypothesis: str
    probabilities: tuple[float, ...]


CALIBRATED = 0.05
"""Maximum distance of what a network states from how often it is right."""


class Proof(Frozen):
    """A measurement on pairs that the network never saw: accuracy with its 95 % Wilson interval.

    Attributes:
        of: `claims` beside given texts, verdicts on claims beside what a `search` found, answers to `questions`, the
            statements that it called `supported` among all, `neutral` texts that decide nothing, or findings as they
            stand and with `planted` errors, which it may not call supported.
        kind: of `questions`, the kind of answers (`answering.verify.judges`).
        said: of `questions`, the answer that was given, `yes` or `no`; empty for both together.
        accuracy: the share that was right.
        majority: share of the larger class; of `supported`, the share of statements that are; of `neutral`, a half; of
            the answer `yes` or `no`, the share of all these questions whose answer it is.
        stated: mean probability with which it was said, if that must agree.
    """

    dataset: str
    of: Literal["claims", "search", "questions", "supported", "neutral", "planted"] = "claims"
    kind: str = ""
    said: Literal["", "yes", "no"] = ""
    pairs: int
    accuracy: float
    low: float
    high: float
    majority: float
    stated: float | None = None

    @property
    def passes(self) -> bool:
        """Whether the whole interval is above what is had without the network, and what was stated is near the share
        that was right."""
        is_calibrated = self.stated is None or abs(self.stated - self.accuracy) <= CALIBRATED
        return self.low > self.majority and is_calibrated


class Card(Frozen):
    """What is said and measured of a critic. `benchmarks/critic.py` writes it.

    Attributes:
        about: one line, with the licence.
        domain: what it was proven on, in words.
        base: the checkpoint that it is a difference from.
        sha256: of the file of differences; the proofs are of that file alone.
        probes: pairs with the expected results, which a graph made anywhere must give.
        judges_from: probability below which it says nothing, where measured sets ask for more than the file does.
        decides_from: probability below which it answers no closed question.
    """

    kind: Literal["critic"] = "critic"
    about: str
    domain: str
    base: str
    sha256: str
    proofs: tuple[Proof, ...] = ()
    probes: tuple[Probe, ...] = ()
    judges_from: float = 0.0
    decides_from: float = 1.0


class Shipped(Frozen):
    """A network that ships with the package."""

    name: str
    card: Card

    @property
    def base(self) -> WheelModel:
        """The public model that it is made from."""
        return BASES[self.card.base]

    @property
    def about(self) -> str:
        """One line, with the licence."""
        return self.card.about

    @property
    def size(self) -> int:
        """Bytes to download, if nothing is there yet."""
        return self.base.size

    def content(self) -> bytes:
        """The file of differences. Raises ConfigError: it is missing, or not the one that was measured."""
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
    """All networks of the package, by name."""
    return _in(str(FOLDER))


@cache
def _in(place: str) -> Mapping[str, Shipped]:
    cards = {file.stem: Card.model_validate_json(file.read_bytes()) for file in sorted(Path(place).glob("*.json"))}
    return {name: Shipped(name=name, card=card) for name, card in cards.items()}
