"""Calibrate a trained critic as it is used, and write the file to ship.

    python scripts/calibrate_critic.py DATA HOME MODEL.safetensors OUT.safetensors --version 1 --trained-on TEXT

The int8 network is made in HOME, and reads texts that were kept out of training (`benchmarks/critic_cases.py`:
SciFact's training claims, Check-COVID and trials) as it reads a user's. The temperature makes their labels most
probable. The critic abstains below the lowest probability from which on at most one in ten of what it says is wrong: on
all three sets, each with the same weight, and on the claims, the hardest of them, alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from scipy.optimize import minimize_scalar

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from critic_cases import LABELS, SETS, Read, read, stacked
from shipped import made

from medground.models.pair_network import PairNetwork

KEPT = ("claims kept", "covid kept", "trials kept")
WRONG = 0.1
Array = NDArray[np.float64]


def truth(found: Sequence[Read]) -> NDArray[np.int64]:
    """The label of each text."""
    return np.array([LABELS.index(one.case.truth) for one in found])


def loss(sets: Sequence[Sequence[Read]], temperature: float) -> float:
    """Minus the mean logarithm of the probability of the labels, over sets of the same weight."""
    probabilities = [stacked(found, temperature)[range(len(found)), truth(found)] for found in sets]
    return float(np.mean([-np.log(np.maximum(p, 1e-9)).mean() for p in probabilities]))


def threshold(sets: Sequence[Sequence[Read]], temperature: float) -> float:
    """The lowest probability from which on at most `WRONG` of what is said is wrong, 1 if there is none."""
    rows = [(stacked(found, temperature), truth(found)) for found in sets]
    sure = np.concatenate([p[:, :2].max(axis=1) for p, _ in rows])
    right = np.concatenate([p[:, :2].argmax(axis=1) == t for p, t in rows])
    weight = np.concatenate([np.full(len(t), 1 / len(t)) for _, t in rows])
    order = np.argsort(-sure, kind="stable")
    wrong = np.cumsum(weight[order] * ~right[order]) / np.cumsum(weight[order])
    fits = np.flatnonzero((wrong <= WRONG) & (sure[order] >= 0.5))
    return float(sure[order][fits[-1]]) if len(fits) else 1.0


def told(found: Sequence[Read], temperature: float, least: float) -> str:
    """How much of a set is judged, and how much of that is right."""
    probabilities, labels = stacked(found, temperature), truth(found)
    sure = probabilities[:, :2].max(axis=1) >= least
    right = (probabilities[:, :2].argmax(axis=1) == labels)[sure]
    two = labels < 2
    forced = (probabilities[:, :2].argmax(axis=1) == labels)[two].mean()
    three = (probabilities.argmax(axis=1) == labels).mean()
    return f"two {forced:.1%} of {two.sum()}, three {three:.1%}, judged {sure.mean():.1%}, right {right.mean():.1%}"


def main() -> None:
    """Write the file and print what was fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "home", "model", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--version", default="1")
    parser.add_argument("--trained-on", default="")
    arguments = parser.parse_args()
    with safe_open(arguments.model, "np") as file:
        about = file.metadata() | {"temperature": "1.0", "abstain_below": "0.0", "version": arguments.version}
    if arguments.trained_on:
        about["trained_on"] = arguments.trained_on
    with tempfile.TemporaryDirectory() as work:
        save_file(load_file(arguments.model), Path(work) / "critic.safetensors", about)
        _, folder = made(Path(work), "critic", arguments.home, "not calibrated", "nothing")
        network = PairNetwork.open("critic", folder)
    sets = [read(network, list(SETS[name](arguments.data, 900))) for name in KEPT]
    fitted = float(minimize_scalar(lambda t: loss(sets, t), bounds=(0.3, 5), method="bounded").x)
    least = max(threshold(sets, fitted), threshold(sets[:1], fitted))
    fit = {"temperature": f"{fitted:.3f}", "abstain_below": f"{least:.3f}"}
    save_file(load_file(arguments.model), arguments.out, about | fit)
    arguments.out.chmod(0o644)
    print(f"temperature {fitted:.3f}, loss {loss(sets, 1):.3f} to {loss(sets, fitted):.3f}; abstains below {least:.3f}")
    print("\n".join(f"{name}: {told(found, fitted, least)}" for name, found in zip(KEPT, sets, strict=True)))


if __name__ == "__main__":
    main()
