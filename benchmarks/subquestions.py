"""Measures literature for sub-questions (BioMedSearch, III.B): titled abstracts, gold papers, contradicting findings.

    python benchmarks/subquestions.py titles|gold [--data ../shared/data] [--half training|test]

- titles: sub-questions made of the titles of 332 abstracts without the rarest third of their words; is the abstract
  itself within the first 10? BM25, vectors and both fused beside it.
- gold: list and summary questions of BioASQ, each split into sub-questions without a model; how many of the papers
  that experts chose are among those kept, against one plain hybrid query that keeps as many papers. The corpus holds
  the chosen snippets of these questions' papers, and the abstracts of PubMedQA and SciFact.

Everything was chosen on the training half (other titles, task 7b, SciFact's training claims) and measured on the test
half. A plan and all rankings are made without a language model; vectors are MiniLM's.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from paired_means import mean_difference

from medground.answering.declaration import Declaration
from medground.answering.rank.fuse import fuse
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.snapshot import Snapshot
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.language import words
from medground.models.base import Keyless
from medground.models.embedders import open_embedder
from medground.models.registry import Models
from medground.recipes.biomedsearch.literature import find_literature
from medground.recipes.biomedsearch.planner import PLANNING, research_plan
from medground.recipes.settings import BioMedSearchSettings
from medground.sources.corpus import CorpusSource
from medground.values.document import Document, Hit
from medground.values.query import Words
from medground.values.question import Question
from medground.values.report import ToolFound
from medground.values.research_plan import Keyword, ResearchPlan, SubQuestion
from medground_evaluate.statistics import wilson

TITLES = {"training": 60, "test": 30}
QUESTIONS = {"training": 40, "test": 100}
DEPTH = 200
SEED = 16
Search = Callable[[str], list[str]]


class Bench:
    """Corpora, their sources, and runs over them."""

    def __init__(self, home: Path, data: Path, choices: BioMedSearchSettings) -> None:
        self.data = data
        self.choices = choices
        self.settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}).with_section(choices)
        self.library = Library(home)
        self.embedder = open_embedder(choices.embedder, home)
        self.snapshots: list[Snapshot] = []

    def opened(self, name: str, path: Path) -> Snapshot:
        if name not in self.library.list():
            build(self.library, name, find_inputs([path]), embedder=self.embedder)
        snapshot = self.library.open(name)
        self.snapshots.append(snapshot)
        return snapshot

    def run(self, text: str) -> Run:
        recipe = Declaration(name="biomedsearch", operators=PLANNING)
        return Run(
            question=Question.ask(text),
            settings=self.settings,
            recipe=recipe,
            sources=[CorpusSource(snapshot, self.embedder) for snapshot in self.snapshots],
            models=Models("keyless", {}, {"keyless": Keyless()}),
            trace=Trace("bench", Path(tempfile.mkdtemp()) / "bench.jsonl"),
        )

    def searches(self) -> dict[str, Search]:
        """Plain rankings over all corpora, as ids of documents."""

        def bm25(text: str) -> list[tuple[Hit, ...]]:
            return [snapshot.bm25(Words(text=text), DEPTH) for snapshot in self.snapshots]

        def dense(text: str) -> list[tuple[Hit, ...]]:
            vector = self.embedder.embed([text])[0]
            return [snapshot.dense(vector, DEPTH) for snapshot in self.snapshots]

        return {
            "BM25": lambda text: documents_of(by_score(bm25(text))),
            f"dense ({self.embedder.name})": lambda text: documents_of(by_score(dense(text))),
            "hybrid (RRF)": lambda text: documents_of(fuse([by_score(bm25(text)), by_score(dense(text))])),
        }


def by_score(rankings: Sequence[tuple[Hit, ...]]) -> tuple[Hit, ...]:
    """One ranking of several corpora by the same ranker, as if they were one corpus (nearly so, for BM25)."""
    hits = sorted((hit for ranking in rankings for hit in ranking), key=lambda hit: -hit.score)
    return tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(hits, 1))


def documents_of(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.passage.document_id for hit in hits))


def titled(document: Document) -> tuple[SubQuestion, ResearchPlan]:
    """A sub-question of a title without the rarest third of its words; keywords are the six rarest of the others."""
    content = [word for word in words.tokens(document.title) if word not in words.FUNCTION_WORDS and len(word) > 2]
    rarest = sorted(set(content), key=lambda word: (-words.weight(words.stem(word)), word))
    left = [word for word in dict.fromkeys(content) if word not in rarest[: max(2, len(rarest) // 3)]]
    keywords = [word for word in rarest if word in left][:6]
    text = f"What is known about {' '.join(left)}?"
    one = SubQuestion(id="q1", text=text, keywords=tuple(keywords))
    return one, ResearchPlan(question=text, subquestions=(one,), keywords=tuple(Keyword(name=n) for n in keywords))


def titles(bench: Bench, half: str) -> Iterator[str]:
    snapshot = bench.opened("literature", bench.data / "biomedsearch" / "literature.jsonl")
    long = [d for d in sorted(snapshot.all_documents(), key=lambda d: d.id) if len(words.tokens(d.title)) >= 8]
    random.Random(SEED).shuffle(long)
    chosen = long[: TITLES["test"]] if half == "test" else long[TITLES["test"] :][: TITLES["training"]]
    asked = [(document.id, *titled(document)) for document in chosen]
    rows = {name: [search(one.text)[:10] for _, one, _ in asked] for name, search in bench.searches().items()}
    found = [asyncio.run(find_literature(one, plan, bench.run(one.text))) for _, one, plan in asked]
    rows["find_literature"] = [[hit.passage.document_id for hit in one.hits][:10] for one in found]
    yield f"{len(asked)} sub-questions from titles ({half} half), {len(long)} titles to choose from"
    yield ""
    yield "| ranking | own abstract within 10 | first |"
    yield "| --- | --- | --- |"
    for name, ranked in rows.items():
        within = sum(own in ids for (own, _, _), ids in zip(asked, ranked, strict=True))
        first = sum(own in ids[:1] for (own, _, _), ids in zip(asked, ranked, strict=True))
        yield f"| {name} | {share(within, len(asked))} | {first} |"
    lost = sum(own in one.flow.lost for (own, _, _), one in zip(asked, found, strict=True))
    yield f"The filter of keywords lost the abstract of {lost}; it was lowered for {sum(map(lowered, found))}."


def lowered(one: ToolFound) -> bool:
    return any("of the keywords" in note for note in one.notes)


def share(right: int, of: int) -> str:
    low, high = wilson(right, of)
    return f"{right} of {of}, {right / of:.0%} ({low:.0%} to {high:.0%})"


def bioasq(data: Path, half: str) -> list[dict[str, Any]]:
    """A fixed sample of list and summary questions: of task 7b for training, of 8b and 9b for the test."""
    names = ("task7b",) if half == "training" else ("task8b", "task9b")
    questions = [
        question
        for name in names
        for question in json.loads(gzip.decompress((data / "bioasq" / f"{name}.json.gz").read_bytes()))["questions"]
        if question["type"] in ("list", "summary") and question.get("snippets")
    ]
    return random.Random(SEED).sample(sorted(questions, key=lambda q: str(q["id"])), QUESTIONS[half])


def papers_of(question: dict[str, Any]) -> set[str]:
    return {f"PMID:{snippet['document'].rpartition('/')[2]}" for snippet in question["snippets"]}


async def planned(bench: Bench, question: str) -> ResearchPlan:
    run = bench.run(question)
    try:
        return await research_plan(run.question, run)
    except UsageError:  # nothing biomedical that the planner knows
        return ResearchPlan(question=question, subquestions=(SubQuestion(id="q1", text=question),))


async def researched(bench: Bench, plan: ResearchPlan) -> set[str]:
    """The papers that all sub-questions keep, later ones sharpened by names of earlier ones."""
    run = bench.run(plan.question)
    found: dict[str, ToolFound] = {}
    after = plan.after()
    for one in sorted(plan.subquestions, key=lambda one: len(after[one.id])):
        names = [name for before in after[one.id] if before in found for name in found[before].names]
        found[one.id] = await find_literature(one, plan, run, names)
    return {hit.passage.document_id for one in found.values() for hit in one.hits}


def gold(bench: Bench, half: str) -> Iterator[str]:
    questions = bioasq(bench.data, half)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("training", "test"):
            path = Path(folder) / f"{'7' if name == 'training' else '8'}B1_golden.json"
            path.write_text(json.dumps({"questions": bioasq(bench.data, name)}))
        bench.opened("bioasq-sample", Path(folder))
    bench.opened("pubmedqa", bench.data / "pubmedqa" / "pqa_l.jsonl.gz")
    bench.opened("scifact", bench.data / "scifact" / "corpus.jsonl.gz")
    hybrid = bench.searches()["hybrid (RRF)"]
    plans = [asyncio.run(planned(bench, question["body"])) for question in questions]
    relevant = [papers_of(question) for question in questions]
    wanted = sum(map(len, relevant))
    parts = sum(len(plan.subquestions) for plan in plans) / len(plans)
    yield f"{len(questions)} questions of BioASQ ({half} half), {wanted} gold papers, {parts:.1f} sub-questions each"
    yield ""
    yield "| sub-questions | papers kept | gold among them | one hybrid query with as many | difference a question |"
    yield "| --- | --- | --- | --- | --- |"
    for name, changed in (("as by default", {}), ("with the paper's filter (80 %)", {"coverage": 0.8})):
        bench.settings = bench.settings.with_section(bench.choices.model_copy(update=changed))
        kept = [asyncio.run(researched(bench, plan)) for plan in plans]
        plain = [set(hybrid(q["body"])[: len(papers)]) for q, papers in zip(questions, kept, strict=True)]
        ours = [len(papers & gold) for papers, gold in zip(kept, relevant, strict=True)]
        theirs = [len(papers & gold) for papers, gold in zip(plain, relevant, strict=True)]
        difference = mean_difference(theirs, ours)
        assert difference is not None
        yield (
            f"| {name} | {sum(map(len, kept))} | {sum(ours)} ({sum(ours) / wanted:.0%}) | {sum(theirs)} "
            f"({sum(theirs) / wanted:.0%}) | {difference.value:+.2f} "
            f"({difference.low:+.2f} to {difference.high:+.2f}), p = {difference.p:.4f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("titles", "gold"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--home", type=Path, default=Settings().home, help="where corpora are built, and MiniLM is")
    parser.add_argument("--half", choices=("training", "test"), default="test")
    parser.add_argument("--coverage", type=float, default=BioMedSearchSettings().coverage)
    parser.add_argument("--each", type=int, default=50, help="hits of each corpus: MiniLM reads the papers of all")
    chosen = parser.parse_args()
    choices = BioMedSearchSettings(coverage=chosen.coverage, each=chosen.each)
    bench = Bench(chosen.home, chosen.data, choices)
    part = {"titles": titles, "gold": gold}[chosen.part]
    for line in part(bench, chosen.half):
        print(line, flush=True)


if __name__ == "__main__":
    main()
