"""Measures what the context of a question does without a model: to the order of reading, and if it were searched for.

    python benchmarks/question_context.py [--data ../shared/data] [--limit 300]

Questions: BioASQ tasks 7b to 9b with three or more gold papers. Searched: their snippets, a document a paper, by BM25.
The context is a snippet of one of the gold papers, which is then neither wanted nor counted (`passage`), a snippet of
another question (`other`), or a patient's case from MedQA, which has nothing to do with it (`case`). `vague` questions
have `it` in place of their two rarest words, so that they need a context. Printed, with 95 % intervals of the changes:
nDCG at 10 of the search, and how it changes if the context is searched for too, which Medground does not do; the share
of gold papers among the first three that are read, and how it changes with the context (`read.sharpen`). The weight of
the context was chosen on a sample of 150 with another seed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.document import Hit
from medground.lookup import Lookup, Ranking
from medground.query import Filters
from medground.question import Question
from medground.rank.fuse import fuse
from medground.read.order import WEIGHED, best_first, reading_list
from medground.sources.corpus import CorpusSource
from medground.text import words

DEPTH = 100
Values = NDArray[np.float64]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args()
    records = list(_records(options.data / "bioasq"))
    cases = _cases(options.data / "mirage" / "questions.jsonl.gz")
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        build(library, "bioasq", find_inputs([_corpus(records, Path(folder))]))
        with library.open("bioasq") as snapshot:
            asyncio.run(report(records, cases, CorpusSource(snapshot), options.limit))


async def report(records: Sequence[dict[str, Any]], cases: Sequence[str], source: CorpusSource, limit: int) -> None:
    """Print one row for each kind of question and context."""
    rng = random.Random(0)
    several = [r for r in records if len(r["papers"]) >= 3]
    asked = rng.sample(several, min(limit, len(several)))
    print("| question | context | search, nDCG@10 | context searched too | read first, P@3 | with the context |")
    print("| --- | --- | --- | --- | --- | --- |")
    for how, question_of in (("whole", str), ("vague", vague)):
        rows: dict[str, list[tuple[float, ...]]] = {"passage": [], "other": [], "case": []}
        for record in asked:
            own = rng.choice(sorted(record["papers"]))
            passage = max((text for paper, text in record["snippets"] if paper == own), key=len)
            other = rng.choice(rng.choice(asked)["snippets"])[1]
            for name, context in (("passage", passage), ("other", other), ("case", rng.choice(cases))):
                asked_with = Question.ask(question_of(record["question"]), context=context)
                rows[name].append(await measured(asked_with, own, record["papers"] - {own}, source))
        for name, values in rows.items():
            search, too, plain, sharper = np.array(values).T
            print(f"| {how} | {name} | {_change(search, too)} | {_change(plain, sharper)} |", flush=True)


async def measured(question: Question, own: str, wanted: set[str], source: CorpusSource) -> tuple[float, ...]:
    """nDCG of the search without and with the context, then P@3 of the reading order without and with it."""
    plain = await _search(question.text, own, source)
    both = fuse([plain, await _search(f"{question.text} {question.context}", own, source)])
    readings = reading_list(plain, 20, WEIGHED)
    without = question.model_copy(update={"context": ""})
    ordered = [[r.document_id for r in best_first(asked, readings)[:3]] for asked in (without, question)]
    shares = [sum(name in wanted for name in ids) / 3 for ids in ordered]
    return _ndcg(plain, wanted), _ndcg(both, wanted), *shares


async def _search(text: str, own: str, source: CorpusSource) -> Ranking:
    found = await source.search(Lookup.words(text[:4000]).model_copy(update={"limit": DEPTH}), Filters())
    kept = [hit for ranking in found.rankings for hit in ranking if hit.passage.document_id != own]
    return tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(kept, 1))


def _change(before: Values, after: Values) -> str:
    """A mean, and by how much it changes, with half the width of the 95 % interval."""
    change = after - before
    half = 1.96 * change.std(ddof=1) / math.sqrt(len(change))
    return f"{before.mean():.3f} | {change.mean():+.3f} ± {half:.3f}"


def vague(question: str) -> str:
    """The question with `it` for its two rarest words."""
    rarest = sorted({(words.weight(words.terms(w)[0]), w) for w in words.tokens(question) if words.terms(w)})[-2:]
    for _, word in rarest:
        question = re.sub(rf"\b{re.escape(word)}\b", "it", question, flags=re.IGNORECASE)
    return question


def _ndcg(hits: Sequence[Hit], wanted: set[str], depth: int = 10) -> float:
    ids = list(dict.fromkeys(hit.passage.document_id for hit in hits))[:depth]
    gain = sum(1 / math.log2(rank + 1) for rank, name in enumerate(ids, 1) if name in wanted)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), depth) + 1))


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("task*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for question in json.load(file)["questions"]:
                snippets = [(f"PMID:{s['document'].rsplit('/', 1)[-1]}", s["text"]) for s in question["snippets"]]
                yield {"question": question["body"], "snippets": snippets, "papers": {paper for paper, _ in snippets}}


def _corpus(records: Sequence[dict[str, Any]], folder: Path) -> Path:
    texts: dict[str, list[str]] = {}
    for paper, text in (pair for record in records for pair in record["snippets"]):
        texts.setdefault(paper, []).extend([] if text in texts.get(paper, ()) else [text])
    path = folder / "bioasq.jsonl"
    lines = (json.dumps({"id": paper, "title": "", "text": " ".join(found)}) for paper, found in texts.items())
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _cases(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [record["question"] for record in map(json.loads, lines) if record["set"] == "medqa"]


if __name__ == "__main__":
    main()
