"""Which questions may be counted to choose something, and which only to measure it.

The keyless planner of sources is chosen on the training half, and every figure of it
is measured on the test half. One rule for both, so that no question is on both sides.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from medground.evaluate.base import Item

Half = Literal["training", "test"]

_BY_SPLIT = frozenset(["pubmedqa", "scifact", "omni-long", "liveqa", "medicationqa", "expertqa"])
"""Sets whose own splits are used; those of a validation split are for training, except SciFact's, which is its test."""
_TRAINING_TASK = "7B"
"""Of BioASQ, task 7b is for training, and later tasks are for measuring."""


def half_of(dataset: str, item: Item) -> Half:
    """The half of a question, by the data set's own split where it has one, else by a hash of its id.

    Args:
        dataset: name of the data set, as `medground data list` shows it.
        item: the question, as the loader of that set reads it. Of BioASQ, one that does not say its task is in the
            test half, so that it is never counted by mistake.
    """
    if dataset.startswith("bioasq"):
        return "training" if str(item.extra.get("batch", "")).upper().startswith(_TRAINING_TASK) else "test"
    if dataset in _BY_SPLIT:
        training = item.split == "train" or (item.split == "validation" and dataset != "scifact")
        return "training" if training else "test"
    name = item.id.replace(":", "/", 1) if dataset.startswith("mirage") else f"{dataset}/{item.id}"
    return "training" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "test"
