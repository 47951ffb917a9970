"""How well PubMed is asked in plain words: gold papers of BioASQ's questions among the first 20 records found.

    python benchmarks/pubmed_search.py [--data ../shared/data] [--questions 300] [--missed]

The papers of BioASQ's snippets are served by our own E-utilities server, and the PubMed source asks it each question.
Beside it: the query that PubMed Reasoner drafts, every word of the question joined with OR, and plain BM25 over the
same papers. These hold only the sentences that experts chose and no MeSH headings, so a concept is found by its names
alone: a lower bound. `--missed` prints the questions whose papers BM25 finds and the query does not.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import uvicorn

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.eutils.catalogue import SnapshotCatalogue
from medground.faces.eutils.server import make_app
from medground.language.drafting import draft, propose, select
from medground.language.question_reading import reading_of
from medground.pubmed.normalize import normalize
from medground.sources.base import Source
from medground.sources.corpus import CorpusSource
from medground.sources.eutils.client import Eutils, EutilsService, Transport
from medground.sources.pubmed.plain_query import plain_asked
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


SHORT, LONG = 20, 100
"""Records within which gold papers count."""


async def measure(name: str, source: Source, asked: list[tuple[str, frozenset[str]]], query: Query) -> list[float]:
    """Ask all questions, print a line of the table, and return the recall of each."""
    recalls: dict[int, list[float]] = {SHORT: [], LONG: []}
    none = 0
    began = time.perf_counter()
    for text, gold in asked:
        lookup = Lookup.words(text).model_copy(update={"limit": LONG, "rankers": (Ranker.LEXICAL,)})
        if (tree := query(text)) is not None:
            lookup = lookup.model_copy(update={"asked": tree})
        found = await source.search(lookup, Filters())
        ids = list(dict.fromkeys(hit.passage.document_id for hit in found.rankings[0]))
        for most, all_recalls in recalls.items():
            all_recalls.append(len(gold & set(ids[:most])) / len(gold))
        none += not ids
    seconds = (time.perf_counter() - began) / len(asked)
    shown = "  ".join(f"recall@{most} {sum(every) / len(asked):.3f}" for most, every in recalls.items())
    print(f"{name:<28} {shown}  nothing found {none / len(asked):.1%}  {seconds:.2f} s", flush=True)
    return recalls[SHORT]


def drafted(text: str) -> Any:
    """The query that the paper's algorithm drafts without a model."""
    plain = reading_of(text).plain
    return normalize(draft(plain, select(plain, [heading for heading, _ in propose(plain)]))).query


Query = Callable[[str], Any]
"""The tree that is asked for a question; None for its words."""
QUERIES: dict[str, Query] = {
    "PubMed Reasoner's draft": drafted,
    "every word joined with OR": lambda text: any_of([Term(value=word, field="all") for word in text.split()]),
    "as PubMed is asked now": lambda text: None,
}


async def compare(address: str, corpus: CorpusSource, asked: list[tuple[str, frozenset[str]]], *, missed: bool) -> None:
    """The table."""
    plain = await measure("plain BM25", corpus, asked, lambda text: None)
    for name, query in QUERIES.items():
        transport = Recorded(EutilsService(name="pubmed:bench", address=address), None)
        transport.terms = []
        source = PubMedSource(Eutils(transport))
        recalls = await measure(name, source, asked, query)
        print(f"{'':<28} {len(transport.terms) / len(asked):.2f} searches and counts a question")
        await source.close()
    if missed:
        for (text, gold), before, after in sorted(
            zip(asked, plain, recalls, strict=True), key=lambda row: row[2] - row[1]
        ):
            print(f"{after - before:+.2f} {text} ({len(gold)} papers)\n      {plain_asked(text, '', None).query.text}")


def main() -> None:
    """Build, serve, ask and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--questions", type=int, default=300)
    options.add_argument("--missed", action="store_true")
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
            asyncio.run(compare(address, CorpusSource(snapshot), asked, missed=chosen.missed))
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
