"""A training set on disk, and how a planner is trained on it."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from medground.errors import BadDocument, UsageError
from medground.values.document import Frozen
from medground.values.source_description import SourceDescription

Which = Literal["positive", "negative", "pairs"]
FILES: dict[Which, str] = {"positive": "sft.jsonl", "negative": "sft-negative.jsonl", "pairs": "dpo.jsonl"}
MANIFEST = "manifest.json"


class TrainingManifest(Frozen):
    """How a training set was made.

    Attributes:
        labelled_by: the signal, and who gave it.
        agreement: the judge beside labels made by hand, in a line; empty if nobody compared them.
        counts: examples of each file.
        dropped: questions that are in no file, by reason.
        sources: the sources of the plans, whose licences go with it.
    """

    form: Literal["medground-planner-training-1"] = "medground-planner-training-1"
    dataset: str
    judged_sha256: str
    labelled_by: str
    agreement: str = ""
    seed: int
    counts: dict[str, int]
    dropped: dict[str, int] = Field(default_factory=dict)
    sources: tuple[SourceDescription, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sources, in the order of their tags."""
        return tuple(one.name for one in self.sources)


def read_manifest(folder: Path) -> tuple[TrainingManifest, str]:
    """The manifest, and its SHA-256.

    Raises:
        UsageError: the folder holds no training set.
        BadDocument: the manifest cannot be read.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except OSError:
        raise UsageError(f"{folder} holds no training set; write one with medground train planner export") from None
    try:
        return TrainingManifest.model_validate_json(content), hashlib.sha256(content).hexdigest()
    except ValidationError:
        raise BadDocument("not the manifest of a planner's training set", file=str(path)) from None


def read_examples(folder: Path, which: Which, *, ratio: float = 1.0, seed: int = 0) -> list[dict[str, Any]]:
    """The examples of a training set, or a random share of them (Figure 5).

    Raises:
        UsageError: there is no example, or `ratio` is not above 0 and at most 1.
        BadDocument: a line cannot be read.
    """
    if not 0 < ratio <= 1:
        raise UsageError(f"a data ratio of {ratio:g} is not possible; use a number above 0, up to 1")
    path = folder / FILES[which]
    found: list[dict[str, Any]] = []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    found.append(json.loads(line))
                except ValueError:
                    raise BadDocument("not a line of JSON", file=str(path), position=number) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); export the set again") from None
    if not found:
        raise UsageError(_NONE[which].format(path=path))
    if ratio < 1:
        places = random.Random(seed).sample(range(len(found)), max(1, round(ratio * len(found))))
        found = [found[place] for place in sorted(places)]
    return found


_NONE: dict[Which, str] = {
    "positive": "{path} has no positive plan: no source helped with any question; explore more questions or sources",
    "negative": "{path} has no negative plan: every query helped, so there is nothing to compare with",
    "pairs": "{path} has no pair of a positive and a negative plan, so there is no preference to learn; explore more "
    "questions or sources",
}


BETA = 0.1
"""The strength of the preference. The paper does not name its value; this is that of Rafailov et al., 2023."""

Stage = Literal["sft", "dpo"]


class TrainingOptions(Frozen):
    """Options of one stage.

    Attributes:
        stage: supervised fine-tuning (Eq. 2) or direct preference optimisation (Eq. 3 and 4).
        which: the plans of supervised fine-tuning; `negative` for the comparison of Table 10.
        batch: plans, or pairs, for one step.
        at_once: how many of a batch are computed at the same time; fewer need less memory.
        learning_rate: the peak.
        ratio: random share of the training set (Figure 5).
        rank, alpha, dropout: of the adapter (LoRA). The paper does not name them.
        longest: examples of more tokens, prompt and plan, are left out, never cut.
        beta: of Eq. 4. The paper does not name it.
        save_every: steps between two checkpoints.
    """

    stage: Stage
    which: Which = "positive"
    batch: int = Field(default=64, ge=1)
    at_once: int = Field(default=4, ge=1)
    learning_rate: float = Field(gt=0)
    epochs: float = Field(gt=0)
    ratio: float = Field(default=1.0, gt=0, le=1)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    longest: int = Field(default=4096, ge=16)
    beta: float = Field(default=BETA, gt=0)
    save_every: int = Field(default=20, ge=1)
    seed: int = 0


SFT = TrainingOptions(stage="sft", learning_rate=2.5e-4, epochs=5)
DPO = TrainingOptions(stage="dpo", which="pairs", learning_rate=5e-6, epochs=3)
