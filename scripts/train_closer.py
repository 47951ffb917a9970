"""Train the closer look at the strongest sentences: `python scripts/train_closer.py --data DATA --home FOLDER`.

Learns LambdaMART (Burges 2010) over the twelve sentences that the linear reader and its rules put first, from the same
questions as `train_reader.py`, whose weights it needs. A fragment is worth less than experts say: abstracts made of
snippets are full of them. Prints by folds what the first quote is worth. Needs lightgbm, which only trains.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from marked import Marked
from train_reader import FOLDS, SHARES, material

from medground.answering.read.reading_list import Said, sentences_of
from medground.language.question_reading import reading_of
from medground.language.quoting.closer import LOOKED_AT, looked_at
from medground.language.quoting.leading import BROKEN
from medground.language.quoting.model import weighed

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "closer.npz"
NAMES = (*(name for name in SHARES if not name.startswith("pubmedqa")),)
"""The sets with several papers a question."""
FRAGMENT = 0.4
"""What is left of the worth of a fragment."""
STEPS = 20
"""Grades of worth."""
SCALES = (0.5, 1.0, 1.5, 1.7, 2.0, 3.0)


class Sample(NamedTuple):
    """The strongest sentences of a question: what trees see of them, and what they are worth."""

    of: Marked
    seen: np.ndarray
    worth: np.ndarray


def sample(one: Marked) -> Sample:
    """The strongest sentences of what was found for a question."""
    asked = reading_of(one.question)
    said = [Said.of(asked, *sentence) for reading in one.readings for sentence in sentences_of(reading)]
    documents = np.array([n for n, reading in enumerate(one.readings) for _ in sentences_of(reading)], dtype=np.intp)
    rows, words = weighed(one.question, one.candidates)
    strong = words + np.array([each.gain for each in said])
    top = np.argsort(-strong, kind="stable")[:LOOKED_AT]
    own = np.array([said[n].signs for n in top.tolist()])
    whole = np.array([1.0 if said[n].form > -BROKEN else FRAGMENT for n in top.tolist()])
    return Sample(one, looked_at(rows[top], own, strong[top], words[top], documents[top]), one.values[top] * whole)


def fit(samples: Sequence[Sample]) -> Any:
    """Trees that order the sentences of these questions."""
    ranker = lightgbm.LGBMRanker(
        objective="lambdarank", n_estimators=200, learning_rate=0.05, num_leaves=16, min_child_samples=40,
        reg_lambda=5.0, label_gain=list(range(101)), lambdarank_truncation_level=3, verbose=-1, deterministic=True,
    )  # fmt: skip
    grades = np.concatenate([one.worth for one in samples])
    shares = np.concatenate([[SHARES[one.of.name]] * len(one.worth) for one in samples])
    sizes = [len(one.worth) for one in samples]
    seen = np.vstack([one.seen for one in samples])
    return ranker.fit(seen, (grades * STEPS).round().astype(int), group=sizes, sample_weight=shares)


def by_folds(samples: Sequence[Sample]) -> None:
    """Print what the first quote is worth, unseen, and how good each scale of the scores is (less is better)."""
    groups = sorted({one.of.group for one in samples})
    random.Random(0).shuffle(groups)
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    scored: list[tuple[Sample, np.ndarray]] = []
    for number in range(FOLDS):
        trees = fit([one for one in samples if fold[one.of.group] != number])
        scored += [(one, trees.predict(one.seen)) for one in samples if fold[one.of.group] == number]
    for name in NAMES:
        firsts = [one.worth[scores.argmax()] for one, scores in scored if one.of.name == name]
        before = [one.worth[0] for one, _ in scored if one.of.name == name]
        print(f"{name}: {np.mean(before):.3f} before, {np.mean(firsts):.3f} now, {len(firsts)} questions")
    for scale in SCALES:
        raised = [(one.worth, np.exp(scale * (scores - scores.max()))) for one, scores in scored]
        loss = -sum(float(np.log(max(worth @ e / e.sum(), 1e-6))) for worth, e in raised if worth.max() > 0)
        print(f"scale {scale}: {loss:.0f}")


def stored(trees: Any) -> dict[str, np.ndarray]:
    """The trees as arrays: of each node its feature, threshold and the nodes below, `~n` for leaf n; and the leaves."""
    found = trees.booster_.dump_model()["tree_info"]
    most = max(tree["num_leaves"] for tree in found)
    features = np.zeros((len(found), most - 1), dtype=np.int16)
    thresholds, leaves = np.zeros(features.shape, dtype=np.float32), np.zeros((len(found), most), dtype=np.float32)
    left, right = np.full(features.shape, -1, dtype=np.int16), np.full(features.shape, -1, dtype=np.int16)

    def put(node: dict[str, Any], tree: int) -> int:
        if "split_index" not in node:
            leaves[tree, node.get("leaf_index", 0)] = node["leaf_value"]
            return int(~node.get("leaf_index", 0))
        place = int(node["split_index"])
        features[tree, place], thresholds[tree, place] = node["split_feature"], node["threshold"]
        left[tree, place], right[tree, place] = put(node["left_child"], tree), put(node["right_child"], tree)
        return place

    for number, tree in enumerate(found):
        put(tree["tree_structure"], number)
    return {"features": features, "thresholds": thresholds, "left": left, "right": right, "leaves": leaves}


def main() -> None:
    """Train, and write `closer.npz`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    given = parser.parse_args()
    ours, others = material(given.data, given.home)
    marked = [one for one in [*ours, *others] if one.name in NAMES and one.readings and max(one.values, default=0) > 0]
    samples = [sample(one) for one in marked]
    by_folds(samples)
    np.savez_compressed(OUT, **stored(fit(samples)))


if __name__ == "__main__":
    main()
