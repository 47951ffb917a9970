"""Does the MCP server leak? Calls of every kind, and what the process holds after each hundred of them.

    python benchmarks/mcp_calls.py HOME [--corpus scifact] [--rounds 5] [--transport memory|http]

HOME is a home folder with the corpus. Each round is 100 calls by the official SDK's client: questions, searches,
documents, claims, queries, lookups, pages, wrong calls, and calls that the client cancels. The first round opens the
engine and fills caches, so growth is counted from its end. Memory is the resident set of this process, which holds
server and client; tasks are those of the event loop; descriptors are open files and sockets.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import psutil
from mcp import Client
from servers import mcp_served

from medground.faces.mcp.server import make_server
from medground.faces.service.service import Service
from medground.home.settings import Settings

CALLS = 100
QUESTIONS = (
    "Does aspirin reduce the risk of stroke?",
    "Is vitamin D associated with mortality?",
    "Do statins lower cholesterol?",
    "Does metformin change cancer risk?",
)


@dataclass(frozen=True)
class Held:
    """What the process holds after a round."""

    megabytes: float
    tasks: int
    descriptors: int
    threads: int


def held() -> Held:
    """What it holds now, without what waits for the garbage collector."""
    gc.collect()
    process = psutil.Process()
    return Held(
        process.memory_info().rss / 1_000_000, len(asyncio.all_tasks()), process.num_fds(), process.num_threads()
    )


def call_of(number: int, document: str) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments of a call: ten kinds in turn."""
    question = f"{QUESTIONS[number // 10 % len(QUESTIONS)]} ({number})"
    return (
        ("ask", {"question": question}),
        ("search", {"query": question, "limit": 50}),
        ("fetch", {"id": document}),
        ("get_document", {"ids": [document, "PMID:0", "nothing"]}),
        ("verify_claim", {"claims": [question.replace("?", ".")]}),
        ("plan_query", {"question": question}),
        ("lookup_mesh", {"terms": ["heart attack", "no such heading"]}),
        ("lookup_phenotype", {"terms": ["arachnodactyly"]}),
        ("ask", {"question": ""}),
        ("get_job", {"job": "nothing"}),
    )[number % 10]


async def round_of(client: Client, seconds: list[float]) -> None:
    """A hundred calls; results with more pages are read on, and five calls are cancelled."""
    found = await client.call_tool("search", {"query": "aspirin"})
    document = (found.structured_content or {})["results"][0]["id"]
    for number in range(CALLS):
        name, arguments = call_of(number, document)
        begun = time.perf_counter()
        if number % 20 == 10:
            with anyio.move_on_after(0.05):
                await client.call_tool(name, arguments)
            continue
        result = await client.call_tool(name, arguments)
        seconds.append(time.perf_counter() - begun)
        content = result.structured_content or {}
        while content.get("truncated"):
            content = (await client.call_tool("read_more", {"cursor": content["cursor"]})).structured_content or {}


@asynccontextmanager
async def connected(service: Service, transport: str) -> AsyncIterator[Client]:
    """A client of a server in this process, or over HTTP."""
    if transport == "memory":
        async with Client(make_server(service), mode="legacy") as client:
            yield client
    else:
        async with mcp_served(service) as url, Client(url) as client:
            yield client


async def measured(settings: Settings, transport: str, rounds: int) -> tuple[list[Held], list[float]]:
    """What the process holds after each round, and how long the calls took."""
    seconds: list[float] = []
    after: list[Held] = []
    async with Service.open(settings) as service:
        for _ in range(rounds):
            async with connected(service, transport) as client:
                await round_of(client, seconds)
            await asyncio.sleep(1)  # connections close
            after.append(held())
    return after, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--corpus", action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transport", choices=["memory", "http"], default="memory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:  # answers and traces do not go to the user's home
        home = Path(folder)
        for part in ("corpora", "models"):
            (home / part).symlink_to((options.home / part).resolve())
        corpora = tuple(options.corpus or ["scifact"])
        settings = Settings.load(options={"retrieval.corpora": corpora}).model_copy(update={"home": home})
        after, seconds = asyncio.run(measured(settings, options.transport, options.rounds))
        shutil.rmtree(home / "answers", ignore_errors=True)
    print("| calls | resident memory, MB | tasks | descriptors | threads |\n| --- | --- | --- | --- | --- |")
    for number, one in enumerate(after, start=1):
        print(f"| {number * CALLS} | {one.megabytes:.1f} | {one.tasks} | {one.descriptors} | {one.threads} |")
    ordered = sorted(seconds)
    print(
        json.dumps(
            {
                "growth_mb_per_100_calls": round(
                    (after[-1].megabytes - after[0].megabytes) / max(len(after) - 1, 1), 2
                ),
                "median_seconds": round(statistics.median(ordered), 4),
                "p95_seconds": round(ordered[int(len(ordered) * 0.95)], 4),
                "calls": len(ordered),
            }
        )
    )


if __name__ == "__main__":
    main()
