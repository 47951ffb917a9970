"""Measures how many searches per second the PubMed server answers on loopback for one client with 16 connections.

    python benchmarks/eutils_speed.py PATH... [--records 100000] [--requests 3000] [--connections 16]

PATHs are MEDLINE XML files, whose records have headings and authors. `--records` makes so many of them: copies with
PMIDs of their own, the abstract of one with the title, people and headings of another. Every request is a different
query made from the records' own titles and headings, so that no answer comes from a cache. Prints how large the
snapshot is beside one without the records' own XML, searches per second, latencies and failures.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import re
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import httpx2
import numpy as np

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import content_of
from medground.corpus.tables import FILE_NAME
from medground.faces.eutils import run
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.values.document import Document

CORPUS = "bench"


def queries(records: list[Document], count: int) -> Iterator[str]:
    """Distinct queries of five kinds: a heading, words of a title, both with years, an author, a heading pair."""
    chance = random.Random(7)
    seen: set[str] = set()
    records = [record for record in records if record.mesh and record.authors]
    if len(records) < 2:
        sys.exit("no records with headings and authors: give MEDLINE XML")
    while len(seen) < count:
        one, other = chance.sample(records, 2)
        words = [w for w in one.title.split() if w.isalpha() and len(w) > 3]
        if not words:
            continue
        year = chance.randint(1975, 2010)
        words = chance.sample(words, min(len(words), 3))
        heading, second = chance.choice(one.mesh).descriptor, chance.choice(other.mesh).descriptor
        query = chance.choice(
            [
                f'"{heading}"[mh] AND {year}:{year + 10}[dp]',
                " ".join(words),
                f"{heading} AND {words[0]}[tiab] AND {year}:2020[dp]",
                f"{one.authors[0]}[au] OR {words[0]}*[tiab]",
                f'"{heading}"[mh] NOT "{second}"[majr]',
            ]
        )
        if query not in seen:
            seen.add(query)
            yield query


async def measure(address: str, asked: list[str], connections: int) -> tuple[float, list[float], int]:
    """Total seconds, seconds of each request, and the number of failures."""
    took: list[float] = []
    failures = 0
    waiting = iter(asked)
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    async with httpx2.AsyncClient(base_url=address, limits=limits, timeout=30, trust_env=False) as client:

        async def worker() -> None:
            nonlocal failures
            for query in waiting:
                started = time.perf_counter()
                response = await client.get(f"/entrez/eutils/esearch.fcgi?{urlencode({'term': query, 'retmax': 20})}")
                took.append(time.perf_counter() - started)
                failures += response.status_code != 200 or b"<ERROR>" in response.content

        started = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(connections)))
        return time.perf_counter() - started, took, failures


def serve(home: Path, port: int) -> None:
    """The server's process."""
    with Library(home).open(CORPUS) as snapshot:
        run(SnapshotCatalogue.open(snapshot, home), host="127.0.0.1", port=port)


_RECORD = re.compile(r"<MedlineCitation\b.*?</MedlineCitation>", re.DOTALL)
_ABSTRACT = re.compile(r"<Abstract>.*?</Abstract>", re.DOTALL)
_PMID = re.compile(r"(<PMID[^>]*>)\d+")


def multiplied(paths: list[Path], folder: Path, count: int) -> list[Path]:
    """Files of 10,000 records each, `count` in all, made from those of some files."""
    chance = random.Random(7)
    records = [one for path in paths for one in _RECORD.findall(content_of(path).decode())]
    abstracts = [found[0] for one in records if (found := _ABSTRACT.search(one))]
    made = []
    for first in range(0, count, 10_000):
        path = folder / f"{first}.xml"
        with path.open("w", encoding="utf-8") as file:
            file.write("<MedlineCitationSet>")
            for number in range(first, min(count, first + 10_000)):
                text = _PMID.sub(rf"\g<1>{number + 1}", chance.choice(records), count=1)
                abstract = chance.choice(abstracts)
                file.write(_ABSTRACT.sub(lambda _, chosen=abstract: chosen, text))
            file.write("</MedlineCitationSet>")
        made.append(path)
    return made


def size_of(folder: Path) -> str:
    """How large a snapshot is, and beside what it would be without the records' own XML."""
    whole = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        raw = database.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%raw%'").fetchone()[0] or 0
    return f"snapshot {whole / 1e6:.0f} MB, {whole / (whole - raw):.2f} times as large as without the records' own XML"


def main() -> None:
    """Build a corpus, serve it, send the requests and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--records", type=int, default=0)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--connections", type=int, default=16)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        library = Library(home)
        paths = multiplied(chosen.paths, home, chosen.records) if chosen.records else chosen.paths
        started = time.perf_counter()
        build(library, CORPUS, find_inputs(paths, None))
        print(f"built in {time.perf_counter() - started:.0f} s; {size_of(library.current(CORPUS))}", flush=True)
        with library.open(CORPUS) as snapshot:
            records = list(snapshot.all_documents())
            started = time.perf_counter()
            SnapshotCatalogue.open(snapshot, home)
            print(f"{len(records):,} records, index built in {time.perf_counter() - started:.1f} s")
        asked = list(queries(records, chosen.requests))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = multiprocessing.get_context("spawn").Process(target=serve, args=(home, port), daemon=True)
        process.start()
        while process.is_alive():
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        seconds, took, failures = asyncio.run(measure(f"http://127.0.0.1:{port}", asked, chosen.connections))
        process.terminate()
        process.join()
    low, middle, high = np.percentile(took, [50, 95, 99]) * 1000
    print(f"{len(took):,} searches over {chosen.connections} connections in {seconds:.1f} s, {failures} failed")
    print(f"{len(took) / seconds:.0f} searches/s; p50 {low:.1f} ms, p95 {middle:.1f} ms, p99 {high:.1f} ms")


if __name__ == "__main__":
    main()
