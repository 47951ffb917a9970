"""The training loop of all small models: resumes, logs, and finishes its schedule; on a CPU or an accelerator.

A run folder holds `checkpoint.pt` (replaced atomically every few minutes and at Ctrl-C; run the same command again to
resume), `log.jsonl`, and the model as of its last judging. The frozen weights and the products are bfloat16, which is
several times faster on a CPU with AMX; trained values stay float32. There is no dropout: its masks are slow to draw on
a CPU, and pairs are seen only a few times.
"""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import torch
from filelock import FileLock
from torch import Tensor

from small.feeding import Batch, Example, stacked
from small.network import CrossEncoder, best_device

Loss = Callable[[Tensor, Batch], Tensor]
Judge = Callable[["Trainer"], Mapping[str, float]]


@dataclass(frozen=True)
class Schedule:
    """Learning rate: a linear rise over `warm_up` of the steps, then half a cosine to zero.

    Attributes:
        minutes: training time after which the run ends; the rate falls with the time used if that is the tighter limit.
    """

    rate: float = 4e-4
    warm_up: float = 0.05
    minutes: float = math.inf

    def at(self, done: float) -> float:
        """The rate when a share `done` of the run is over."""
        if done < self.warm_up:
            return self.rate * (done + 1e-3) / self.warm_up
        return self.rate * 0.5 * (1 + math.cos(math.pi * min(1.0, (done - self.warm_up) / (1 - self.warm_up))))


@dataclass
class State:
    """The position of a run, as stored in the checkpoint."""

    batch: int = 0
    pairs: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)


class Trainer:
    """One run over a fixed list of batches.

    Args:
        work: the run folder.
        save: writes the model to a path.
    """

    def __init__(
        self, network: CrossEncoder, plan: Sequence[Sequence[Example]], loss: Loss, judge: Judge, work: Path,
        schedule: Schedule, judge_every: float = 10.0,
    ) -> None:  # fmt: skip
        self.device = best_device()
        self.network, self.plan, self.loss, self.judge = network.to(self.device), plan, loss, judge
        self.work, self.schedule, self.judge_every, self.state = work, schedule, judge_every, State()
        self.live = [p for p in network.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.live, lr=schedule.rate, weight_decay=0.01, fused=True)
        work.mkdir(parents=True, exist_ok=True)

    @property
    def done(self) -> float:
        """The share of the run that is over."""
        return max(self.state.batch / len(self.plan), self.state.seconds / 60 / self.schedule.minutes)

    def run(self) -> None:
        """Train to the end of the plan or of the minutes.

        Raises:
            SystemExit: stopped by Ctrl-C or a terminate signal; the checkpoint is saved.
            filelock.Timeout: another process trains in this folder.
        """
        with FileLock(self.work / "lock", timeout=0):
            self._run()

    def _run(self) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs start with it ignored
        self._resume()
        try:
            self._loop()
        except KeyboardInterrupt:
            self._save()
            print("stopped; run the same command again to resume", flush=True)
            raise SystemExit(130) from None
        self._save()
        self._judge()

    @torch.no_grad()
    def logits(self, examples: Sequence[Example], pairs: int = 32) -> Tensor:
        """Logits, float32 of shape (examples, outputs), in the order given."""
        order = sorted(range(len(examples)), key=lambda i: len(examples[i].ids))
        found: list[Tensor] = []
        for start in range(0, len(order), pairs):
            batch = self._batch([examples[i] for i in order[start : start + pairs]])
            found.append(self.network(batch.ids, batch.segments, batch.mask).cpu())
        return torch.cat(found)[torch.tensor(order).argsort()]

    def _loop(self) -> None:
        shown = saved = judged = time.monotonic()
        while self.done < 1:
            began = time.monotonic()
            self._step()
            now = time.monotonic()
            self.state.seconds += now - began
            if now - shown > 60:
                shown = now
                self._show()
            if now - judged > self.judge_every * 60:
                self._judge()
                judged = time.monotonic()
            if now - saved > 180:
                self._save()
                saved = time.monotonic()

    def _step(self) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.at(self.done)
        batch = self._batch(self.plan[self.state.batch])
        loss = self.loss(self.network(batch.ids, batch.segments, batch.mask), batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.live, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.state.batch += 1
        self.state.pairs += len(batch.ids)
        self.state.losses = [*self.state.losses[-199:], loss.item()]

    def _batch(self, examples: Sequence[Example]) -> Batch:
        return stacked(examples, self.network.base.padding).to(self.device)

    def _show(self) -> None:
        speed = self.state.pairs / self.state.seconds
        left = self.state.seconds * (1 / self.done - 1)
        print(
            f"{_clock()} {self.state.pairs:,} pairs, {speed:.1f} pairs/s, loss {_mean(self.state.losses):.4f}, "
            f"{self.done:.0%}, ends in {left / 60:.0f} min",
            flush=True,
        )

    def _judge(self) -> None:
        line = {
            "time": _clock(), "pairs": self.state.pairs, "minutes": round(self.state.seconds / 60, 1),
            "loss": round(_mean(self.state.losses), 4), **self.judge(self),
        }  # fmt: skip
        with (self.work / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)

    def _save(self) -> None:
        fresh = self.work / ".checkpoint.pt"
        live = {name: p.detach() for name, p in self.network.named_parameters()}
        torch.save({"live": live, "optimiser": self.optimiser.state_dict(), "state": vars(self.state)}, fresh)
        fresh.replace(self.work / "checkpoint.pt")

    def _resume(self) -> None:
        if (self.work / "checkpoint.pt").exists():
            found = torch.load(self.work / "checkpoint.pt", weights_only=True, map_location=self.device)
            self.network.load_state_dict(found["live"], strict=False)
            self.optimiser.load_state_dict(found["optimiser"])
            self.state = State(**found["state"])
            print(f"{_clock()} resumed at {self.state.pairs:,} pairs", flush=True)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _clock() -> str:
    return datetime.now(UTC).strftime("%H:%M:%S")
