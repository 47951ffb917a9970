"""Measures whether this version is slower than one before it: build, parse, ask, search, serve, E-utilities.

    python benchmarks/before.py --data ../shared/data --before SRC [--rounds 20] [--only build,ask]

SRC is the `src` folder of another checkout. Each version has a process of its own and servers of its own, all on one
core's worth of threads; round by round both do the same short job, in turns who is first, so that both see the same
load of the machine. A row gives the median over the rounds of this version's time beside the other's, in wall and
in CPU seconds, with 95 % intervals (bootstrap over rounds). Limit: 1.1. The first round is not counted (Linux).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import numpy as np

LIMIT = 1.1
CORPUS, PAPERS = "before", "before-papers"
PARSED = ("medline", "jats", "jsonlines")
JOBS = ("build", *(f"parse {name}" for name in PARSED), "search", "ask", "serve an ask", "esearch", "efetch")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_TICK = os.sysconf("SC_CLK_TCK")


def files(data: Path, work: Path) -> dict[str, Path]:
    """What is parsed and built, by reader."""
    import gzip

    lines = gzip.decompress((data / "scifact" / "corpus.jsonl.gz").read_bytes()).splitlines()
    records = [json.loads(line) for line in lines]
    plain = work / "plain.jsonl"
    plain.write_text(
        "".join(
            json.dumps({"id": str(r["doc_id"]), "title": r["title"], "text": " ".join(r["abstract"])}) + "\n"
            for r in records
        ),
        encoding="utf-8",
    )
    few = work / "few.jsonl"
    few.write_text("".join(plain.read_text(encoding="utf-8").splitlines(keepends=True)[:800]), encoding="utf-8")
    return {
        "medline": data / "pubmed_xml" / "raw" / "medline16n0902.xml.gz",
        "jats": data / "jats" / "titipata",
        "jsonlines": plain,
        "few": few,
    }


def work(home: Path, paths: dict[str, str]) -> None:
    """Do the job named by each line read, and print its wall and CPU seconds."""
    from medground import BlockingEngine, Settings
    from medground.corpus.build import build
    from medground.corpus.library import Library
    from medground.corpus.readers import find_inputs

    build(Library(home), CORPUS, find_inputs([Path(paths["jsonlines"])]))
    build(Library(home), PAPERS, find_inputs([Path(paths["medline"])]))
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"retrieval.dense": "false"})
    with BlockingEngine.open(settings, corpora=[CORPUS]) as engine:
        print("ready", flush=True)
        for number, line in enumerate(sys.stdin):
            job, given = json.loads(line)
            wall, cpu = time.perf_counter(), time.process_time()
            if job == "build":
                build(Library(home), f"built-{number}", find_inputs([Path(paths["few"])]))
            elif job == "search":
                for words in given:
                    engine.search(words, limit=20)
            elif job == "ask":
                for question in given:
                    engine.ask(question)
            else:
                for one in find_inputs([Path(paths[job.removeprefix("parse ")])]):
                    for _ in one.read(0):
                        pass
            print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]), flush=True)


class Version:
    """One version: its process, and its servers."""

    def __init__(self, source: Path, home: Path, paths: dict[str, Path]) -> None:
        self._environ = os.environ | {
            "PYTHONPATH": str(source.resolve()),
            "MEDGROUND_HOME": str(home),
            "OMP_NUM_THREADS": "1",
            "PYTHONUNBUFFERED": "1",
        }
        told = json.dumps({name: str(path) for name, path in paths.items()})
        command = [sys.executable, __file__, "--work", str(home), "--paths", told]
        self._worker = subprocess.Popen(command, env=self._environ, stdin=-1, stdout=-1, text=True)
        self._read()

    def do(self, job: str, given: Sequence[str] = ()) -> tuple[float, float]:
        """Wall and CPU seconds of a job in its process."""
        assert self._worker.stdin is not None
        self._worker.stdin.write(json.dumps([job, list(given)]) + "\n")
        self._worker.stdin.flush()
        wall, cpu = json.loads(self._read())
        return wall, cpu

    def _read(self) -> str:
        assert self._worker.stdout is not None
        if line := self._worker.stdout.readline():
            return line
        raise SystemExit(f"a version ended with {self._worker.wait()}; see its message above")

    def close(self) -> None:
        """End its process."""
        self._worker.communicate()

    @contextmanager
    def served(self, *words: str) -> Iterator[Callable[[Callable[[httpx2.Client], None]], tuple[float, float]]]:
        """A server of this version; what it yields times some requests, in wall and the server's CPU seconds."""
        command = [sys.executable, "-m", "medground", *words, "--port", "0"]
        process = subprocess.Popen(
            command, env=self._environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        found = next((found for line in process.stdout if (found := _ADDRESS.search(line))), None)
        if found is None:
            raise SystemExit(f"`medground {' '.join(words)}` did not start")
        threading.Thread(target=process.stdout.read, daemon=True).start()  # a full pipe would stop it

        def timed(requests: Callable[[httpx2.Client], None]) -> tuple[float, float]:
            wall, cpu = time.perf_counter(), _cpu(process.pid)
            requests(client)
            return time.perf_counter() - wall, _cpu(process.pid) - cpu

        with httpx2.Client(base_url=found[0], timeout=120, trust_env=False) as client:
            try:
                yield timed
            finally:
                process.terminate()
                process.wait(30)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def asks(questions: Sequence[str]) -> Callable[[httpx2.Client], None]:
    """Requests that ask these questions one after the other."""

    def requests(client: httpx2.Client) -> None:
        for question in questions:
            client.post("/v1/ask", json={"question": question}).raise_for_status()

    return requests


def utilities(tool: str, values: Sequence[dict[str, str]]) -> Callable[[httpx2.Client], None]:
    """Requests to one E-utility, one after the other."""

    def requests(client: httpx2.Client) -> None:
        for value in values:
            client.get(f"/entrez/eutils/{tool}.fcgi", params={"db": "pubmed", **value}).raise_for_status()

    return requests


def interval(ratios: Sequence[float]) -> str:
    """The median of ratios with its 95 % interval."""
    found = np.array(ratios)
    drawn = np.median(found[np.random.default_rng(0).integers(len(found), size=(4000, len(found)))], axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{np.median(found):.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--paths", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default=",".join(JOBS))
    given = parser.parse_args()
    if given.work:
        work(given.work, json.loads(given.paths))
        return
    wanted = [job for job in JOBS if job in given.only.split(",")]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        paths = files(given.data, Path(folder))
        sources = (Path(__file__).resolve().parent.parent / "src", given.before)
        versions = [Version(source, Path(folder) / str(n), paths) for n, source in enumerate(sources)]
        rounds = {job: _rounds(job, versions, given.data, paths, stack) for job in wanted}
        took: dict[str, list[tuple[tuple[float, float], tuple[float, float]]]] = {job: [] for job in wanted}
        for number in range(given.rounds + 1):
            for job in wanted:
                order = (0, 1) if number % 2 else (1, 0)
                found = {which: rounds[job](which, number) for which in order}
                if number:
                    took[job].append((found[0], found[1]))
        for version in versions:
            version.close()
    print(f"{'':18} {'ms before':>9}  {'wall, now beside before':28}{'CPU, now beside before':28}")
    for job, pairs in took.items():
        before = float(np.median([other[0] for _, other in pairs])) * 1000
        wall = interval([one[0] / other[0] for one, other in pairs])
        cpu = interval([one[1] / max(other[1], 1 / _TICK) for one, other in pairs])
        print(f"{job:18} {before:9.0f}  {wall:28}{cpu:28}")
    print(f"limit: {LIMIT}")


def _rounds(
    job: str, versions: Sequence[Version], data: Path, paths: dict[str, Path], stack: ExitStack
) -> Callable[[int, int], tuple[float, float]]:
    """What does a job of a round with one of the versions."""
    chance = random.Random(3)
    lines = (data / "scifact" / "claims_train.jsonl").read_text(encoding="utf-8").splitlines()
    claims = chance.sample([json.loads(line)["claim"] for line in lines], len(lines))

    def some(number: int, count: int) -> list[str]:
        return [claims[(number * count + n) % len(claims)] for n in range(count)]

    if job == "serve an ask":
        words = ("serve", f"--set=retrieval.corpora={CORPUS}", "--set=retrieval.dense=false")
        servers = [stack.enter_context(version.served(*words)) for version in versions]
        return lambda which, number: servers[which](asks(some(number, 8)))
    if job in ("esearch", "efetch"):
        from eutils_speed import queries

        from medground.corpus.readers import find_inputs
        from medground.values.document import Document

        read = [item for one in find_inputs([paths["medline"]]) for item in one.read(0) if isinstance(item, Document)]
        words = ("pubmed", "serve", "--corpus", PAPERS, "--quiet")
        servers = [stack.enter_context(version.served(*words)) for version in versions]
        terms = list(queries(read, 2000))
        ids = [one.id.removeprefix("PMID:") for one in read]
        if job == "esearch":
            return lambda which, number: servers[which](
                utilities(job, [{"term": term, "retmax": "20"} for term in terms[number * 80 :][:80]])
            )
        fetched = [{"id": ",".join(chance.sample(ids, 20)), "retmode": "xml"} for _ in range(40)]
        return lambda which, number: servers[which](utilities(job, fetched))
    if job == "search":
        return lambda which, number: versions[which].do(job, some(number, 60))
    return lambda which, number: versions[which].do(job, some(number, 8) if job == "ask" else ())


if __name__ == "__main__":
    main()
