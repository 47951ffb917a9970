"""Measures the keyless recipe `pubmed-reasoner` on PubMedQA's official test split over its 1,000 abstracts.

    python benchmarks/pubmed_reasoner.py [--data ../shared/data] [--limit N] [--set KEY=VALUE ...]

Prints how often anything is found, whether the own abstract is among the first read and is cited, the MeSH terms of the
final query compared with the gold headings (the paper's Table 4), searches and operator calls per question (its Table
3), and how many articles were read (its Figure 3). In this data the question is the title of its own abstract, so the
same is run on a corpus without titles too. The paper's figures are from live PubMed with hosted models: they are for
orientation, not for comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medground.answering.trace import read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item
from medground.engine.engine import Engine
from medground.home.layers import parse_options
from medground.home.settings import Settings
from medground.language.mesh_terms import POOR
from medground.pubmed.translate import parse
from medground.sources.pubmed.query import headings_of
from medground.values.answer import Answer
from medground.values.document import Document

FIRST = 5


@dataclass
class Tally:
    """Sums over questions."""

    questions: int = 0
    found: int = 0
    read_first: int = 0
    cited: int = 0
    searches: int = 0
    operators: int = 0
    tokens: int = 0
    right: list[float] = field(default_factory=list)
    recalled: list[float] = field(default_factory=list)
    recalled_subject: list[float] = field(default_factory=list)
    depth: Counter[int] = field(default_factory=Counter)
    stopped: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--set", dest="sets", action="append", default=[])
    options = parser.parse_args()
    path = options.data / "pubmedqa" / "pqa_l.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["split"] == "test"][: options.limit]
    rows = []
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        inputs = find_inputs([path])
        build(library, "titled", inputs)
        build(library, "untitled", [without_titles(i) for i in inputs])
        for corpus in ("titled", "untitled"):
            tally = asyncio.run(run(records, corpus, Path(home), options.sets))
            rows.append((corpus, tally))
    report(rows)


def without_titles(given: Input) -> Input:
    """The same input without titles, since the title is the question."""

    def read(skip: int) -> Iterator[Item]:
        for item in given.read(skip):
            yield item.model_copy(update={"title": ""}) if isinstance(item, Document) else item

    return Input(given.name + " without titles", given.reader, given.fingerprint, read)


async def run(records: list[dict[str, Any]], corpus: str, home: Path, sets: list[str]) -> Tally:
    """Ask all questions in sequence."""
    settings = Settings.load(
        environ={"MEDGROUND_HOME": str(home)},
        options={"retrieval.corpora": (corpus,), "recipe.name": "pubmed-reasoner", **parse_options(sets)},
    )
    tally = Tally()
    async with await Engine.open(settings) as engine:
        for record in records:
            answer = await engine.ask(record["question"])
            count(tally, record, answer, read_trace(home / "traces", answer.trace_id))
    return tally


def count(tally: Tally, record: dict[str, Any], answer: Answer, spans: list[dict[str, Any]]) -> None:
    """Add one question to the tally."""
    own = f"PMID:{record['pmid']}"
    tally.questions += 1
    tally.found += any(s.status == "found" for s in answer.searches)
    tally.searches += answer.usage.searches
    tally.tokens += answer.usage.input_tokens + answer.usage.output_tokens
    tally.operators += sum(span["name"].startswith("operator ") for span in spans)
    read = [d for span in spans if span["name"] == "read batch" for d in span["attributes"]["medground.documents"]]
    tally.read_first += own in read[:FIRST]
    tally.cited += own in {e.document_id for e in answer.evidence}
    tally.depth[len(read)] += 1
    final = [span["attributes"]["medground.text.query"] for span in spans if span["name"] == "final query"]
    used = set(headings_of(parse(final[-1]))) if final else set()
    gold = set(record["meshes"])
    subject = {g for g in gold if g.casefold() not in POOR}
    if used:
        tally.right.append(len(used & gold) / len(used))
    tally.recalled.append(len(used & gold) / len(gold) if gold else 0.0)
    tally.recalled_subject.append(len(used & subject) / len(subject) if subject else 0.0)


def report(rows: list[tuple[str, Tally]]) -> None:
    """Print the tables."""
    print("| figure | paper | " + " | ".join(name for name, _ in rows) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in rows) + " |")
    lines = [
        ("questions", "500", lambda t: f"{t.questions}"),
        ("at least one hit", "", lambda t: f"{t.found / t.questions:.1%}"),
        (f"own abstract among the first {FIRST} read", "", lambda t: f"{t.read_first / t.questions:.1%}"),
        ("own abstract cited", "", lambda t: f"{t.cited / t.questions:.1%}"),
        ("MeSH precision, all gold headings", "0.983 / 0.987", lambda t: f"{mean(t.right):.3f}"),
        ("MeSH recall, all gold headings", "0.803 / 0.853", lambda t: f"{mean(t.recalled):.3f}"),
        ("MeSH recall, without check tags", "", lambda t: f"{mean(t.recalled_subject):.3f}"),
        ("searches per question", "2.49", lambda t: f"{t.searches / t.questions:.2f}"),
        (
            "operator calls per question (model calls in the paper)",
            "7.61",
            lambda t: f"{t.operators / t.questions:.2f}",
        ),
        ("tokens per question", "x 97", lambda t: f"{t.tokens / t.questions:.0f}"),
        ("stopped within 5 articles (ESD)", "65.8% / 65.2%", lambda t: f"{within(t, FIRST):.1%}"),
        ("articles read, mean", "", lambda t: f"{sum(d * n for d, n in t.depth.items()) / t.questions:.1f}"),
    ]
    for name, paper, value in lines:
        print(f"| {name} | {paper} | " + " | ".join(value(tally) for _, tally in rows) + " |")


def within(tally: Tally, most: int) -> float:
    return sum(n for depth, n in tally.depth.items() if 0 < depth <= most) / tally.questions


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    main()
