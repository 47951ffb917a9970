"""How likely a text shows each kind of risk, read by a small network over the meaning of its words.

Each of its filters looks for a word or for two neighbours of some meaning, wherever they stand; what they find and the
meaning of the whole are weighed for each kind (Kim 2014, with fixed vectors; `scripts/train_risk.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from medground.language import words
from medground.values.decision import NoticeKind

if TYPE_CHECKING:
    import numpy as np

KINDS: tuple[NoticeKind, ...] = ("self-harm", "emergency", "see-doctor", "treatment")
"""The kinds, in the order of the shares."""


def shares(text: str) -> list[float]:
    """For each of `KINDS`, how likely the words of a text (`rules.plain`) show it: 0 to 1."""
    return shares_by(_weights(), text)


def shares_by(weights: Mapping[str, np.ndarray[Any, Any]], text: str) -> list[float]:
    """The same by given weights."""
    import numpy as np  # slow to import

    from medground.language.kinds import SIZE, vectors_of

    found = vectors_of(words.stems(text))
    whole = found.sum(axis=0)
    padded = np.vstack([np.zeros((1, SIZE)), found, np.zeros((2, SIZE))])
    single = padded @ weights["one"].T + weights["bias_one"]
    pairs = padded[:-1] @ weights["first"].T + padded[1:] @ weights["second"].T + weights["bias_two"]
    signs = [np.maximum(part, 0).max(axis=0) for part in (single, pairs)]
    scores = weights["out"] @ np.concatenate([*signs, whole / (np.linalg.norm(whole) or 1)]) + weights["bias"]
    return [float(share) for share in 1 / (1 + np.exp(-scores))]


@cache
def _weights() -> dict[str, np.ndarray[Any, Any]]:
    import numpy as np

    with (resources.files(__package__) / "network.npz").open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
