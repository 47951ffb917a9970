"""Compares the ranking of a corpus in a SolrCloud cluster with that of the same snapshot in a folder.

    python benchmarks/solr_ranking.py ADDRESS ../shared/data/bioasq [--questions 600] [--embed minilm]

The corpus is the snippets of BioASQ, and the questions are BioASQ's. ADDRESS is a cluster such as
solr+http://HOST:8983/solr; the corpora `ranking-1` and `ranking-4`, in one shard and in four, are left there. Prints
for each the overlap of the top 10, how often the first is the same, and how long a search takes; with a model, also
the share of the 10 nearest passages by exact search that the cluster finds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from medground.corpus.build import build
from medground.corpus.embedder import embed_queries
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.corpus.store import Store
from medground.language.question_reading import reading_of
from medground.models.embedders import open_embedder
from medground.values.document import Hit
from medground_evaluate.datasets.snippets import golden_files, golden_questions, open_bioasq

Search = Callable[[Store, str], Sequence[Hit]]


@dataclass
class Compared:
    """How two stores answer the same questions."""

    overlap: float
    """Share of the top 10 of the one that the other has."""
    same_first: float
    seconds: tuple[list[float], list[float]]


def bioasq(folder: Path, home: Path, embed: str | None = None) -> tuple[Snapshot, list[str]]:
    """A corpus of all snippets, and all questions."""
    library = Library(home)
    build(library, "ranking", [open_bioasq(folder)], embedder=open_embedder(embed, home) if embed else None)
    questions = [one["body"] for _, file in golden_files(folder) for one in golden_questions(file)]
    return library.built("ranking"), list(dict.fromkeys(questions))


def by_words(store: Store, question: str) -> Sequence[Hit]:
    """The top 10 as an answer gets them."""
    return store.bm25(reading_of(question).query, 10)


def compare(reference: Store, other: Store, questions: Sequence[str], search: Search = by_words) -> Compared:
    """Ask both all questions."""
    overlap, first = 0.0, 0
    seconds: tuple[list[float], list[float]] = ([], [])
    for question in questions:
        found = []
        for store, taken in zip((reference, other), seconds, strict=True):
            began = time.perf_counter()
            found.append([hit.passage.key for hit in search(store, question)])
            taken.append(time.perf_counter() - began)
        overlap += len({*found[0]} & {*found[1]}) / len(found[0]) if found[0] else float(not found[1])
        first += found[0][:1] == found[1][:1]
    return Compared(overlap / len(questions), first / len(questions), seconds)


def main() -> None:
    """Push, ask and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("address")
    options.add_argument("bioasq", type=Path)
    options.add_argument("--questions", type=int, default=600)
    options.add_argument("--embed")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reference, questions = bioasq(chosen.bioasq, Path(folder), chosen.embed)
        questions = questions[:: max(1, len(questions) // chosen.questions)][: chosen.questions]
        model = open_embedder(chosen.embed, Path(folder)) if chosen.embed else None
        for shards in (1, 4):
            Library(Path(folder)).at(f"{chosen.address}/ranking-{shards}?shards={shards}").push(reference)
            store = Library(Path(folder)).at(f"{chosen.address}/ranking-{shards}").open()
            searches: dict[str, Search] = {"words": by_words}
            if model is not None:
                vectors = dict(zip(questions, embed_queries(model, questions), strict=True))
                searches["vectors"] = lambda store, question: store.dense(vectors[question], 10)  # noqa: B023
            for name, search in searches.items():
                found = compare(reference, store, questions, search)
                print(f"{shards} shards, {name}, {len(questions)} questions: ", end="")
                print(f"overlap of the top 10 {found.overlap:.4f}, same first {found.same_first:.4f}", end="")
                for place, taken in zip(("folder", "cluster"), found.seconds, strict=True):
                    cuts = quantiles(taken, n=20)
                    print(f"; {place} {cuts[9] * 1000:.1f} ms p50, {cuts[18] * 1000:.1f} ms p95", end="")
                print(flush=True)


if __name__ == "__main__":
    main()
