"""Measures whether the context of a question should change what its own words find, where no model answers.

    python benchmarks/question_context.py [--data ../shared/data] [--limit 600]

Questions: BioASQ tasks 7b to 9b with three or more gold papers. Searched: their snippets, one document a paper, by BM25.
The context is a snippet of one of the gold papers, which is then neither wanted nor counted (`passage`), a snippet of
another question (`other`), or a patient's case from MedQA, which has nothing to do with it (`case`). `vague` questions
have `it` in place of their two rarest words, so that they need a context. Printed: nDCG at 10 of

- `question`: its words alone;
- `reordered`: the first 20 of them, fused with the order by the terms of question and context;
- `searched`: fused with a second search for question and context.

`reordered` sends nothing of the context to a source; `searched` does.
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

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.document import Hit
from medground.lookup import Lookup
from medground.query import Filters
from medground.rank.fuse import fuse
from medground.sources.corpus import CorpusSource
from medground.text import words

FIRST, DEPTH = 20, 100


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=600)
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
    asked = [r for r in records if len(r["papers"]) >= 3]
    asked = rng.sample(asked, min(limit, len(asked)))
    print("| question | context | question alone | reordered | searched |\n| --- | --- | --- | --- | --- |")
    for how, question_of in (("whole", str), ("vague", vague)):
        for name in ("passage", "other", "case"):
            rows = []
            for record in asked:
                own = rng.choice(sorted(record["papers"]))
                other = rng.choice(rng.choice(asked)["snippets"])[1]
                passage = max((text for paper, text in record["snippets"] if paper == own), key=len)
                context = {"passage": passage, "other": other, "case": rng.choice(cases)}[name]
                wanted = record["papers"] - {own}
                found = await rankings(question_of(record["question"]), context, source)
                rows.append([_ndcg([h for h in hits if h.passage.document_id != own], wanted) for hits in found])
            table = np.array(rows)
            means = [f"{mean:.3f}" for mean in table.mean(axis=0)]
            changes = [f"{(table[:, i] - table[:, 0]).mean():+.3f} ± {_half(table[:, i] - table[:, 0]):.3f}" for i in (1, 2)]
            print(f"| {how} | {name} | {means[0]} | {means[1]} ({changes[0]}) | {means[2]} ({changes[1]}) |", flush=True)


async def rankings(question: str, context: str, source: CorpusSource) -> list[Sequence[Hit]]:
    """What is found by the question alone, reordered with the context, and searched with it too."""
    plain = await _search(question, source)
    both = await _search(f"{question} {context}", source)
    place = {hit.passage.key: hit.rank for hit in both}
    head = list(plain[:FIRST])
    by_both = sorted(head, key=lambda hit: place.get(hit.passage.key, DEPTH + hit.rank))
    ranked = tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(by_both, 1))
    return [plain, [*fuse([tuple(head), ranked]), *plain[FIRST:]], fuse([plain, both])]


async def _search(text: str, source: CorpusSource) -> tuple[Hit, ...]:
    found = await source.search(Lookup.words(text[:4000]).model_copy(update={"limit": DEPTH}), Filters())
    return found.rankings[0] if found.rankings else ()


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


def _half(values: np.ndarray) -> float:
    """Half the width of the 95 % interval of a mean."""
    return float(1.96 * values.std(ddof=1) / math.sqrt(len(values)))


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
