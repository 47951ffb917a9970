"""Train the ranker: `python scripts/train_ranker.py QUESTIONS BASE_FOLDER WORK [--without 0 1] [--start RUN]`.

QUESTIONS is the output folder of `ranker_pairs.py`, WORK the run folder (see `small/training.py`). The loss of a
question is minus the logarithm of the expected worth of its first candidate, drawn by the softmax of the scores, as in
`train_reader.py`. `--files others` learns from all but BioASQ; a run that starts from it with `--files bioasq` and
`--without` some of the five folds can be measured on these. WORK/ranker.safetensors is written at each judging.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import torch
from pairing.lines import lines
from small.bases import BASES, tokenizer_of, weights_of
from small.feeding import Batch, Example, batches, encoded
from small.network import CrossEncoder
from small.shipping import write
from small.training import Schedule, Trainer
from torch import Tensor

TRAIN_LENGTH, MAX_LENGTH = 160, 256
HELD = 40
"""One question in so many of those trained on is kept to watch the run."""


def examples(questions: list[dict[str, Any]], folder: Path) -> list[list[Example]]:
    """The candidates of each question as examples of one group."""
    rows = [(n, line["question"], c) for n, line in enumerate(questions) for c in line["candidates"]]
    texts = [(question, f"{c['title']}\n{c['text']}" if c["title"] else c["text"]) for _, question, c in rows]
    found = encoded(tokenizer_of(folder, TRAIN_LENGTH), texts, [(c["worth"],) for *_, c in rows], [n for n, *_ in rows])
    units: list[list[Example]] = [[] for _ in questions]
    for example in found:
        units[example.group].append(example)
    return units


def worth(logits: Tensor, batch: Batch) -> Tensor:
    """Minus the logarithm of the expected worth of each question's first candidate, averaged."""
    groups, place = batch.group.unique(return_inverse=True)
    same = place[None, :] == torch.arange(len(groups), device=place.device)[:, None]
    scores = logits[:, 0].expand(len(groups), -1).masked_fill(~same, -1e4)
    drawn = (scores.log_softmax(-1) + batch.target[:, 0].clamp(min=1e-3).log()).logsumexp(-1)
    return -drawn.mean()


def first_worth(units: list[list[Example]], trainer: Trainer) -> dict[str, float]:
    """The mean worth of the first candidate."""
    scores = trainer.logits([e for unit in units for e in unit])[:, 0].split([len(u) for u in units])
    found = [unit[int(s.argmax())].target[0] for unit, s in zip(units, scores, strict=True)]
    return {"first worth": round(sum(found) / max(len(found), 1), 4)}


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--files", nargs="+", default=["others", "bioasq"])
    parser.add_argument("--most", type=int, help="questions of a file, at random")
    parser.add_argument("--without", nargs="*", type=int, default=[], help="folds of BioASQ")
    parser.add_argument("--start", type=Path, help="folder of a finished run to start from")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--first", type=int, default=1, help="first layer that learns")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    base = BASES["all-mpnet-base-v2" if "mpnet" in options.base.name else "all-minilm-l6-v2"]
    network = CrossEncoder(base, weights_of(options.base), 1, options.rank, options.first)
    if options.start:
        live = torch.load(options.start / "checkpoint.pt", weights_only=True)["live"]
        network.load_state_dict(live, strict=False)
    plan: list[list[Example]] = []
    held: list[list[Example]] = []
    for name in options.files:
        found = [q for q in lines(options.questions / f"{name}.jsonl") if q.get("fold") not in options.without]
        units = examples(found, options.base)
        random.Random(0).shuffle(units)
        units = units[: options.most]
        held += units[::HELD]
        rest = [u for n, u in enumerate(units) if n % HELD]
        for epoch in range(options.epochs):
            random.Random(epoch).shuffle(rest)
            plan += batches(rest, epoch)

    def judge(trainer: Trainer) -> dict[str, float]:
        about = {
            "kind": "ranker", "labels": json.dumps(["relevant"]), "max_length": str(MAX_LENGTH), "temperature": "1.0",
            "order": "hypothesis,premise", "abstain_below": "0.0", "version": "0",
            "trained_on": f"{', '.join(options.files)}; {trainer.state.pairs} candidates",
        }  # fmt: skip
        write(trainer.work / "ranker.safetensors", trainer.network, about)
        return first_worth(held, trainer)

    schedule = Schedule(options.rate, minutes=options.minutes)
    Trainer(network, plan, worth, judge, options.work, schedule, judge_every=30).run()


if __name__ == "__main__":
    main()
