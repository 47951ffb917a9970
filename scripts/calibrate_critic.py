"""Calibrate a trained critic and write the file to ship.

    python scripts/calibrate_critic.py PAIRS MODEL.safetensors BASE_FOLDER OUT.safetensors --version 1 --trained-on TEXT

The temperature is the one that makes the labels of PAIRS/valid.jsonl most probable (SciFact's training claims, trials
and documents that were kept aside, not the planted errors). The critic abstains below the lowest probability from
which on, among the pairs where it says `entails` or `contradicts`, at most one in ten is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pairing.lines import lines
from safetensors.torch import load_file, save_file
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from small.judge import Judge
from small.shipping import metadata
from train_critic import TARGETS

SOURCES = ("claim", "check_covid", "evidence_inference_v2_templates")
WRONG = 0.1
Array = NDArray[np.float64]


def loss(logits: Array, targets: Array, temperature: float) -> float:
    """Minus the mean logarithm of the probability of the allowed labels."""
    probabilities = np.exp(log_softmax(logits / temperature, axis=1))
    return float(-np.log((probabilities * targets).sum(axis=1)).mean())


def threshold(probabilities: Array, targets: Array) -> float:
    """The lowest probability from which on at most `WRONG` of what is judged is wrong; 1 if there is none."""
    said = probabilities.argmax(axis=1)
    two = said < 2
    sure, right = probabilities.max(axis=1)[two], targets[np.arange(len(said)), said][two] > 0
    order = np.argsort(-sure)
    share = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    fits = np.flatnonzero(share <= WRONG)
    return float(sure[order][fits[-1]]) if len(fits) else 1.0


def bins(probabilities: Array, targets: Array, number: int = 6) -> Sequence[str]:
    """Mean probability and share right, from the least sure."""
    said, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    right = targets[np.arange(len(said)), said] > 0
    return [f"{sure[p].mean():.2f} → {right[p].mean():.2f}" for p in np.array_split(sure.argsort(), number)]


def main() -> None:
    """Write the file and print what was fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("pairs", "model", "base", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--version", default="1")
    parser.add_argument("--trained-on", default="")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    rows = [row for row in lines(arguments.pairs / "valid.jsonl") if row["source"] in SOURCES]
    targets = np.array([TARGETS[row["label"]] for row in rows])
    logits = Judge(arguments.model, arguments.base).logits([(r["premise"], r["statement"]) for r in rows])
    fitted = minimize_scalar(lambda t: loss(logits, targets, t), bounds=(0.3, 5), method="bounded").x
    probabilities = np.exp(log_softmax(logits / fitted, axis=1))
    least = threshold(probabilities, targets)
    about = metadata(arguments.model) | {
        "temperature": f"{fitted:.3f}", "abstain_below": f"{least:.3f}", "version": arguments.version,
    }  # fmt: skip
    if arguments.trained_on:
        about["trained_on"] = arguments.trained_on
    save_file(load_file(arguments.model), arguments.out, about)
    arguments.out.chmod(0o644)
    judged = (probabilities.argmax(axis=1) < 2) & (probabilities.max(axis=1) >= least)
    print(f"{len(rows)} pairs, temperature {fitted:.3f}, loss {loss(logits, targets, 1):.3f} to "
          f"{loss(logits, targets, fitted):.3f}, abstains below {least:.3f}, judges {judged.mean():.1%}")  # fmt: skip
    print("calibration:", ", ".join(bins(probabilities, targets)))


if __name__ == "__main__":
    main()
