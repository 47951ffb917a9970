"""Prepare a trained network for int8: `python scripts/even_out.py HOME MODEL.safetensors TRAINING.jsonl OUT`.

Adds the factors of `small/evening.py`, found on `COUNT` pairs of TRAINING: lines of `critic_pairs.py`. The base is
fetched to HOME.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from pairing.lines import lines
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from small.evening import Pair, factors

from medground.models.catalogue import BASES
from medground.models.wheels import fetch

COUNT = 100


def texts(path: Path) -> Iterator[Pair]:
    """The pairs of a training file, in the order that the network reads them."""
    for line in lines(path):
        yield line["premise"], line["statement"]


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("home", "model", "training", "out"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    with safe_open(arguments.model, "np") as file:
        about = file.metadata()
    pairs = list(texts(arguments.training))
    base = fetch(BASES[about["base"]], arguments.home / "models")
    found = factors(arguments.model.read_bytes(), base, pairs[:: max(1, len(pairs) // COUNT)][:COUNT])
    save_file({**load_file(arguments.model), **found}, arguments.out, about)
    arguments.out.chmod(0o644)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes, {len(found)} factors")


if __name__ == "__main__":
    main()
