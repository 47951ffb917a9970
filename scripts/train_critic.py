"""Train the small critic: `python scripts/train_critic.py PAIRS WORK [--minutes 60]`.

PAIRS is the output folder of `critic_pairs.py`. WORK holds `checkpoint.pt` (model, optimiser and position, replaced
atomically every few minutes and at Ctrl-C; run the same command to resume), `best.safetensors` and `log.jsonl`. The
network is `cross_encoder.py`.

Matrix products run in bfloat16, which is a few times faster on processors with AMX. The optimiser keeps float32 copies,
because small steps would be lost in bfloat16. Dropout is off, since drawing its masks takes a third of a step on a CPU
and each pair is seen about once. Word vectors are frozen.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from cross_encoder import CrossEncoder, Example, bucketed
from pairing.tokens import LABELS, arrays, model_folder, open_tokenizer, rows
from safetensors.torch import save_file


@dataclass
class State:
    """The position of a run, as stored in the checkpoint."""

    epoch: int = 0
    batch: int = 0
    pairs: int = 0
    seconds: float = 0.0
    best: float = 0.0
    losses: list[float] = field(default_factory=list)


class Trainer:
    """One run."""

    def __init__(self, pairs: Path, work: Path, options: argparse.Namespace) -> None:
        self.work, self.options, self.state = work, options, State()
        self.model = CrossEncoder(model_folder()).bfloat16()
        self.live = [p for p in self.model.parameters() if p.requires_grad]
        self.exact = [p.detach().float() for p in self.live]
        self.optimiser = torch.optim.AdamW(self.exact, lr=options.rate, weight_decay=0.01, fused=True)
        self.train = examples(read(pairs / options.file), blind=options.blind)
        self.valid_pairs = read(pairs / "valid.jsonl")
        self.valid = examples(self.valid_pairs, blind=options.blind)

    def run(self) -> None:
        """Train until the pairs or the minutes are used up, or Ctrl-C."""
        if (self.work / "checkpoint.pt").exists():
            self._resume()
        elif self.options.start:
            self._copy_from(self.options.start)
        try:
            self._loop()
        except KeyboardInterrupt:
            print("stopped by Ctrl-C", flush=True)
        self._save()
        self._judge()

    def _loop(self) -> None:
        began = saved = judged = shown = time.monotonic()
        first = self.state.pairs
        for batch in self._rest():
            now = time.monotonic()
            self._step(batch)
            self.state.seconds += time.monotonic() - now
            if now - shown > 60:
                shown = now
                self._show((self.state.pairs - first) / (now - began))
            if now - judged > self.options.judge_every * 60:
                self._judge()
                judged = time.monotonic()
            if now - saved > self.options.save_every * 60:
                self._save()
                saved = time.monotonic()

    def _progress(self) -> float:
        done = self.state.pairs / (self.options.epochs * len(self.train))
        return max(done, self.state.seconds / (self.options.minutes * 60))

    def _rest(self) -> Iterator[list[Example]]:
        """The remaining batches, until the pairs or the minutes are used up."""
        while self._progress() < 1:
            for batch in bucketed(self.train, self.state.epoch)[self.state.batch :]:
                yield batch
                self.state.batch += 1
                if self._progress() >= 1:
                    return
            self.state.epoch, self.state.batch = self.state.epoch + 1, 0

    def _step(self, batch: Sequence[Example]) -> None:
        done = self._progress()
        warm = min(1.0, (self.state.pairs + 1) / self.options.warm_up)
        self.optimiser.param_groups[0]["lr"] = self.options.rate * warm * max(0.02, 1 - done)
        target = torch.tensor([label for _, label in batch])
        loss = torch.nn.functional.cross_entropy(self._logits(batch), target)
        loss.backward()
        for copy, parameter in zip(self.exact, self.live, strict=True):
            copy.grad, parameter.grad = parameter.grad.float(), None
        torch.nn.utils.clip_grad_norm_(self.exact, 1.0)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_copy_(self.live, self.exact)
        self.state.pairs += len(batch)
        self.state.losses = [*self.state.losses[-199:], loss.item()]

    def _logits(self, batch: Sequence[Example]) -> torch.Tensor:
        logits: torch.Tensor = self.model(*map(torch.from_numpy, arrays([row for row, _ in batch])))
        return logits

    def _show(self, speed: float) -> None:
        left = self.options.epochs * len(self.train) - self.state.pairs
        ends = min(left / max(speed, 0.01), self.options.minutes * 60 - self.state.seconds)
        print(
            f"{clock()} {self.state.pairs:,} pairs, {speed:.1f} pairs/s, "
            f"loss {mean(self.state.losses):.4f}, {self._progress():.0%}, ends in {ends / 60:.0f} min",
            flush=True,
        )

    @torch.no_grad()
    def _judge(self) -> None:
        order = sorted(range(len(self.valid)), key=lambda i: len(self.valid[i][0][0]))
        logits = torch.zeros((len(self.valid), len(LABELS)))
        for start in range(0, len(order), 48):
            places = order[start : start + 48]
            logits[places] = self._logits([self.valid[i] for i in places])
        line: dict[str, Any] = {
            "time": clock(),
            "pairs": self.state.pairs,
            "minutes": round(self.state.seconds / 60, 1),
            "loss": round(mean(self.state.losses), 4),
        }
        line |= figures([p["source"] for p in self.valid_pairs], [label for _, label in self.valid], logits)
        with (self.work / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)
        if line["two claim"] >= self.state.best:
            self.state.best = line["two claim"]
            self._export("best.safetensors")
        self._export("last.safetensors")

    def _export(self, name: str) -> None:
        weights = {n: p.detach().float().contiguous() for n, p in self.model.state_dict().items()}
        exact = {id(p): c for p, c in zip(self.live, self.exact, strict=True)}
        weights |= {n: exact[id(p)].clone() for n, p in self.model.named_parameters() if id(p) in exact}
        save_file(weights, self.work / f".{name}")
        (self.work / f".{name}").replace(self.work / name)

    def _save(self) -> None:
        fresh = self.work / ".checkpoint.pt"
        torch.save({"exact": self.exact, "optimiser": self.optimiser.state_dict(), "state": vars(self.state)}, fresh)
        fresh.replace(self.work / "checkpoint.pt")

    def _resume(self) -> None:
        found = torch.load(self.work / "checkpoint.pt", weights_only=True)
        self.state = State(**found["state"])
        self._take(found["exact"])
        self.optimiser.load_state_dict(found["optimiser"])
        print(f"{clock()} resumed at {self.state.pairs:,} pairs", flush=True)

    def _copy_from(self, other: Path) -> None:
        """Start with the weights of another run's checkpoint."""
        self._take(torch.load(other, weights_only=True)["exact"])
        print(f"{clock()} started from {other.name}", flush=True)

    def _take(self, weights: Sequence[torch.Tensor]) -> None:
        for copy, value in zip(self.exact, weights, strict=True):
            copy.copy_(value)
        with torch.no_grad():
            torch._foreach_copy_(self.live, self.exact)


def read(path: Path) -> list[dict[str, str]]:
    """The pairs of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def examples(pairs: Sequence[Mapping[str, str]], *, blind: bool) -> list[Example]:
    """The tokens and label of each pair. A blind model sees no premise."""
    found = rows(open_tokenizer(), ((p["statement"], "" if blind else p["premise"]) for p in pairs))
    return [(row, LABELS.index(pair["label"])) for row, pair in zip(found, pairs, strict=True)]


def figures(sources: Sequence[str], labels: Sequence[int], logits: torch.Tensor) -> dict[str, float]:
    """Accuracy on three labels (`three`), and on entails against contradicts (`two`), by first word of the source."""
    three, two = defaultdict(list), defaultdict(list)
    for source, label, row in zip(sources, labels, logits.tolist(), strict=True):
        kind = source.split()[0]
        three[kind].append(max(range(3), key=row.__getitem__) == label)
        if label < 2:
            two[kind].append((row[1] > row[0]) == (label == 1))
    named = (("three", three), ("two", two))
    return {f"{name} {kind}": round(mean(hits), 4) for name, table in named for kind, hits in sorted(table.items())}


def mean(values: Sequence[float]) -> float:
    """The mean; NaN if there are no values."""
    return sum(values) / len(values) if values else math.nan


def clock() -> str:
    """Time of day in UTC."""
    return datetime.now(UTC).strftime("%H:%M:%S")


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--minutes", type=float, default=60, help="total training time over all resumed runs")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--warm-up", type=int, default=1000, help="pairs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save-every", type=float, default=3, help="minutes")
    parser.add_argument("--judge-every", type=float, default=10, help="minutes")
    parser.add_argument("--file", default="train.jsonl")
    parser.add_argument("--start", type=Path, help="checkpoint of another run to start from")
    parser.add_argument("--blind", action="store_true", help="hide the premises, to measure the statements alone")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs start with it ignored
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    options.work.mkdir(parents=True, exist_ok=True)
    Trainer(options.pairs, options.work, options).run()


if __name__ == "__main__":
    main()
