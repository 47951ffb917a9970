"""Measures a server under load and under clients that misbehave.

    python benchmarks/serving.py --data ../shared/data --home FOLDER [--asks 1000] [--only load,memory,abuse]

A real `medground serve` answers keyless on loopback from the corpus `scifact` of the home folder (5,183 abstracts);
the questions are SciFact's claims. The limits are the project's own.

- load: 50 questions one after the other, then 50 others at once. Limit: none fails, and the 95th percentile at once
  is at most 3 x (time of 50 one after the other / cores).
- first: the time until the first event of an event stream, alone and beside 50 questions.
- memory: resident memory of the server after each tenth of the questions. Limit: flat.
- abuse: the time of `GET /healthz` and of a question while clients misbehave, beside the time without them: 500
  connections that send nothing, 50 clients that never read their event stream, 200 that send a byte of a header a
  second, 100 that send a byte of a body a second. Limit: twice.

Client and server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from served import Served, served

AT_ONCE = 50
LIMIT_LOAD, LIMIT_FIRST, LIMIT_ABUSE = 3.0, 0.2, 2.0
QUIET = 40
"""Questions of a measurement beside clients that misbehave."""


def claims(data: Path) -> list[str]:
    """SciFact's claims, in random order."""
    found = []
    for part in ("claims_train.jsonl", "claims_dev.jsonl"):
        with (data / "scifact" / part).open(encoding="utf-8") as file:
            found += [json.loads(line)["claim"] for line in file]
    return random.Random(5).sample(found, len(found))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies (nearest rank)."""
    return sorted(values)[max(0, round(share * len(values) + 0.5) - 1)]


def spread(values: Sequence[float]) -> str:
    """Median and 95th percentile in ms."""
    return f"{statistics.median(values) * 1000:.0f} / {percentile(values, 0.95) * 1000:.0f} ms"


class Client:
    """Asks one server."""

    def __init__(self, server: Served) -> None:
        limits = httpx2.Limits(max_connections=200, max_keepalive_connections=200)
        self.http = httpx2.AsyncClient(base_url=server.address, timeout=120, limits=limits)
        self.failed = 0

    async def ask(self, question: str) -> float:
        """Seconds until the whole answer; a failure is counted."""
        begun = time.perf_counter()
        try:
            reply = await self.http.post("/v1/ask", json={"question": question})
            good = reply.status_code == 200 and reply.json()["trace_id"]
        except httpx2.HTTPError:
            good = False
        self.failed += not good
        return time.perf_counter() - begun

    async def health(self) -> float:
        """Seconds until the server says that it is well."""
        begun = time.perf_counter()
        self.failed += (await self.http.get("/healthz")).status_code != 200
        return time.perf_counter() - begun

    async def first_event(self, question: str) -> float:
        """Seconds until the first event; the rest is read."""
        begun = time.perf_counter()
        first = 0.0
        headers = {"Accept": "text/event-stream"}
        async with self.http.stream("POST", "/v1/ask", json={"question": question}, headers=headers) as reply:
            async for line in reply.aiter_lines():
                if line.startswith("data:") and not first:
                    first = time.perf_counter() - begun
        self.failed += not first
        return first


async def load(client: Client, asked: Sequence[str]) -> None:
    """The cost of 50 at once."""
    for question in asked[:10]:  # what is loaded once
        await client.ask(question)
    alone = asked[10 : 10 + AT_ONCE]
    together = asked[10 + AT_ONCE : 10 + 2 * AT_ONCE]
    begun = time.perf_counter()
    single = [await client.ask(question) for question in alone]
    sequence = time.perf_counter() - begun
    begun = time.perf_counter()
    at_once = await asyncio.gather(*map(client.ask, together))
    whole = time.perf_counter() - begun
    cores = os.cpu_count() or 1
    limit = LIMIT_LOAD * sequence / cores
    p95 = percentile(at_once, 0.95)
    print(f"50 one after the other: {sequence:.2f} s (median / p95 {spread(single)})")
    print(f"50 at once: {whole:.2f} s, median / p95 {spread(at_once)}, failed {client.failed}; limit of p95 with "
          f"{cores} cores {limit:.2f} s: {'met' if p95 <= limit and not client.failed else 'MISSED'}")  # fmt: skip


async def first(client: Client, asked: Sequence[str]) -> None:
    """The time until the first event."""
    quiet = [await client.first_event(question) for question in asked[:QUIET]]
    busy = asyncio.gather(*map(client.ask, asked[QUIET : QUIET + AT_ONCE]))
    beside = []
    for question in asked[QUIET + AT_ONCE : QUIET + AT_ONCE + 20]:
        beside.append(asyncio.create_task(client.first_event(question)))
        await asyncio.sleep(0.1)
    loud = await asyncio.gather(*beside)
    await busy
    for name, values in (("alone", quiet), ("beside 50 questions", loud)):
        worst = max(values)
        told = "met" if worst <= LIMIT_FIRST and not client.failed else "MISSED"
        print(f"first event {name}: {spread(values)}, worst {worst * 1000:.0f} ms, n {len(values)}, "
              f"failed {client.failed}: {told}")  # fmt: skip


async def memory(client: Client, server: Served, asked: Sequence[str], count: int) -> None:
    """Memory over many questions, eight at once."""
    sizes = []
    turns = asyncio.Semaphore(8)

    async def one(question: str) -> float:
        async with turns:
            return await client.ask(question)

    begun = time.perf_counter()
    for tenth in range(10):
        part = [asked[(tenth * count // 10 + n) % len(asked)] for n in range(count // 10)]
        await asyncio.gather(*map(one, part))
        sizes.append(server.resident)
        print(f"after {(tenth + 1) * count // 10:,} questions: {sizes[-1]:.0f} MB", flush=True)
    half = sizes[len(sizes) // 2 - 1]
    print(f"{count:,} questions in {time.perf_counter() - begun:.0f} s, failed {client.failed}; second half "
          f"{sizes[-1] - half:+.1f} MB of {half:.0f} MB")  # fmt: skip


@asynccontextmanager
async def idle(server: Served) -> AsyncIterator[None]:
    """500 connections that send nothing."""
    async with AsyncExitStack() as stack:
        for _ in range(500):
            await stack.enter_async_context(connection(server))
        yield


@asynccontextmanager
async def never_reading(server: Served) -> AsyncIterator[None]:
    """50 clients that ask for an event stream and never read it."""
    body = json.dumps({"question": "Does aspirin prevent stroke?"}).encode()
    head = request(server, "Accept: text/event-stream", f"Content-Length: {len(body)}")
    async with AsyncExitStack() as stack:
        for _ in range(50):
            writer = await stack.enter_async_context(connection(server))
            writer.write(head + body)
            await writer.drain()
        await asyncio.sleep(8)  # until they are answered: what is measured is what they hold, not what they asked
        yield


@asynccontextmanager
async def slow_heads(server: Served) -> AsyncIterator[None]:
    """200 clients that send a byte of a header a second."""
    async with trickling(server, 200, request(server)[:40], b"X-Slow: " + b"a" * 600):
        yield


@asynccontextmanager
async def slow_bodies(server: Served) -> AsyncIterator[None]:
    """100 clients that send a byte of a body a second."""
    async with trickling(server, 100, request(server, "Content-Length: 5000"), b" " * 5000):
        yield


@asynccontextmanager
async def connection(server: Served) -> AsyncIterator[asyncio.StreamWriter]:
    """A connection whose answers are not read."""
    address = urlsplit(server.address)
    _, writer = await asyncio.open_connection(address.hostname, address.port, limit=2**10)
    try:
        yield writer
    finally:
        writer.transport.abort()


@asynccontextmanager
async def trickling(server: Served, clients: int, begin: bytes, rest: bytes) -> AsyncIterator[None]:
    """Clients that send the beginning of a request, and then a byte a second; one that is cut off comes again."""

    async def one() -> None:
        while True:
            async with connection(server) as writer:
                writer.write(begin)
                for byte in rest:
                    await asyncio.sleep(1)
                    if writer.transport.is_closing():
                        break
                    writer.write(bytes([byte]))

    tasks = [asyncio.create_task(one()) for _ in range(clients)]
    await asyncio.sleep(2)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def request(server: Served, *headers: str) -> bytes:
    """The head of a request for an answer."""
    host = urlsplit(server.address).netloc
    lines = ["POST /v1/ask HTTP/1.1", f"Host: {host}", "Content-Type: application/json", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def abuse(client: Client, server: Served, asked: Sequence[str]) -> None:
    """The time of others beside clients that misbehave, each beside a measurement without them."""
    for question in asked[:QUIET]:  # so that each of them has been asked before
        await client.ask(question)
    for name, misbehaving in (
        ("500 idle connections", idle),
        ("50 that never read", never_reading),
        ("200 slow headers", slow_heads),
        ("100 slow bodies", slow_bodies),
    ):
        before = await _times(client, asked)
        async with misbehaving(server):
            beside = await _times(client, asked)
        told = []
        for what, quiet, loud in zip(("healthz", "ask"), before, beside, strict=True):
            ratio = statistics.median(loud) / statistics.median(quiet)
            met = "met" if ratio <= LIMIT_ABUSE else "MISSED"
            told.append(f"{what} {spread(quiet)} -> {spread(loud)} (x {ratio:.2f}, {met})")
        print(f"{name}: {'; '.join(told)}, failed {client.failed}", flush=True)


async def _times(client: Client, asked: Sequence[str]) -> tuple[list[float], list[float]]:
    health, asks = [], []
    for question in asked[:QUIET]:
        health.append(await client.health())
        asks.append(await client.ask(question))
    return health, asks


async def measure(given: argparse.Namespace, server: Served) -> None:
    """The measurements that were chosen."""
    asked = claims(given.data)
    for name in given.only.split(","):
        client = Client(server)
        async with client.http:
            if name == "load":
                await load(client, asked)
                await first(client, asked[200:])
            elif name == "memory":
                await memory(client, server, asked, given.asks)
            elif name == "abuse":
                await abuse(client, server, asked[400:])


def main() -> None:
    """Start the server and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--asks", type=int, default=1000)
    parser.add_argument("--only", default="load,memory,abuse")
    given = parser.parse_args()
    with served(given.home, ["scifact"]) as server:
        asyncio.run(measure(given, server))


if __name__ == "__main__":
    main()
