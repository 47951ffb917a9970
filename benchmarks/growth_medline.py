"""Builds PubMed from MEDLINE files, serially and in parallel: records a CPU second, memory, and faults.

    python benchmarks/growth_medline.py [--files 8] [--records 3000] [--workers 0 1 2] [--kills 50] [--stages]

The files are made of the real records in the project's data, with new PMIDs, named as NLM names them; each update file
revises a tenth of a file before, deletes ten records and adds some. CPU seconds are those of all processes. With
--kills, builds and updates are killed at random moments, whole or one reader, and go on: the corpus must be that of a
build that nothing disturbed, and no file is read twice but the one that was being read. With
--stages, each stage by itself, in one process: the best of three, in microseconds of a processor for a record.
"""

from __future__ import annotations

import argparse
import gzip
import os
import pickle
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from medground.corpus import tables
from medground.corpus.chunk import cuts
from medground.corpus.lexical_fields import LexicalWriter, default_texts, texts_of
from medground.corpus.library import Library
from medground.corpus.phases import read_inputs
from medground.corpus.readers import find_inputs
from medground.corpus.readers.medline import MEDLINE_ROOTS, RECORDS, read_medline
from medground.corpus.readers.xml import records as parsed
from medground.corpus.tables import PassageRow, prepared
from medground.corpus.writer import DatabaseWriter
from medground.values.document import Document
from medground.values.query import Words
from medground.values.steps import no_progress

DATA = Path(os.environ.get("MEDGROUND_DATA", "../shared/data")) / "pubmed_xml" / "raw"
RECORD = re.compile(rb"<PubmedArticle>.*?</PubmedArticle>|<MedlineCitation .*?</MedlineCitation>", re.DOTALL)
PMID = re.compile(rb"(<PMID[^>]*>)\d+(</PMID>)")
ARTICLE_ID = re.compile(rb'(<ArticleId IdType="pubmed">)\d+(</ArticleId>)')
DOI = re.compile(rb'<(?:ArticleId IdType="doi"|ELocationID[^>]*)>.*?</(?:ArticleId|ELocationID)>')


def records() -> list[bytes]:
    """The real records."""
    names = ("medline16n0902.xml.gz", "p1m_pubmed_result.xml.gz", "medsamp2006.xml.gz")
    found = [RECORD.findall(gzip.decompress((DATA / name).read_bytes())) for name in names]
    return [DOI.sub(b"", one) for part in found for one in part]


def renamed(record: bytes, pmid: int, said: bytes = b"") -> bytes:
    """The record with another PMID, and a word in its title."""
    record = PMID.sub(rb"\g<1>%d\2" % pmid, record, count=1)
    record = ARTICLE_ID.sub(rb"\g<1>%d\2" % pmid, record, count=1)
    return record.replace(b"<ArticleTitle>", b"<ArticleTitle>" + said, 1)


def write_files(folder: Path, files: int, each: int, updates: int) -> None:
    """Baseline files in `baseline`, and update files in `updates`."""
    real = records()
    for number in range(1, files + updates + 1):
        first = number * 100_000
        made = [renamed(real[n % len(real)], first + n) for n in range(each if number <= files else each // 10)]
        if number > files:
            before = (number - files) * 100_000
            made += [renamed(real[n % len(real)], before + n, b"Revised. ") for n in range(each // 10)]
            gone = b"".join(b"<PMID>%d</PMID>" % (before + each - 1 - n) for n in range(10))
            made.append(b"<DeleteCitation>" + gone + b"</DeleteCitation>")
        place = folder / ("baseline" if number <= files else "updates")
        place.mkdir(parents=True, exist_ok=True)
        content = b'<?xml version="1.0"?><PubmedArticleSet>' + b"\n".join(made) + b"</PubmedArticleSet>"
        (place / f"pubmed26n{number:04}.xml.gz").write_bytes(gzip.compress(content, 1))


def command(home: Path, folder: Path, *options: str) -> tuple[list[str], dict[str, str]]:
    line = [
        sys.executable,
        "-m",
        "medground",
        "corpus",
        "build",
        "pubmed",
        "--quiet",
        "--baseline",
        str(folder / "baseline"),
    ]
    return [*line, *options], os.environ | {"MEDGROUND_HOME": str(home)}


def state(home: Path) -> tuple[object, ...]:
    """What a corpus holds, and how it ranks."""
    library = Library(home)
    with library.open("pubmed") as snapshot:
        snapshot.verify()
        asked = [Words(text=text) for text in ("cancer cells", "blood pressure of patients", "revised gene expression")]
        hits = [[hit.score for hit in snapshot.bm25(one, 10)] for one in asked]  # equal texts are found in any order
        manifest = snapshot.manifest
        return manifest.hash, manifest.counts, hits


def measured(folder: Path, home: Path, workers: int, each: int, files: int) -> None:
    line, variables = command(home, folder, *(["--workers", str(workers)] if workers else []))
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, env=variables, check=True, stdout=subprocess.DEVNULL)
    after, taken = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    count, most = each * files, after.ru_maxrss / 1000
    print(f"| {workers or 'serial'} | {count / taken:,.0f} | {count / cpu:,.0f} | {most:,.0f} |", flush=True)


def stages(file: Path, scratch: Path, each: int) -> None:
    """Time the stages of a build on one file."""
    (source,) = find_inputs([file])
    ready = [*prepared(source, None)]
    packed = [pickle.dumps(ready[first : first + 64]) for first in range(0, len(ready), 64)]
    given = replace(source, read=lambda skip: iter(ready), ready=True)
    number = 0

    def stored() -> DatabaseWriter:
        nonlocal number
        number += 1
        (scratch / str(number)).mkdir(parents=True)
        database = DatabaseWriter(scratch / str(number) / tables.FILE_NAME)
        read_inputs(database, [given], no_progress)
        return database

    database = stored()
    documents = [document for _, document in database.uncut()]

    def entries() -> Iterator[tuple[PassageRow, Document]]:
        count = 0
        for at, document in enumerate(documents):
            for place in cuts(document, 1000):
                yield PassageRow(count, at, *place), document
                count += 1

    rows = [*entries()]

    def indexed() -> None:
        nonlocal number
        number += 1
        with LexicalWriter.open(scratch / str(number)) as words:
            for row, document in rows:
                words.add(row, document)
            words.finish()

    timed = {
        "unpack and parse": lambda: [None for _ in parsed(file, RECORDS, MEDLINE_ROOTS)],
        "so, and read the fields": lambda: [None for _ in read_medline(file, raw=True)],
        "so, and make ready (JSON, compression, hashes, design)": lambda: [None for _ in prepared(source, None)],
        "send": lambda: [pickle.dumps(pickle.loads(one)) for one in packed],
        "store": stored,
        "load what is cut": lambda: [None for _ in database.uncut()],
        "cut": lambda: [None for _ in entries()],
        "texts of an entry": lambda: [default_texts(texts_of(one), one.text) for one in documents],
        "index, with these texts": indexed,
    }
    for name, stage in timed.items():
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            stage()
            best = min(best, time.process_time() - start)
        print(f"{name}: {best / each * 1e6:.0f}", flush=True)


def readers(parent: int) -> list[int]:
    """Processes that a process started."""
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True).stdout.split()
    return [int(one) for one in found]


def killed(folder: Path, home: Path, seconds: float, options: list[str], number: int, most: int = 9) -> tuple[int, int]:
    """Builds until it ends, killed at random moments; returns how often, and how often as a whole."""
    chance, kills, whole = random.Random(number), 0, 0
    line, variables = command(home, folder, *options)
    while True:
        process = subprocess.Popen(line, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.3, seconds) if kills < most else None)
        except subprocess.TimeoutExpired:
            children = readers(process.pid)
            target = chance.choice([process.pid, *children])
            os.kill(target, signal.SIGKILL)
            kills, whole = kills + 1, whole + (target == process.pid)
            if target != process.pid:
                process.wait()
        if process.wait() == 0:
            return kills, whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_files(folder, options.files, options.records, 3)
        if options.stages:
            stages(folder / "baseline" / "pubmed26n0001.xml.gz", folder / "stages", options.records)
        print("| workers | records a second | records a CPU second | most memory of a process, MB |")
        for workers in options.workers:
            measured(folder, folder / f"home{workers}", workers, options.records, options.files)
        states = [state(folder / f"home{workers}") for workers in options.workers]
        print("all the same:", all(one == states[0] for one in states), f"load {os.getloadavg()[0]:.1f}")
        if options.kills:
            faults(folder, options.kills)


def faults(folder: Path, wanted: int) -> None:
    update = ["--updates", str(folder / "updates")]
    start = time.perf_counter()
    line, variables = command(folder / "whole", folder, *update)
    subprocess.run(line, env=variables, check=True, stdout=subprocess.DEVNULL)
    seconds, expected = time.perf_counter() - start, state(folder / "whole")
    kills = whole = rounds = wrong = 0
    while kills < wanted:
        home = folder / f"killed{rounds}"
        for options in ([], update):
            more, of_them = killed(folder, home, seconds, ["--workers", "2", *options], rounds)
            kills, whole = kills + more, whole + of_them
        found = state(home)
        wrong += found[1].documents != expected[1].documents or found[0] != expected[0]  # type: ignore[attr-defined]
        rounds += 1
        print(f"round {rounds}: {kills} kills, {wrong} wrong", flush=True)
    print(f"{kills} kills ({whole} of the build, {kills - whole} of a reader) in {rounds} rounds: {wrong} wrong")


if __name__ == "__main__":
    main()
