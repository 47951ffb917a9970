"""Measures how many questions are answered per second without a model, beside another version of the program.

    python benchmarks/speed.py --data ../shared/data --home FOLDER [--other SRC] [--corpora NAME ...] [--same]

The questions are BioASQ's (tasks 7b to 9b) and PubMedQA's, in turn, chosen at random. The corpora are BioASQ's papers,
SciFact and PubMedQA, 13,991 records: as one corpus (`together`) or as three. `--other` names the `src` folder of
another checkout. Each version answers in a process of its own, with one thread, block by block in turn, so that both
see the same load of the machine; each answers a first block that is not counted. The ratio is of CPU seconds; its
interval is a bootstrap over blocks, 95 %. `--same` compares the answers of both, without their ids and times.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
BLOCK = 25
PARTS = ("bioasq", "scifact", "pubmedqa")
PASSING = frozenset(["id", "created", "seconds", "trace_id", "settings_hash", "version", "snapshot"])
"""Fields of an answer that may differ between two versions."""


def questions(data: Path, count: int) -> list[str]:
    """Questions of both sets, as many of each."""
    import marked

    sets = [[one.question for one in marked.bioasq(data)], [one.question for one in marked.pubmedqa(data)]]
    order = random.Random(0)
    chosen = [order.sample(list(dict.fromkeys(one)), (count + 1) // 2) for one in sets]
    return list(chain.from_iterable(zip(*chosen, strict=True)))[:count]


def build_all(data: Path, home: Path) -> None:
    """Build the corpora that are missing."""
    import marked

    def pubmedqa(data: Path) -> Iterator[dict[str, Any]]:
        for r in marked.lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
            yield {"id": f"PMID:{r['pmid']}", "title": "", "text": "\n\n".join([*r["contexts"], r["long_answer"]])}

    def together(data: Path) -> Iterator[dict[str, Any]]:
        return chain.from_iterable(marked.CORPORA[name](data) for name in PARTS)

    marked.CORPORA.update(pubmedqa=pubmedqa, together=together)
    for name in (*PARTS, "together"):
        marked.build_corpus(name, data, home)


def serve(home: str, corpora: Sequence[str]) -> None:
    """Answer the questions of each line read, and print the seconds, CPU seconds and answers."""
    from medground import BlockingEngine, Settings

    settings = Settings.load(environ={"MEDGROUND_HOME": home}, options={"retrieval.dense": "false"})
    with BlockingEngine.open(settings, corpora=corpora) as engine:
        for line in sys.stdin:
            wall, cpu = time.perf_counter(), time.process_time()
            answers = [engine.ask(question) for question in json.loads(line)]
            spent = (time.perf_counter() - wall, time.process_time() - cpu)
            print(json.dumps([*spent, [answer.model_dump(mode="json") for answer in answers]]), flush=True)


class Version:
    """One version of the program, answering in a process of its own."""

    def __init__(self, name: str, source: Path, home: Path, corpora: Sequence[str]) -> None:
        self.name = name
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self.answers: list[Any] = []
        environ = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--serve", "--home", str(home), "--corpora", *corpora]
        self._process = subprocess.Popen(command, env=environ, stdin=-1, stdout=-1, text=True)

    def ask(self, block: Sequence[str], *, counted: bool = True) -> None:
        """Answer a block of questions."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(block) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with {self._process.wait()}; see its message above")
        wall, cpu, answers = json.loads(line)
        if counted:
            self.wall.append(wall)
            self.cpu.append(cpu)
            self.answers += answers

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def lasting(value: Any) -> Any:
    """An answer without what may pass."""
    if isinstance(value, dict):
        return {name: lasting(one) for name, one in value.items() if name not in PASSING}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def ratio(ours: Version, other: Version) -> str:
    """How many times as fast, by CPU seconds."""
    ours_cpu, other_cpu = np.array(ours.cpu), np.array(other.cpu)
    drawn = np.random.default_rng(0).integers(len(ours_cpu), size=(2000, len(ours_cpu)))
    low, high = np.quantile(other_cpu[drawn].sum(1) / ours_cpu[drawn].sum(1), [0.025, 0.975])
    return f"{other_cpu.sum() / ours_cpu.sum():.2f} ({low:.2f} to {high:.2f})"


def compare(ours: Version, other: Version) -> None:
    """Print how many answers are the same, and which fields differ in the first that is not."""
    pairs = [(lasting(a), lasting(b)) for a, b in zip(ours.answers, other.answers, strict=True)]
    unlike = [(a, b) for a, b in pairs if json.dumps(a, sort_keys=True) != json.dumps(b, sort_keys=True)]
    print(f"{len(pairs) - len(unlike)} of {len(pairs)} answers are the same")
    for a, b in unlike[:5]:
        print("  different:", a["question"]["text"], [name for name in a if a[name] != b.get(name)])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--other", type=Path)
    parser.add_argument("--corpora", nargs="+", default=["together"], choices=(*PARTS, "together"))
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--same", action="store_true")
    arguments = parser.parse_args()
    if arguments.serve:
        serve(str(arguments.home), arguments.corpora)
        return
    sys.path.insert(0, str(HERE.parent / "scripts"))
    build_all(arguments.data, arguments.home)
    asked = questions(arguments.data, arguments.questions + BLOCK)
    sources: dict[str, Path] = {"this version": HERE.parent / "src"} | (
        {"other version": arguments.other} if arguments.other else {}
    )
    versions = [Version(name, source, arguments.home, arguments.corpora) for name, source in sources.items()]
    for start in range(0, len(asked), BLOCK):
        for version in versions[:: 1 if start // BLOCK % 2 else -1]:
            version.ask(asked[start : start + BLOCK], counted=start > 0)
    for version in versions:
        version.close()
        count = len(version.answers)
        print(f"{version.name}: {count / sum(version.wall):.1f} a second, {count / sum(version.cpu):.1f} a CPU second")
    if arguments.other:
        print(f"this version is {ratio(*versions)} times as fast")
        if arguments.same:
            compare(*versions)


if __name__ == "__main__":
    main()
