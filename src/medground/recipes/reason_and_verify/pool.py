"""The pool T*: a JSON Lines file of solved training questions, and a manifest that says how they were made.

Source: Reason and Verify, section 4.1 (demonstration pool construction).
"""

import base64
import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError

from medground.errors import ConfigError, SnapshotCorrupt, UsageError
from medground.models.operators.reasoning import Demonstration
from medground.values.answer import SnapshotReference
from medground.values.document import Described, DocumentId, Frozen
from medground.values.question import Option, Task

TRAINING = "train"
TRAINING_SPLITS = frozenset({TRAINING, "training", "train_dev"})
"""`train_dev`: the 500 records of PubMedQA outside its test split, from which its authors take training folds."""
ANSWERED = "answered"
"""How a model answers an open question: its rationale is the answer."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SUFFIX = ".jsonl"


class Quoted(Frozen):
    """A cited sentence, or a passage: its location and text."""

    document_id: DocumentId
    start: NonNegativeInt
    end: PositiveInt
    quote: str


class Solved(Described):
    """A training question with a rationale that a model wrote and the known answer."""

    id: str
    question: str
    task: Task
    options: tuple[Option, ...] = ()
    rationale: str
    linked: str = ""
    """the rationale with the numbers of the passages that each part cites"""
    answer: tuple[str, ...] = Field(min_length=1)
    """the known answer; its class"""
    reference: str = ""
    """the known answer to an open question, in words"""
    said: tuple[str, ...] = ()
    """the answer of the model that wrote the rationale"""
    evidence: tuple[Quoted, ...]
    """the sentences that the rationale cites"""
    passages: tuple[Quoted, ...] = ()
    """E, the first m passages that the model read"""
    documents: tuple[DocumentId, ...]
    """its own document, and those of its passages"""
    split: str
    embedding: str
    """the question's unit vector: float16, little-endian, base64"""

    @property
    def label(self) -> str:
        """Its class."""
        return ", ".join(self.answer)

    def shown(self, *, passages: bool = False) -> Demonstration:
        """The part that a model sees: with E and links into it, or with the cited sentences alone."""
        return Demonstration(
            question=self.question,
            options=self.options,
            evidence=tuple(one.quote for one in (self.passages if passages else self.evidence)),
            rationale=self.linked if passages else self.rationale,
            reference=self.reference,
            answer=() if self.reference else self.answer,
        )


class PoolPlan(Described):
    """Everything that determines the result of a build."""

    source_sha256: str
    seed: int
    settings_hash: str
    snapshots: tuple[SnapshotReference, ...]
    embedding: str
    """identity of the embedding model"""


class PoolManifest(PoolPlan):
    """How a pool was made. `sha256` is of its file."""

    version: Literal[1] = 1
    name: str
    made_by: str
    created: datetime
    source: str
    dataset: str = "pubmedqa"
    """the data set"""
    against: tuple[str, ...] = ()
    """files of questions that no demonstration resembles"""
    as_training: bool = False
    """whether the user declared its questions to be for training"""
    limit: int | None
    models: Mapping[str, str]
    """operator to the model that answered it"""
    settings: Mapping[str, Any]
    """the group `reason_and_verify`"""
    embedder: str
    demonstrations: int
    classes: Mapping[str, int]
    agreed: int
    """demonstrations for which the model itself gave the known answer"""
    left_out: Mapping[str, int]
    """records that are not in the pool, by reason"""
    sha256: str = ""


@dataclass(frozen=True)
class Pool:
    """Solved questions with their manifest."""

    manifest: PoolManifest
    solved: tuple[Solved, ...]

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors of the questions, shape (demonstrations, dimensions)."""
        rows = [np.frombuffer(base64.b64decode(one.embedding), dtype="<f2") for one in self.solved]
        vectors = np.stack(rows).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def packed(vector: NDArray[np.float32]) -> str:
    """Encode a vector as text."""
    return base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")


def pool_path(name: str, home: Path) -> Path:
    """The file of a pool: `home/demonstrations/NAME.jsonl`, or `name` itself if it is a path.

    Raises UsageError: `name` is neither a valid name nor the path of a .jsonl file.
    """
    if name.endswith(_SUFFIX):
        return Path(name)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name[:80]!r} is not a valid pool name; use a-z 0-9 . _ -, or the path of a {_SUFFIX} file")
    return home / "demonstrations" / f"{name}{_SUFFIX}"


def manifest_path(file: Path) -> Path:
    """The path of the manifest for a pool's file."""
    return file.with_suffix(".json")


def read_pool(name: str, home: Path) -> Pool:
    """Read a pool by its name or the path of its file, and check it against its manifest.

    Raises ConfigError: it does not exist; SnapshotCorrupt: it has changed since it was built.
    """
    file = pool_path(name, home)
    try:
        stamp = (file.stat().st_mtime_ns, manifest_path(file).stat().st_mtime_ns)
    except OSError:
        raise ConfigError(
            f"pool of demonstrations {name!r} not found ({file} or its manifest is missing); "
            "create it with medground demonstrations build"
        ) from None
    return _read(file, stamp)


@lru_cache(maxsize=4)
def _read(file: Path, stamp: tuple[int, int]) -> Pool:
    content, about = file.read_bytes(), manifest_path(file)
    again = "rebuild it with medground demonstrations build"
    try:
        manifest = PoolManifest.model_validate_json(about.read_bytes())
    except ValidationError:
        raise SnapshotCorrupt(f"{about} is not a pool manifest; {again}") from None
    if hashlib.sha256(content).hexdigest() != manifest.sha256:
        raise SnapshotCorrupt(f"{file} has changed since it was built: its hash does not match the manifest; {again}")
    return Pool(manifest, tuple(map(Solved.model_validate_json, content.splitlines())))


# Removes what must not be shown with a question because it could give the answer away.

NEAR_DUPLICATE = 0.95
"""Minimum cosine of two questions that count as the same question in other words."""


@dataclass(frozen=True)
class Clean:
    """Places that are left, and how many were removed for each reason. Each is counted once, for its first reason."""

    places: tuple[int, ...]
    shared: int
    near: int


def decontaminated(
    documents: Sequence[Collection[str]],
    vectors: NDArray[np.float32],
    held_documents: Collection[str],
    held_vectors: NDArray[np.float32],
) -> Clean:
    """Remove candidates that share a document with the held-out side, then those that nearly repeat its questions.

    The vectors are unit vectors of questions. What is held out is the current question, or all held-out questions.
    """
    held = frozenset(held_documents)
    disjoint = [place for place, ids in enumerate(documents) if held.isdisjoint(ids)]
    if not disjoint or not len(held_vectors):
        return Clean(tuple(disjoint), len(documents) - len(disjoint), 0)
    nearest = (vectors[disjoint] @ held_vectors.T).max(axis=1)
    kept = tuple(place for place, cosine in zip(disjoint, nearest, strict=True) if cosine < NEAR_DUPLICATE)
    return Clean(kept, len(documents) - len(disjoint), len(disjoint) - len(kept))
