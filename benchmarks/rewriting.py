"""Measures how often keyless `reason-and-verify` rewrites PubMedQA's questions, and what that gains.

    python benchmarks/rewriting.py [--data ../shared/data] [--split test|train_dev] [--limit N] [--set KEY=VALUE ...]

The paper rewrites about 12 % of PubMedQA's questions and 8 % of BioASQ's (section 4.1.3), over 23 million abstracts,
with BGE scores and thresholds chosen on 50 training questions. This searches PubMedQA's 1,000 abstracts, with the
paper's thresholds and the keyless reranker's score, calibrated on SciFact's training claims; nothing was tuned for this
set. In PubMedQA a question is the title of its own abstract, so the same is measured on a corpus without titles. Also
prints how often the own abstract is among the five passages with and without rewriting, and the rate that the same
threshold gives on uncalibrated scores.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Input, Item
from medground.document import Document
from medground.engine import Engine
from medground.layers import parse_options
from medground.question import Question
from medground.rank.calibrate import evidence_score, overlap
from medground.recipes.reason_and_verify import find_evidence
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.run import Run
from medground.settings import Settings
from medground.trace import Trace


@dataclass(frozen=True)
class Row:
    """One question: the trigger's two numbers, the uncalibrated mean score, and whether the own abstract was found."""

    overlap: float
    score: float
    plain: float
    rewritten: bool
    before: bool
    after: bool


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--set", dest="sets", action="append", default=[])
    options = parser.parse_args()
    path = options.data / "pubmedqa" / "pqa_l.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["split"] == options.split][: options.limit]
    columns = {}
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        inputs = find_inputs([path])
        build(library, "titled", inputs)
        build(library, "untitled", [without_titles(i) for i in inputs])
        for corpus in ("titled", "untitled"):
            columns[corpus] = asyncio.run(measured(records, corpus, Path(home), options.sets))
    report(columns, options.split)


def without_titles(given: Input) -> Input:
    """The same input without titles, since the title is the question."""

    def read(skip: int) -> Iterator[Item]:
        for item in given.read(skip):
            yield item.model_copy(update={"title": ""}) if isinstance(item, Document) else item

    return Input(given.name + " without titles", given.reader, given.fingerprint, read)


async def measured(records: list[dict[str, Any]], corpus: str, home: Path, sets: list[str]) -> list[Row]:
    """Ask all questions in sequence, with and without rewriting."""
    fixed = {"retrieval.corpora": (corpus,), "recipe.name": "reason-and-verify"}
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={**fixed, **parse_options(sets)})
    async with await Engine.open(settings) as engine:
        return [await one(record, engine) for record in records]


async def one(record: dict[str, Any], engine: Engine) -> Row:
    """One question."""
    own, question = f"PMID:{record['pmid']}", Question.ask(record["question"], task="yes-no-maybe")
    choices = engine.settings.section(ReasonAndVerifySettings)
    plain = engine.settings.with_section(choices.model_copy(update={"rewrite": False}))
    found = {}
    for name, settings in (("before", plain), ("after", engine.settings)):
        trace = Trace(record["pmid"], None)
        run = Run(question, settings, engine.recipe, engine.sources, engine.models, trace)
        found[name] = await find_evidence(question, run)
        trace.close()
    first = found["before"]
    return Row(
        overlap=overlap(question.text, [hit.passage for hit in first]),
        score=evidence_score(choices.reranker, first),
        plain=sum(hit.score for hit in first) / len(first) if first else 0.0,
        rewritten="rewrite" in run.answered_by,
        before=own in {hit.passage.document_id for hit in first},
        after=own in {hit.passage.document_id for hit in found["after"]},
    )


def report(columns: dict[str, list[Row]], split: str) -> None:
    """Print the table."""
    print(f"PubMedQA {split}, thresholds of the paper (overlap 0.3, evidence 0.5), reranker keyless\n")
    print("| figure | paper | " + " | ".join(columns) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in columns) + " |")
    lines = [
        ("questions", "500", lambda rows: f"{len(rows)}"),
        ("rewritten", "about 12 % (BioASQ: 8 %)", lambda rows: interval([r.rewritten for r in rows])),
        ("... by overlap below 0.3", "", lambda rows: share([r.overlap < 0.3 for r in rows])),
        ("... by evidence score below 0.5", "", lambda rows: share([r.score < 0.5 for r in rows])),
        ("evidence score, 5/25/50/75/95 %", "", lambda rows: spread([r.score for r in rows])),
        ("overlap, 5/25/50/75/95 %", "", lambda rows: spread([r.overlap for r in rows])),
        ("mean of uncalibrated scores", "", lambda rows: spread([r.plain for r in rows])),
        ("below 0.5 if not calibrated", "", lambda rows: share([r.plain < 0.5 for r in rows])),
        ("own abstract in E, all", "", lambda rows: share([r.before for r in rows])),
        ("... with rewriting", "", lambda rows: share([r.after for r in rows])),
        ("own abstract in E, rewritten ones", "", lambda rows: share([r.before for r in rows if r.rewritten])),
        ("... with rewriting", "", lambda rows: share([r.after for r in rows if r.rewritten])),
        ("own abstract in E, not rewritten", "", lambda rows: share([r.before for r in rows if not r.rewritten])),
    ]
    for name, paper, value in lines:
        print(f"| {name} | {paper} | " + " | ".join(value(rows) for rows in columns.values()) + " |")


def share(said: list[bool]) -> str:
    return f"{sum(said) / len(said):.1%} ({sum(said)})" if said else "none"


def interval(said: list[bool]) -> str:
    """A share with its 95 % Wilson interval."""
    n, z = len(said), 1.96
    p = sum(said) / n
    middle, half = (p + z * z / (2 * n)), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.1%} ({sum(said)}; {low:.1%} to {high:.1%})"


def spread(values: list[float]) -> str:
    return " / ".join(f"{q:.2f}" for q in np.percentile(values, [5, 25, 50, 75, 95]))


if __name__ == "__main__":
    main()
