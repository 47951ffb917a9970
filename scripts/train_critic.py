"""Train the critic: `python scripts/train_critic.py PAIRS BASE_FOLDER WORK [--minutes 60]`.

PAIRS is the output folder of `critic_pairs.py`, BASE_FOLDER the checkpoint of all-mpnet-base-v2 or all-MiniLM-L6-v2,
WORK the run folder (see `small/training.py`). General pairs come first, then the medical ones; a name given twice to
`--files` is read twice. A pair labelled `unsupported` teaches only that the statement is not entailed. Each
judging writes WORK/critic.safetensors.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from pairing.lines import lines
from small.bases import BASES, tokenizer_of, weights_of
from small.feeding import Batch, Example, batches, encoded
from small.network import CrossEncoder
from small.shipping import go_on, write
from small.training import Schedule, Trainer
from torch import Tensor

LABELS = ("entails", "contradicts", "neutral")
TARGETS: Mapping[str, tuple[float, ...]] = {
    "entails": (1.0, 0.0, 0.0), "contradicts": (0.0, 1.0, 0.0), "neutral": (0.0, 0.0, 1.0),
    "unsupported": (0.0, 1.0, 1.0), "compatible": (1.0, 0.0, 1.0),
}  # fmt: skip
"""The labels that a pair allows."""
TRAIN_LENGTH, MAX_LENGTH = 128, 256
"""Tokens of a pair in training, and in use."""
Pairs = Sequence[Mapping[str, Any]]


def examples(pairs: Pairs, folder: Path, length: int) -> list[Example]:
    """Pairs as tokens, with the labels that they allow."""
    texts = [(p["premise"], p["statement"]) for p in pairs]
    return encoded(tokenizer_of(folder, length), texts, [TARGETS[p["label"]] for p in pairs])


def allowed(logits: Tensor, batch: Batch) -> Tensor:
    """Minus the logarithm of the probability of the labels that each pair allows, averaged."""
    return -(logits.log_softmax(-1) + batch.target.clamp(min=1e-9).log()).logsumexp(-1).mean()


def figures(sources: Sequence[str], targets: Sequence[Sequence[float]], logits: Tensor) -> dict[str, float]:
    """Share of allowed labels (`three`) and accuracy on entails against contradicts (`two`), by source."""
    three, two = defaultdict(list), defaultdict(list)
    for source, target, row in zip(sources, targets, logits.tolist(), strict=True):
        three[source].append(target[max(range(3), key=row.__getitem__)] > 0)
        if sum(target) == 1 and not target[2]:
            two[source].append((row[1] > row[0]) == (target[1] == 1))
    named = (("three", three), ("two", two))
    return {
        f"{name} {source}": round(sum(hits) / len(hits), 3) for name, table in named for source, hits in table.items()
    }


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="of training, over all resumed runs")
    parser.add_argument("--files", nargs="+", default=["general", "medical"], help="in this order")
    parser.add_argument("--start", type=Path, help="folder of a run to start from, or a model's file")
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--rank", type=int, default=24)
    parser.add_argument("--first", type=int, default=4, help="first layer that learns")
    parser.add_argument("--general", type=int, help="general pairs to read; all by default")
    parser.add_argument("--judge-every", type=float, default=15, help="minutes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    base = BASES["all-mpnet-base-v2" if "mpnet" in options.base.name else "all-minilm-l6-v2"]
    network = CrossEncoder(base, weights_of(options.base), len(LABELS), options.rank, options.first)
    if options.start and options.start.is_file():
        go_on(network, options.start)
    elif options.start:
        live = torch.load(options.start / "checkpoint.pt", weights_only=True)["live"]
        network.load_state_dict(live, strict=False)
    rng, plan = random.Random(options.seed), []
    for name in options.files:
        pairs = list(lines(options.pairs / f"{name}.jsonl"))
        pairs = pairs[: options.general if name == "general" else None]
        found = examples(pairs, options.base, TRAIN_LENGTH)
        plan += batches([[e] for e in rng.sample(found, len(found))], options.seed + len(plan))
    checked = list(lines(options.pairs / "valid.jsonl"))
    valid = examples(checked, options.base, TRAIN_LENGTH)

    def judge(trainer: Trainer) -> dict[str, float]:
        about = {
            "kind": "critic", "labels": json.dumps(LABELS), "max_length": str(MAX_LENGTH), "temperature": "1.0",
            "order": "premise,hypothesis", "abstain_below": "0.0", "trained_on": f"{trainer.state.pairs} pairs",
            "version": "0",
        }  # fmt: skip
        write(trainer.work / "critic.safetensors", trainer.network, about)
        return figures([p["source"] for p in checked], [TARGETS[p["label"]] for p in checked], trainer.logits(valid))

    schedule = Schedule(options.rate, minutes=options.minutes)
    Trainer(network, plan, allowed, judge, options.work, schedule, options.judge_every).run()


if __name__ == "__main__":
    main()
