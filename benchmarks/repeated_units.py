"""Sends every address of a server texts that repeat one unit to its limit, and measures what each costs.

    python benchmarks/repeated_units.py --corpus NAME [--only TEXT] [--unit UNIT] [--out FILE]

The server is started on the home folder of the settings. For each address and unit: seconds of the server's processor;
how much longer than alone (the longest of ten, just before) a search of somebody else took meanwhile; and what the
processor still did 2 s after the client had left early. Prints the worst units of each address, and fails where a limit
is broken (1 s, 0.3 s, 0.2 s). On a busy machine only the first is worth reading.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

UNITS = (
    "a ", "I ", "of ", "in a ", "does ", "is the ", "aspirin ", "asthma ", "asthma in ", "pain of ", "not ", "no ",
    "knockout ", "Marfan syndrome ", "BRCA1 ", "p53 ", "A-", "-A", "A-a ", "a-b-", "x,", ", ", "; ", "and ", "or ",
    "AND ", "NOT ", "(", ")", "(a", "((a)) ", "[", "[tiab]", '"', '"a" ', "'s ", "’s ", "5 mg ", "10% ", "1", "1.",
    "1-2 ", "2020/01/01 ", "10.1/x ", "PMID:1 ", "*", "a* ", "? ", "! ", ". ", "a. ", "?a", "é", "ß", "α-", "中", "ا",
    "🧬", "\u0301", "http://a.b/ ", "child ", "my ", "she has ", "years old ", "versus ", "how many ", "Dr. ",
    "e.g. ", "\t", "\n",
)  # fmt: skip
MOST_SECONDS, MOST_WAIT, MOST_AFTER = 1.0, 0.3, 0.2
SEARCH = "aspirin"


@dataclass(frozen=True)
class Address:
    """Where a text is sent, in which form, and how long it may be."""

    name: str
    path: str
    most: int
    body: Callable[[str], object] | None


def _asked(kind: str) -> Callable[[str], object]:
    return lambda text: {"question": text, "kind": kind}


ADDRESSES = (
    Address("ask", "/v1/ask", 3990, lambda text: {"question": text}),
    Address("ask: context", "/v1/ask", 15_990, lambda text: {"question": "What helps?", "context": text}),
    Address("ask: option", "/v1/ask", 990, lambda text: {"question": "Which?", "options": {"A": text, "B": "b"}}),
    Address("search", "/v1/search", 3990, lambda text: {"query": text}),
    Address("search: pubmed", "/v1/search", 3990, lambda text: {"query": text, "syntax": "pubmed"}),
    Address("verify", "/v1/verify", 3990, lambda text: {"claim": text}),
    Address("plan: query", "/v1/plan", 3990, _asked("pubmed")),
    Address("plan: research", "/v1/plan", 3990, _asked("research")),
    Address("papers", "/v1/papers", 100, lambda text: {"papers": [text]}),
    Address("document", "/v1/documents/", 290, None),
    Address(
        "chat",
        "/v1/chat/completions",
        3990,
        lambda text: {"model": "ground", "messages": [{"role": "user", "content": text}]},
    ),
    Address("responses", "/v1/responses", 3990, lambda text: {"model": "ground", "input": text}),
)


@dataclass(frozen=True)
class Cost:
    """What one request took, in seconds."""

    unit: str
    status: int
    processor: float
    wait: float
    after: float

    @property
    def is_high(self) -> bool:
        """Whether it breaks a limit."""
        return self.processor > MOST_SECONDS or self.wait > MOST_WAIT or self.after > MOST_AFTER or self.status >= 500


class Server:
    """A server under measurement."""

    def __init__(self, corpus: str) -> None:
        command = [sys.executable, "-m", "medground", "serve", "--port", "0", "-c", corpus]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        lines = (re.search(r"http://127[^\s,;]*\d", line) for line in self._process.stdout)
        self.address = next(found[0] for found in lines if found)
        threading.Thread(target=self._process.stdout.read, daemon=True).start()

    def used(self) -> float:
        """Seconds of a processor that it has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(60)

    def send(self, address: Address, text: str, timeout: float) -> int:
        """The status of the reply; 0 where there is none in time."""
        path = address.path + ("" if address.body else urllib.parse.quote(text, safe=""))
        body = json.dumps(address.body(text)).encode() if address.body else None
        request = urllib.request.Request(self.address + path, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as reply:
                reply.read()
                return int(reply.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0


def searched(server: Server) -> float:
    """Seconds that a search takes."""
    begun = time.perf_counter()
    server.send(ADDRESSES[3], SEARCH, 60)
    return time.perf_counter() - begun


def measured(server: Server, address: Address, unit: str) -> Cost:
    """What a text of this unit costs."""
    text = (unit * (address.most // len(unit) + 1))[: address.most]
    ended, waits = threading.Event(), [0.0]

    def search() -> None:
        while not ended.is_set():
            waits.append(searched(server))
            time.sleep(0.05)

    alone = max(searched(server) for _ in range(10))
    before = server.used()
    status = server.send(address, text, 60)
    processor = server.used() - before
    other = threading.Thread(target=search)
    other.start()
    server.send(address, text[:-1], 60)
    ended.set()
    other.join()
    server.send(address, text[:-2], 0.2)  # and leaves
    time.sleep(2)
    before = server.used()
    time.sleep(0.5)
    return Cost(unit, status, processor, max(waits) - alone, server.used() - before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--unit", action="append", help="this one alone; repeatable")
    parser.add_argument("--out")
    given = parser.parse_args()
    server, broken = Server(given.corpus), 0
    rows = []
    try:
        for address in ADDRESSES:
            if given.only not in address.name:
                continue
            server.send(address, "Does aspirin prevent stroke?", 60)  # reads what every request needs
            costs = [measured(server, address, unit) for unit in given.unit or UNITS]
            rows += [{"address": address.name, **vars(cost)} for cost in costs]
            high = [cost for cost in costs if cost.is_high]
            broken += len(high)
            worst = [max(getattr(cost, name) for cost in costs) for name in ("processor", "wait", "after")]
            figures = ", ".join(f"{most:.2f}" for most in worst)
            print(f"{address.name}: {len(costs)} units, {len(high)} too high; worst {figures}")
            for cost in sorted(high, key=lambda cost: -cost.processor)[:8]:
                print(f"   {cost.unit!r}: {cost.status}, {cost.processor:.2f}, {cost.wait:.2f}, {cost.after:.2f}")
            sys.stdout.flush()
    finally:
        server.end()
    if given.out:
        Path(given.out).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
