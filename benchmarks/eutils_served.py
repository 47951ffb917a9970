"""Measures `medground pubmed serve` over many requests, under attack, and as it ends; also beside an older version.

    python benchmarks/eutils_served.py PATH... [--before SRC] [--only speed,memory,attack,half,ending]

PATHs are MEDLINE XML files. SRC is the `src` folder of another checkout: it is measured in turn with this one.

- speed: searches per second of 16 connections, in turns with the other version. Limit: at least 0.9 of it.
- memory: 20,000 mixed requests, some of them wrong; resident memory and open descriptors after 2,000, 10,000 and
  20,000. Limit: flat.
- attack: two posts of 170,000 IDs, and four searches of 99 kB, again and again; the time of `einfo` beside its time on
  the quiet server. Limits: each attack is answered 413 or 429, and einfo takes at most twice as long.
- half: 1,108 connections that send half a request; how many are open 30 seconds later.
- ending: the seconds from Ctrl-C to the end, under load. Limit: two.

Client and server share the machine (Linux).
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import httpx2
from eutils_speed import measure, queries

from medground.corpus.readers import find_inputs
from medground.values.document import Document

CORPUS = "bench"
IDS_OF_ATTACK, BYTES_OF_ATTACK, HALF_OPEN = 170_000, 99_000, 1108
LIMIT_SPEED, LIMIT_EINFO, LIMIT_ENDING = 0.9, 2.0, 2.0
POINTS = (2_000, 10_000, 20_000)
FORM = {"content-type": "application/x-www-form-urlencoded"}
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass
class Server:
    """A running server; `printed` is what it has printed so far."""

    process: subprocess.Popen[str]
    printed: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """`http://127.0.0.1:8123`."""
        found = _ADDRESS.search("".join(self.printed))
        if found is None:
            raise RuntimeError("the server did not start:\n" + "".join(self.printed[-20:]))
        return found[0]

    @property
    def resident(self) -> float:
        """Resident memory in MB."""
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1000 if found else 0.0

    @property
    def descriptors(self) -> int:
        """Open file descriptors."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def read(self) -> None:
        """Collect what it prints, until it ends: a full pipe would stop it."""
        assert self.process.stdout is not None
        self.printed.extend(iter(self.process.stdout.readline, ""))


class Version:
    """A version of Medground by its `src` folder, with a corpus of its own."""

    def __init__(self, name: str, source: Path, home: Path, paths: list[Path]) -> None:
        self.name = name
        self._environment = {**os.environ, "MEDGROUND_HOME": str(home), "PYTHONPATH": str(source.resolve())}
        self._run("corpus", "build", CORPUS, *map(str, paths)).communicate()

    def _run(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "medground", *words]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self._environment
        )

    @contextmanager
    def served(self) -> Iterator[Server]:
        """Its server, until the block ends."""
        server = Server(self._run("pubmed", "serve", "--corpus", CORPUS, "--port", "0", "--quiet"))
        threading.Thread(target=server.read, daemon=True).start()
        until = time.monotonic() + 120
        while time.monotonic() < until and server.process.poll() is None:
            if _ADDRESS.search("".join(server.printed)):
                break
            time.sleep(0.05)
        try:
            yield server
        finally:
            server.process.kill()
            server.process.wait()


def speed(versions: list[Version], records: list[Document]) -> None:
    """Searches per second of each version, in turns."""
    asked = list(queries(records, 2000))
    rates: dict[str, list[float]] = {version.name: [] for version in versions}
    for turn in range(5):
        for version in versions if turn % 2 else versions[::-1]:
            with version.served() as server:
                asyncio.run(measure(server.address, asked[:200], 16))
                seconds, took, failures = asyncio.run(measure(server.address, asked, 16))
                assert not failures
                rates[version.name].append(len(took) / seconds)
    for name, found in rates.items():
        print(f"speed: {name}: {statistics.median(found):.0f} searches/s ({' '.join(f'{one:.0f}' for one in found)})")
    if len(versions) == 2:
        pairs = zip(rates[versions[0].name], rates[versions[1].name], strict=True)
        told("speed", "of the other version", statistics.median(one / other for one, other in pairs), LIMIT_SPEED, ">=")


def mixed(records: list[Document], count: int) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Requests of every kind: method, utility and parameters. One in nine is wrong."""
    chance = random.Random(11)
    ids = [record.id.removeprefix("PMID:") for record in records]
    for number, term in enumerate(queries(records, count)):
        some = ",".join(chance.sample(ids, 20))
        yield (
            ("GET", "esearch", {"term": term, "retmax": "20"}),
            ("POST", "esearch", {"term": term, "usehistory": "y", "retmode": "json"}),
            ("GET", "efetch", {"id": some, "retmode": "xml"}),
            ("GET", "efetch", {"id": some, "rettype": "medline", "retmode": "text"}),
            ("GET", "esummary", {"id": some, "retmode": "json"}),
            ("POST", "epost", {"id": ",".join(chance.sample(ids, 200))}),
            ("GET", "elink", {"id": chance.choice(ids), "cmd": "neighbor_score"}),
            ("GET", "espell", {"term": term}),
            chance.choice(
                [
                    ("GET", "efetch", {}),
                    ("GET", "esearch", {"term": "(((" + term, "retmax": "many"}),
                    ("POST", "nosuch", {"term": term}),
                    ("GET", "esearch", {"term": term, "db": "protein"}),
                    ("POST", "esearch", {"term": "x " * 60_000}),
                ]
            ),
        )[number % 9]


async def send(address: str, asked: list[tuple[str, str, dict[str, str]]]) -> Counter[int]:
    """Send requests over eight connections; returns how many had which status."""
    statuses: Counter[int] = Counter()
    waiting = iter(asked)
    async with httpx2.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:

        async def worker() -> None:
            for method, utility, parameters in waiting:
                target, encoded = f"/entrez/eutils/{utility}.fcgi", urlencode(parameters)
                if method == "GET":
                    response = await client.get(f"{target}?{encoded}")
                else:
                    response = await client.post(target, content=encoded, headers=FORM)
                statuses[response.status_code] += 1

        await asyncio.gather(*(worker() for _ in range(8)))
    return statuses


def memory(version: Version, records: list[Document]) -> None:
    """Resident memory and descriptors over 20,000 requests."""
    asked = list(mixed(records, POINTS[-1]))
    with version.served() as server:
        statuses: Counter[int] = Counter()
        sent = 0
        for point in POINTS:
            statuses += asyncio.run(send(server.address, asked[sent:point]))
            sent = point
            print(f"memory: {version.name}: {point:,}: {server.resident:.1f} MB, {server.descriptors} descriptors")
        print(f"memory: {version.name}: statuses {dict(statuses)}, tracebacks {tracebacks(server)}")


def body_of_ids() -> tuple[str, str]:
    """A post of 170,000 IDs, one of them bad: then each was looked up in a set made anew."""
    return "epost", urlencode({"id": ",".join(map(str, range(10_000_000, 10_000_000 + IDS_OF_ATTACK - 1))) + ",x"})


def body_of_words() -> tuple[str, str]:
    """A search of 99 kB with words that are mapped to concepts."""
    words = ("heart attack OR asthma OR breast cancer OR kidney failure OR stroke OR ") * 2000
    return "esearch", urlencode({"term": words[:BYTES_OF_ATTACK].rpartition(" OR ")[0]})


def attacking(port: int, utility: str, body: str, at_once: int, done: Event, told: Counter[str]) -> None:
    """A process that attacks until it is told to stop."""
    counts: Counter[str] = Counter()

    def again() -> None:
        while not done.is_set():
            try:
                address = f"http://127.0.0.1:{port}/entrez/eutils/{utility}.fcgi"
                response = httpx2.post(address, content=body, headers=FORM, timeout=60, trust_env=False)
                counts[str(response.status_code)] += 1
            except httpx2.HTTPError as error:
                counts[type(error).__name__] += 1
            done.wait(0.1)

    threads = [threading.Thread(target=again) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.update(counts)


def einfo(address: str, count: int, seconds: float) -> list[float]:
    """Seconds of each `einfo` over one connection; at most about as many seconds in all."""
    took: list[float] = []
    until = time.monotonic() + seconds
    with httpx2.Client(base_url=address, timeout=seconds, trust_env=False) as client:
        while len(took) < count and time.monotonic() < until:
            started = time.perf_counter()
            with suppress(httpx2.HTTPError):  # the time until it failed counts
                client.get("/entrez/eutils/einfo.fcgi?db=pubmed").raise_for_status()
            took.append(time.perf_counter() - started)
            time.sleep(0.005)
    return took


def attack(version: Version, made: Callable[[], tuple[str, str]], at_once: int, name: str) -> None:
    """What an attack is answered, and how long `einfo` takes meanwhile."""
    utility, body = made()
    context = multiprocessing.get_context("spawn")
    with version.served() as server, multiprocessing.Manager() as manager:
        einfo(server.address, 50, 10)
        quiet = statistics.median(einfo(server.address, 400, 30))
        done, counts = context.Event(), manager.dict()
        port = urlsplit(server.address).port
        attacker = context.Process(target=attacking, args=(port, utility, body, at_once, done, counts))
        attacker.start()
        time.sleep(2)
        took = einfo(server.address, 400, 30)
        done.set()
        attacker.join(70)
        answers = dict(counts)
        if attacker.is_alive():
            attacker.kill()
            answers = {"none in 70 s": at_once}
        ratio = statistics.median(took) / quiet
        print(
            f"attack: {version.name}: {name}: answered {answers}; einfo {quiet * 1000:.1f} ms quiet, median "
            f"{statistics.median(took) * 1000:.1f} and worst {max(took) * 1000:.0f} ms under attack ({len(took)} asked)"
        )
        told("attack", "times the quiet time", ratio, LIMIT_EINFO, "<=")


def half(version: Version) -> None:
    """How many half requests are still open after 30 seconds."""
    with version.served() as server:
        quiet = server.descriptors
        port = urlsplit(server.address).port or 0
        opened = []
        for _ in range(HALF_OPEN):
            one = socket.create_connection(("127.0.0.1", port), timeout=5)
            one.sendall(b"GET /entrez/eutils/einfo.fcgi HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            opened.append(one)
        time.sleep(1)
        most = server.descriptors - quiet
        time.sleep(30)
        print(f"half: {version.name}: {most} descriptors more at once, {server.descriptors - quiet} after 30 s")
        for one in opened:
            one.close()


def leaving(version: Version) -> None:
    """What the server prints when 201 clients leave in the middle of a post."""
    with version.served() as server:
        port = urlsplit(server.address).port or 0
        for _ in range(201):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
                one.sendall(
                    b"POST /entrez/eutils/esearch.fcgi HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90\r\n\r\nterm="
                )
                time.sleep(0.01)
        time.sleep(1)
        print(f"leaving: {version.name}: 201 clients left in the middle of a post, {tracebacks(server)} tracebacks")


def ending(version: Version, records: list[Document]) -> None:
    """Seconds from Ctrl-C to the end, under searches, large fetches and posts."""
    terms = list(queries(records, 3000))
    ids = ",".join(record.id.removeprefix("PMID:") for record in records)
    asked = [("GET", "esearch", {"term": term}) for term in terms]
    for number in range(0, len(asked), 4):
        asked[number] = ("POST", "efetch", {"id": ids})
    long = " OR ".join(terms)[:19_000].rpartition(" OR ")[0]
    for number in range(1, len(asked), 8):
        asked[number] = ("POST", "esearch", {"term": f"{long} OR {terms[number]}"})
    took = []
    for _ in range(5):
        with version.served() as server:
            thread = threading.Thread(target=asyncio.run, args=(_until_it_ends(server.address, asked),), daemon=True)
            thread.start()
            time.sleep(4)
            started = time.perf_counter()
            server.process.send_signal(signal.SIGINT)
            try:
                server.process.wait(30)
            except subprocess.TimeoutExpired:
                server.process.kill()
            took.append(time.perf_counter() - started)
            thread.join(60)
    print(f"ending: {version.name}: {' '.join(f'{one:.2f}' for one in took)} s; tracebacks {tracebacks(server)}")
    told("ending", "s at the worst", max(took), LIMIT_ENDING, "<=")


async def _until_it_ends(address: str, asked: list[tuple[str, str, dict[str, str]]]) -> None:
    with suppress(httpx2.HTTPError):  # the server ends
        await send(address, asked)


def tracebacks(server: Server) -> int:
    """How many tracebacks the server has printed."""
    return sum("Traceback" in line for line in server.printed)


def told(what: str, unit: str, value: float, limit: float, sign: str) -> None:
    """Print a result beside its limit."""
    met = value <= limit if sign == "<=" else value >= limit
    print(f"{what}: {value:.2f} {unit} (limit {sign} {limit:g}): {'met' if met else 'MISSED'}")


def main() -> None:
    """Build a corpus for each version and measure what was chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--before", type=Path, metavar="SRC")
    parser.add_argument("--only", default="speed,memory,attack,half,leaving,ending")
    chosen = parser.parse_args()
    only = set(chosen.only.split(","))
    sources = {"this version": Path(__file__).parent.parent / "src"}
    sources |= {"the other version": chosen.before} if chosen.before else {}
    records = [one for each in find_inputs(chosen.paths, None) for one in each.read(0) if isinstance(one, Document)]
    records = [record for record in records if record.id.startswith("PMID:")]
    with tempfile.TemporaryDirectory() as folder:
        versions = [
            Version(name, source, Path(folder) / str(number), chosen.paths)
            for number, (name, source) in enumerate(sources.items())
        ]
        if "speed" in only:
            speed(versions, records)
        for version in versions:
            if "memory" in only:
                memory(version, records)
            if "attack" in only:
                attack(version, body_of_ids, 2, "two posts of 170,000 IDs")
                attack(version, body_of_words, 4, "four searches of 99 kB")
            if "half" in only:
                half(version)
            if "leaving" in only:
                leaving(version)
            if "ending" in only:
                ending(version, records)


if __name__ == "__main__":
    main()
