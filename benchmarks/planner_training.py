"""Source Planning Optimisation from the first query to a planner that plans: 100 PubMedQA training questions, one CPU.

    nice python benchmarks/planner_training.py [--data ../shared/data] [--home FOLDER] [--questions 100]

Without a model: word queries, and a judge that knows the gold document. The language model is a tiny one with random
weights, made here, so what this proves is that the whole way runs, that the losses fall and that the adapter is used;
its plans are no use to anyone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from tiny_model import make_tiny_model

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.home.settings import Settings
from medground.models.planner import libraries, load_adapter, written
from medground.recipes.omni_rag.read_plan import read_plan
from medground_evaluate.datasets.registry import Source
from medground_evaluate.planning.explore import Exploration, explore_questions, lines_of
from medground_evaluate.planning.judging import judge_explored
from medground_evaluate.planning.learn import train
from medground_evaluate.planning.trainset import DPO, SFT, export, read_examples, read_manifest

TINY = {"dropout": 0.0, "rank": 48, "alpha": 96}
SFT_HERE = SFT.model_copy(update={**TINY, "batch": 5, "at_once": 5, "learning_rate": 4e-3, "epochs": 6})
DPO_HERE = DPO.model_copy(update={**TINY, "batch": 10, "at_once": 5, "learning_rate": 1e-4, "epochs": 1})
PLANS = 10


@contextmanager
def stage(name: str, seconds: dict[str, float]) -> Iterator[None]:
    """Measure a stage on the clock, and how much of it this process had a processor."""
    print(f"\n== {name}", flush=True)
    clock, processor = time.perf_counter(), time.process_time()
    yield
    seconds[name] = time.perf_counter() - clock
    print(f"== {name}: {seconds[name]:.1f} s, processor {time.process_time() - processor:.1f} s", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--home", type=Path)
    arguments.add_argument("--questions", type=int, default=100)
    given = arguments.parse_args()
    home = given.home or Path(tempfile.mkdtemp(prefix="planner-training-"))
    seconds: dict[str, float] = {}
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {sys.version.split()[0]}"
    )
    print(", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "peft", "trl")))
    with stage("import", seconds):
        libraries().torch.set_num_threads(1)
    settings = Settings.load(
        environ={"MEDGROUND_HOME": str(home)},
        options={"retrieval.corpora": ("pubmedqa", "scifact"), "model.cache": False},
    )
    with stage("corpora", seconds):
        for name in ("pubmedqa", "scifact"):
            build(Library(home), name, find_inputs([given.data / name]))
    with stage("explore", seconds):
        wanted = Exploration(Source(given.data / "pubmedqa"), limit=given.questions)
        explored = asyncio.run(explore_questions(wanted, settings, home / "explored.jsonl", workers=4))
        print(*lines_of(explored, 4), sep="\n")
    with stage("judge", seconds):
        judged = asyncio.run(judge_explored(explored.path, settings, home / "judged.jsonl", workers=4))
        print(*lines_of(judged, 4), sep="\n")
    with stage("export", seconds):
        made = export(judged.path, home / "set")
        print(made.counts, made.dropped)
    with stage("tiny model", seconds):
        pairs = read_examples(home / "set", "positive")
        texts = [message["content"] for one in pairs for message in [*one["prompt"], *one["completion"]]]
        base = make_tiny_model(home / "tiny", texts, vocabulary=1500, hidden=64)
    with stage("sft", seconds):
        sft = train(home / "set", home / "sft", SFT_HERE, base=str(base), tell=print)
        print(f"{sft.examples} plans, {sft.steps} steps, loss {sft.first_loss:.4f} -> {sft.last_loss:.4f}")
    with stage("dpo", seconds):
        dpo = train(home / "set", home / "dpo", DPO_HERE, adapter=home / "sft", tell=print)
        print(f"{dpo.examples} pairs, {dpo.steps} steps, loss {dpo.first_loss:.4f} -> {dpo.last_loss:.4f}")
    with stage("plans", seconds):
        _plan(home)
    total = sum(seconds.values())
    print("\n" + json.dumps({name: round(took, 1) for name, took in seconds.items()} | {"total": round(total, 1)}))
    assert sft.last_loss < sft.first_loss and dpo.last_loss < dpo.first_loss
    if given.home is None:
        shutil.rmtree(home)


def _plan(home: Path) -> None:
    """The adapter loads, and what it writes for the first questions is read as plans."""
    sources = read_manifest(home / "set")[0].sources
    model, tokenizer, card = load_adapter(home / "dpo")
    print(f"adapter of {card.base_fingerprint[:12]}: {', '.join(card.stages)}")
    counts: Counter[str] = Counter()
    for example in read_examples(home / "set", "positive")[:PLANS]:
        text, _, _ = written(model.eval(), tokenizer, example["prompt"], tokens=60)
        read = read_plan(text, sources)
        counts["unread" if read.unread else "read"] += 1
        counts.update(f"queries of {name}" for name, _ in read.plan)
    print(f"{PLANS} plans: {dict(counts)}; the last as written: {text!r}")


if __name__ == "__main__":
    main()
