"""Measures the sentences that answers quote, against the papers and sentences that experts chose.

    python benchmarks/answers.py --data ../shared/data --home FOLDER [--only bioasq-vectors] [--limit 300]

All rows of a table are made in one run. Medground's rows are the answers of the recipe `ground` without a model,
through the engine, with the shipped weights, which learned from none of these questions: BioASQ 9b (in a corpus of the
snippets of 7b to 9b), SciFact dev and the other half of COVID-QA. Baselines quote the best
sentence (BM25) of each of the first three papers, or its best two neighbours, or the first three sentences.
Intervals are Wilson's, 95 %.
`FOLDER` keeps the corpora.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import DEPTH, Marked, bioasq, build_corpus, covidqa, holds, is_in, plain, scifact
from train_scorer import task_of

from medground import BlockingEngine, Settings
from medground.corpus.embedder import Embedder
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.language import words
from medground.language.sentences import sentence_spans
from medground.models.embedders import open_embedder
from medground.values.document import Hit
from medground.values.query import Words
from medground_evaluate.statistics import wilson

Quotes = Sequence[tuple[str, str]]
"""Document id and text of each quote, in order."""
Row = Callable[[Sequence[Marked]], Iterator[Quotes]]


@dataclass
class Bench:
    """A corpus with what the rows need."""

    name: str
    home: Path
    snapshot: Snapshot
    embedder: Embedder | None = None


# Baselines


def by_documents(bench: Bench, one: Marked, hits: Sequence[Hit], count: int = 1) -> Quotes:
    """The best sentence of each of the first three documents, or the best two neighbours."""
    ids = list(dict.fromkeys(hit.passage.document_id for hit in hits))[:3]
    return [(i, _best(one.question, [h.passage.text for h in hits if h.passage.document_id == i], count)) for i in ids]


def _best(question: str, passages: Sequence[str], count: int) -> str:
    sentences = [[text[a:b] for a, b in sentence_spans(text)] for text in passages]
    wanted = set(words.terms(question))
    found = [[words.terms(s) for s in passage] for passage in sentences]
    lengths = [len(terms) for passage in found for terms in passage]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0

    def score(terms: list[str]) -> float:
        norm = 1.2 * (0.25 + 0.75 * len(terms) / mean)
        return sum(words.weight(t) * terms.count(t) * 2.2 / (terms.count(t) + norm) for t in sorted(wanted))

    windows = [
        (sum(map(score, scored[start : start + count])), " ".join(passage[start : start + count]))
        for passage, scored in zip(sentences, found, strict=True)
        for start in range(max(len(passage) - count + 1, 1))
    ]
    return max(windows, key=lambda window: window[0], default=(0.0, ""))[1]


def bm25(bench: Bench, one: Marked) -> Sequence[Hit]:
    """The passages by BM25."""
    return bench.snapshot.bm25(Words(text=one.question), DEPTH)


def minilm(bench: Bench, one: Marked) -> Sequence[Hit]:
    """The passages by MiniLM."""
    assert bench.embedder is not None
    return bench.snapshot.dense(bench.embedder.embed([one.question])[0], DEPTH)


def fused(bench: Bench, one: Marked) -> Sequence[Hit]:
    """BM25's first 50 documents, ranked again by RRF with MiniLM."""
    first = bm25(bench, one)
    kept = list(dict.fromkeys(h.passage.document_id for h in first))[:50]
    near = list(dict.fromkeys(h.passage.document_id for h in minilm(bench, one)))
    order = {d: 1 / (61 + kept.index(d)) + (1 / (61 + near.index(d)) if d in near else 0.0) for d in kept}
    return sorted((h for h in first if h.passage.document_id in order), key=lambda h: -order[h.passage.document_id])


def baseline(bench: Bench, search: Callable[[Bench, Marked], Sequence[Hit]], count: int = 1) -> Row:
    """A row that quotes one sentence, or two neighbours, of each of the first documents."""
    return lambda marked: (by_documents(bench, one, search(bench, one), count) for one in marked)


def sentences(bench: Bench) -> Row:
    """BM25 over all sentences of the corpus, each as a document of its own."""
    texts = [
        (d.id, f"{d.title} {d.text[a:b]}" if not d.text[a:b] else d.text[a:b])
        for d in bench.snapshot.all_documents()
        for a, b in sentence_spans(d.text)
    ]
    index = _Index([words.terms(text) for _, text in texts])
    return lambda marked: ([texts[n] for n in index.best(words.terms(one.question), 3)] for one in marked)


class _Index:
    """Okapi BM25 over lists of terms."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = np.array([len(t) for t in texts], dtype=float)
        self._held: dict[str, dict[int, int]] = {}
        for number, terms in enumerate(texts):
            for term in terms:
                row = self._held.setdefault(term, {})
                row[number] = row.get(number, 0) + 1

    def best(self, terms: Sequence[str], count: int) -> list[int]:
        scores = np.zeros(len(self._size))
        norm = 1.2 * (0.25 + 0.75 * self._size / self._size.mean())
        for term in set(terms):
            row = self._held.get(term, {})
            if row:
                places = np.fromiter(row, dtype=int)
                times = np.fromiter(row.values(), dtype=float)
                weight = np.log(1 + (len(self._size) - len(row) + 0.5) / (len(row) + 0.5))
                scores[places] += weight * times * 2.2 / (times + norm[places])
        return np.argsort(-scores, kind="stable")[:count].tolist()


def lead(bench: Bench) -> Row:
    """The first three sentences of BM25's first document."""

    def of(one: Marked) -> Quotes:
        first = bm25(bench, one)[:1]
        found = bench.snapshot.documents([h.passage.document_id for h in first])
        return [(d.id, d.text[a:b]) for d in found.values() for a, b in sentence_spans(d.text)[:3]]

    return lambda marked: map(of, marked)


# Medground


def ground(bench: Bench, corpus: str, *, vectors: bool) -> Row:
    """The quotes of the engine's answers."""

    def row(marked: Sequence[Marked]) -> Iterator[Quotes]:
        options = {"retrieval.dense": str(vectors).lower()}
        settings = Settings.load(environ={"MEDGROUND_HOME": str(bench.home)}, options=options)
        with BlockingEngine.open(settings, corpora=corpus) as engine:
            for one in marked:
                answer = engine.ask(one.question, task="free")
                by_id = {e.id: e for e in answer.evidence}
                used = dict.fromkeys(e for s in answer.statements for e in s.evidence)
                yield [(by_id[e].document_id, by_id[e].quote) for e in used]

    return row


# Measures


def share(right: Sequence[bool]) -> str:
    """A share with its interval."""
    low, high = wilson(sum(right), len(right))
    return f"{sum(right)} of {len(right)} ({sum(right) / max(len(right), 1):.1%}; {low:.1%} to {high:.1%})"


def rouge_l(text: str, other: str) -> float:
    """F of the longest common subsequence of words."""
    a, b = words.tokens(text), words.tokens(other)
    row = [0] * (len(b) + 1)
    for token in a:
        before = 0
        for place, there in enumerate(b, start=1):
            kept, row[place] = row[place], before + 1 if token == there else max(row[place], row[place - 1])
            before = kept
    return 2 * row[-1] / (len(a) + len(b)) if row[-1] else 0.0


def report(title: str, marked: Sequence[Marked], quotes: Sequence[Quotes], seconds: float) -> None:
    """Print one row."""
    pairs = list(zip(marked, quotes, strict=True))
    cells = ["first from a chosen paper " + share([any(d in one.gold for d, _ in q[:1]) for one, q in pairs])]
    if marked[0].name == "bioasq":
        exact = [(one, q) for one, q in pairs if one.kind == "factoid" and one.answers]
        held = [[holds(plain(text), one.answers) for _, text in q] for one, q in exact]
        cells += ["exact answer " + share(list(map(any, held))), "in the first " + share([any(h[:1]) for h in held])]
        told = [
            max(rouge_l(" ".join(t for _, t in q), ideal) for ideal in one.ideal)
            for one, q in pairs
            if one.kind == "summary"
        ]
        cells.append(f"ROUGE-L {np.mean(told):.3f} (n {len(told)})")
    else:
        right = [any(d in one.gold and _marked(one, d, t) for d, t in q[:1]) for one, q in pairs]
        cells.append("first holds what was marked " + share(right))
    print(f"{title:34} " + "   ".join(cells) + f"   {len(marked) / seconds:.1f}/s", flush=True)


def _marked(one: Marked, document: str, text: str) -> bool:
    if one.kind == "span":
        return holds(plain(text), one.answers)
    return any(is_in(plain(text[a:b]), one.gold[document]) for a, b in sentence_spans(text))


def run(title: str, row: Row, marked: Sequence[Marked]) -> None:
    """Make a row and print it."""
    began = time.perf_counter()
    report(title, marked, list(row(marked)), time.perf_counter() - began)


def whole_passage(bench: Bench) -> Row:
    """The first passage by BM25, whole."""
    return lambda marked: ([(h.passage.document_id, h.passage.text) for h in bm25(bench, one)[:1]] for one in marked)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="BioASQ questions, chosen at random")
    parser.add_argument("--only", choices=("bioasq", "bioasq-vectors", "scifact", "covidqa"))
    arguments = parser.parse_args()
    data, home = arguments.data, arguments.home
    for name, marked in (("scifact", lambda: scifact(data, "dev")), ("covidqa", lambda: covidqa(data, "test"))):
        if arguments.only in (None, name):
            with Library(home).open(build_corpus(name, data, home)) as snapshot:
                bench, asked = Bench(name, home, snapshot), marked()
                print(f"{name}, {len(asked)} questions")
                run("BM25, best sentence", baseline(bench, bm25), asked)
                run("BM25, best two neighbours", baseline(bench, bm25, 2), asked)
                run("BM25, whole passage", whole_passage(bench), asked)
                run("BM25 over sentences", sentences(bench), asked)
                run("Medground", ground(bench, name, vectors=False), asked)
    marked = task_of(bioasq(data), data, "9b")
    if arguments.limit:
        marked = [marked[i] for i in np.random.default_rng(0).permutation(len(marked))[: arguments.limit]]
    if arguments.only in (None, "bioasq"):
        _by_words(data, home, marked)
    if arguments.only in (None, "bioasq-vectors"):
        _by_vectors(data, home, marked, open_embedder("minilm", home, threads=2))


def _by_words(data: Path, home: Path, asked: Sequence[Marked]) -> None:
    with Library(home).open(build_corpus("bioasq", data, home)) as snapshot:
        bench = Bench("bioasq", home, snapshot)
        print(f"BioASQ 9b, {len(asked)} questions")
        run("BM25, first documents", baseline(bench, bm25), asked)
        run("BM25, two neighbours", baseline(bench, bm25, 2), asked)
        run("BM25 over sentences", sentences(bench), asked)
        run("lead 3 of BM25's first", lead(bench), asked)
        run("Medground", ground(bench, "bioasq", vectors=False), asked)


def _by_vectors(data: Path, home: Path, asked: Sequence[Marked], embedder: Embedder) -> None:
    name = build_corpus("bioasq", data, home, embedder)
    with Library(home).open(name) as snapshot:
        bench = Bench("bioasq", home, snapshot, embedder)
        print(f"BioASQ 9b with vectors, {len(asked)} questions")
        run("MiniLM, first documents", baseline(bench, minilm), asked)
        run("BM25 and MiniLM by RRF", baseline(bench, fused), asked)
        run("RRF, two neighbours", baseline(bench, fused, 2), asked)
        run("Medground with vectors", ground(bench, name, vectors=True), asked)


if __name__ == "__main__":
    main()
