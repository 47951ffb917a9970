"""How well PubMed is asked in plain words: gold papers of BioASQ's questions among the first 20 records found.

    python benchmarks/pubmed_search.py [--data ../shared/data] [--questions 300] [--limit 20]

The papers of BioASQ's snippets are served by our own E-utilities server, and the PubMed source asks it each question.
Beside it: every word of the question joined with OR, and plain BM25 over the same papers. The papers hold only the
sentences that experts chose and no MeSH headings, so a concept is found by its names alone: a lower bound.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.server import make_app
from medground.sources.base import Source
from medground.sources.corpus import CorpusSource
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.pubmed.source import PubMedSource
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Filters, Term, any_of
from medground_evaluate.datasets.snippets import golden_files, paper_id


class Recorded(Transport):
    """A transport that records the terms of searches and counts."""

    terms: list[str]

    async def ask(self, utility: str, parameters: Mapping[str, str], read: Any) -> Any:
        """Ask, and record."""
        if utility == "esearch":
            self.terms.append(parameters["term"])
        return await super().ask(utility, parameters, read)


def questions(data: Path, most: int) -> list[tuple[str, frozenset[str]]]:
    """Questions with their gold papers that have snippets, evenly spread over the files."""
    found: list[dict[str, Any]] = []
    for _, path in golden_files(data / "bioasq"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            found += json.load(file)["questions"]
    asked = [(one["body"], frozenset(paper_id(s["document"]) for s in one["snippets"]) - {""}) for one in found]
    asked = [(text, gold) for text, gold in asked if gold]
    return asked[:: max(1, len(asked) // most)][:most]


async def measure(
    name: str, source: Source, asked: list[tuple[str, frozenset[str]]], limit: int, *, words: bool
) -> None:
    """Ask all questions, and print a line of the table."""
    recall = none = 0.0
    began = time.perf_counter()
    for text, gold in asked:
        lookup = Lookup.words(text).model_copy(update={"limit": limit, "rankers": (Ranker.LEXICAL,)})
        if words:
            every = any_of([Term(value=word, field="all") for word in text.split()])
            lookup = lookup.model_copy(update={"asked": every})
        found = await source.search(lookup, Filters())
        ids = list(dict.fromkeys(hit.passage.document_id for hit in found.rankings[0]))[:limit]
        recall += len(gold & set(ids)) / len(gold)
        none += not ids
    seconds = (time.perf_counter() - began) / len(asked)
    print(
        f"{name:<28} recall@{limit} {recall / len(asked):.3f}  nothing found {none / len(asked):.1%}  {seconds:.2f} s"
    )


async def compare(address: str, corpus: CorpusSource, asked: list[tuple[str, frozenset[str]]], limit: int) -> None:
    """The table."""
    await measure("plain BM25", corpus, asked, limit, words=False)
    for name, words in (("every word joined with OR", True), ("as PubMed is asked now", False)):
        transport = Recorded(EutilsService(name="pubmed:bench", address=address), None)
        transport.terms = []
        source = PubMedSource(Eutils(transport))
        await measure(name, source, asked, limit, words=words)
        print(f"{'':<28} {len(transport.terms) / len(asked):.2f} searches and counts a question")
        await source.close()


def main() -> None:
    """Build, serve, ask and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--questions", type=int, default=300)
    options.add_argument("--limit", type=int, default=20)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        build(library, "bioasq", find_inputs([chosen.data / "bioasq"]))
        with library.open("bioasq") as snapshot:
            app = make_app(SnapshotCatalogue.open(snapshot, Path(home)))
            server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
            thread = threading.Thread(target=server.run, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.01)
            address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
            asked = questions(chosen.data, chosen.questions)
            asyncio.run(compare(address, CorpusSource(snapshot), asked, chosen.limit))
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
