"""Let the shipped critic label pairs: `python scripts/teach.py HOME PAIRS.jsonl OUT [--most 40000] [--name critic]`.

Writes OUT/0000.jsonl and so on, `SHARD` pairs each, with what the critic says of each as `taught`: probabilities of
`entails`, `contradicts` and `neutral`. A shard appears when it is whole, so training can begin on the first ones. The
same command goes on where it was. The critic must have been fetched to HOME. It uses one core if it is told to:
`taskset -c 0 nice python scripts/teach.py ...`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pairing.lines import lines

from medground.models.pairs.make import made
from medground.models.pairs.network import PairNetwork, open_network

LABELS = ("entails", "contradicts", "neutral")
SHARD = 1000
Row = Mapping[str, Any]


def taught(network: PairNetwork, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows with what the network says of each; without those that it cannot read."""
    order = [network.about.labels.index(label) for label in LABELS]
    found: NDArray[np.float64] = network.probabilities([(row["premise"], row["statement"]) for row in rows])[:, order]
    return [
        {**row, "taught": [round(float(p), 5) for p in said]}
        for row, said in zip(rows, found, strict=True)
        if np.isfinite(said).all()
    ]


def teach(network: PairNetwork, pairs: Path, out: Path, most: int) -> None:
    """Write the shards that are missing."""
    out.mkdir(parents=True, exist_ok=True)
    source = islice(lines(pairs), most)
    number = 0
    while rows := list(islice(source, SHARD)):
        path = out / f"{number:04}.jsonl"
        if not path.exists():
            found = taught(network, rows)
            fresh = path.with_suffix(".part")
            fresh.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")
            fresh.replace(path)
            said = np.bincount([int(np.argmax(row["taught"])) for row in found], minlength=len(LABELS))
            print(f"{path}: {', '.join(f'{n} {name}' for name, n in zip(LABELS, said, strict=True))}", flush=True)
        number += 1


def main() -> None:
    """Write the shards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("home", "pairs", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--most", type=int, default=40_000)
    parser.add_argument("--name", default="critic")
    arguments = parser.parse_args()
    folder, _ = made(arguments.name, arguments.home / "models")
    teach(open_network(arguments.name, folder), arguments.pairs, arguments.out, arguments.most)


if __name__ == "__main__":
    main()
