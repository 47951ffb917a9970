"""The concept graph: time and memory to build it, and how fast a term is answered.

    python benchmarks/graph_build.py [--mesh ../shared/data/mesh/descriptors.tsv.gz] [--terms 400] [--rows 1000000]

1. The installed HPO and the MeSH headings as one corpus: documents, word index and graph file.
2. Names drawn at random from that graph, each asked with a question: the time of `GraphSource.search`, which finds the
   concept, ranks its relations and quotes the best ten from their documents.
3. A synthetic UMLS release with that many rows, half of them in MRREL: the graph is built in a process of its own,
   whose peak memory is measured; once with a tenth of the rows, to see how memory grows.

Seconds of CPU are given beside the seconds on the clock: other work on the machine slows only the latter.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from medground.corpus.library import GRAPH_FILE, Library
from medground.graph.concept_store import ConceptStore
from medground.graph.vocabularies.base import Vocabulary
from medground.graph.vocabularies.hpo import hpo
from medground.graph.vocabularies.releases import COLUMNS, mesh, umls
from medground.graph.writing import build_graph
from medground.sources.corpus import CorpusSource
from medground.sources.graph import GraphSource
from medground.values.lookup import ConceptQuery, Lookup
from medground.values.query import Filters

MESH = Path(__file__).parents[2] / "shared" / "data" / "mesh" / "descriptors.tsv.gz"
QUESTIONS = (
    "Which diseases have it in childhood?",
    "Which genes are associated with it?",
    "Is it a kind of heart disease?",
    "How is it inherited, and how often is it seen?",
)
_RELATIONS = ("isa", "inverse_isa", "may_treat", "may_be_treated_by", "finding_site_of", "has_finding_site")
_WORDS = ("acute", "chronic", "renal", "cardiac", "hepatic", "pain", "fever", "lesion", "syndrome", "protein", "nerve")


def main() -> None:
    """Run the three parts and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mesh", type=Path, default=MESH)
    parser.add_argument("--terms", type=int, default=400)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        real(library, [hpo(), mesh(options.mesh)])
        asked(library, options.terms)
        for rows in (options.rows // 10, options.rows):
            release = synthetic(Path(folder) / f"umls-{rows}", rows)
            apart(_build_umls, str(Path(folder) / f"home-{rows}"), str(release), rows)


def real(library: Library, vocabularies: list[Vocabulary]) -> None:
    """Build the graph of real vocabularies."""
    clock, cpu = time.perf_counter(), time.process_time()
    manifest = build_graph(library, "graph", vocabularies)
    print(f"built {', '.join(v.name for v in vocabularies)}: {manifest.counts.documents:,} documents")
    print(
        f"  {time.perf_counter() - clock:.1f} s, {time.process_time() - cpu:.1f} s of CPU, {_peak():.0f} MB at the peak"
    )


def asked(library: Library, terms: int) -> None:
    """Ask for terms and print the percentiles."""
    with library.open("graph") as snapshot:
        path = snapshot.attachment(GRAPH_FILE)
        assert path is not None
        with ConceptStore.open(path) as store:
            print("  {:,} concepts, {:,} defined, {:,} relations".format(*store.size))
            source = GraphSource(store, CorpusSource(snapshot).fetch)
            for label, names in (("at random", _names(path, terms)), ("with most relations", _hubs(path, terms // 10))):
                taken, rows = asyncio.run(_timed(source, names))
                taken.sort()
                p50, p95 = (1000 * taken[int(len(taken) * share)] for share in (0.5, 0.95))
                print(
                    f"{len(names)} terms {label}: p50 {p50:.2f} ms, p95 {p95:.2f} ms; {rows / len(names):.1f} rows each"
                )


async def _timed(source: GraphSource, names: list[str]) -> tuple[list[float], int]:
    taken, rows = [], 0
    for number, name in enumerate([*names[:5], *names]):
        lookup = Lookup(asked=ConceptQuery(term=name, question=QUESTIONS[number % len(QUESTIONS)]), limit=10)
        start = time.perf_counter()
        found = await source.search(lookup, Filters())
        if number >= 5:  # the first ones open files
            taken.append(time.perf_counter() - start)
            rows += found.size
    return taken, rows


def _names(path: Path, count: int) -> list[str]:
    with sqlite3.connect(path) as graph:
        every = [row[0] for row in graph.execute("SELECT text FROM names WHERE scope IN ('name', 'exact')")]
    return random.Random(15).sample(every, count)


def _hubs(path: Path, count: int) -> list[str]:
    with sqlite3.connect(path) as graph:
        most = "SELECT c.name FROM rows w JOIN concepts c ON c.number = w.concept GROUP BY 1 ORDER BY count(*) DESC"
        return [row[0] for row in graph.execute(f"{most} LIMIT ?", (count,))]


def synthetic(folder: Path, rows: int) -> Path:
    """A UMLS release with this many rows in all: half in MRREL, a quarter in MRCONSO, an eighth each in the others."""
    folder.mkdir()
    chance = random.Random(15)
    concepts = rows // 8
    write = {
        "MRCONSO": (_atom(n // 2, n % 2, chance) for n in range(rows // 4)),
        "MRSTY": ({"CUI": _cui(n), "TUI": "T047", "STY": "Disease or Syndrome"} for n in range(concepts)),
        "MRDEF": (
            {"CUI": _cui(n), "SAB": "MSH", "DEF": f"A {_text(chance, 12)} of the {_text(chance, 8)}.", "SUPPRESS": "N"}
            for n in range(concepts)
        ),
        "MRREL": (_relation(chance, concepts) for _ in range(rows // 2)),
    }
    for table, lines in write.items():
        with (folder / f"{table}.RRF").open("w", encoding="utf-8") as file:
            for line in lines:
                file.write("".join(f"{line.get(column, '')}|" for column in COLUMNS[table]) + "\n")
    return folder


def _cui(number: int) -> str:
    return f"C{number:07d}"


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


def _atom(number: int, which: int, chance: random.Random) -> dict[str, str]:
    first = {"TS": "P", "STT": "PF", "ISPREF": "Y"} if which == 0 else {"TS": "S", "STT": "VO", "ISPREF": "N"}
    name = f"{_text(chance, 3)} {number} {'form' * which}"
    return {"CUI": _cui(number), "LAT": "ENG", "SAB": "MSH", "TTY": "MH", "STR": name, "SUPPRESS": "N", **first}


def _relation(chance: random.Random, concepts: int) -> dict[str, str]:
    first, second = (int(concepts * chance.random() ** 2) for _ in range(2))  # some concepts have many relations
    ends = {"CUI1": _cui(first), "CUI2": _cui(second), "REL": "RO", "RELA": chance.choice(_RELATIONS)}
    return {**ends, "SAB": "MSH", "SUPPRESS": "N"}


def apart(work: Callable[..., None], *values: object) -> None:
    """Run in a process of its own, so that its memory is its own."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=values)
    process.start()
    process.join()


def _build_umls(home: str, folder: str, rows: int) -> None:
    before, clock, cpu = _peak(), time.perf_counter(), time.process_time()
    library = Library(Path(home))
    build_graph(library, "graph", [umls(Path(folder))])
    print(f"{rows:,} rows of RRF: {time.perf_counter() - clock:.1f} s, {time.process_time() - cpu:.1f} s of CPU")
    print(f"  {before:.0f} MB before, {_peak():.0f} MB at the peak")
    with library.open("graph") as snapshot:
        path = snapshot.attachment(GRAPH_FILE)
        assert path is not None
        with ConceptStore.open(path) as store:
            print("  {:,} concepts, {:,} defined, {:,} relations".format(*store.size))


def _peak() -> float:
    """Peak memory of this process in MB; `ru_maxrss` would also count that of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii").split("VmHWM:")[1]
    return int(status.split()[0]) / 1024


if __name__ == "__main__":
    main()
