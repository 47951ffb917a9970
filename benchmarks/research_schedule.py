"""Measures the schedule of `biomedsearch`: 5 sub-questions and 3 sources of 300 ms each, against the longest path.

    python benchmarks/research_schedule.py [--rounds 5] [--results 100]

Each sub-question asks one source of literature, one of protein records and one of the web. Each search takes 300 ms and
finds `--results` made documents (three protein records). The longest path is 300 ms for each sub-question of the
longest chain of the plan. What is printed is the time from the first search to the last result, divided by it: for a
plan without an order, for a diamond, and for a chain. One after the other, the same searches take 15 x 300 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.corpus.chunk import chunk
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.registry import Models
from medground.recipes.biomedsearch.recipe import BIOMEDSEARCH, biomedsearch
from medground.values.document import Document, Hit, SourceKind
from medground.values.lookup import Found, Lookup, PlainWords, ProteinQuery
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.research_plan import TOOLS, Edge, Keyword, ResearchPlan, SubQuestion
from medground.values.steps import Step, SubQuestionBegun, SubQuestionDone

WAIT = 0.3
RECORDS = 3
"""Protein records of a search: a gene has few."""
TOPICS = ("gonadal development", "hormone synthesis", "sex differentiation", "fertility", "stress response")
SHAPES: Mapping[str, Sequence[tuple[int, int]]] = {
    "no order": (),
    "diamond, then one more": ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4)),
    "chain": ((0, 1), (1, 2), (2, 3), (3, 4)),
}
LONGEST = {"no order": 1, "diamond, then one more": 4, "chain": 5}


class Slow:
    """A source of one kind that answers every search after 300 ms."""

    state = None

    def __init__(self, kind: SourceKind, results: int) -> None:
        self.name = f"slow-{kind}"
        self.kinds: frozenset[SourceKind] = frozenset([kind])
        self._documents = {d.id: d for d in (self._document(n, kind) for n in range(results))}
        passages = [next(iter(chunk(document))) for document in self._documents.values()]
        self._hits = tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1 / rank, source=self.name)
            for rank, passage in enumerate(passages, start=1)
        )
        self.searches = 0

    def accepts(self, lookup: Lookup) -> bool:
        """What the tool of its kind asks."""
        forms = {"protein": ProteinQuery, "web": PlainWords}
        return isinstance(lookup.asked, forms[kind]) if (kind := min(self.kinds)) in forms else lookup.of_texts

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """All documents."""
        self.searches += 1
        await asyncio.sleep(WAIT)
        return Found(lookup, self.name, rankings=(self._hits[: lookup.limit],))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id, at once."""
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        """Nothing is open."""

    @staticmethod
    def _document(number: int, kind: SourceKind) -> Document:
        topic = TOPICS[number % len(TOPICS)]
        text = f"Knockout of cyp17a1 changed {topic} in zebrafish of group {number}. Adults were examined."
        return Document(id=f"T:{kind}-{number}", title=f"cyp17a1 and {topic} {number}", text=text, kind=kind)


def plan_of(edges: Sequence[tuple[int, int]]) -> ResearchPlan:
    """Five sub-questions with one keyword of their own each, and the gene; edges order them."""
    return ResearchPlan(
        question="Effects of cyp17a1 knockout on zebrafish?",
        subquestions=tuple(
            SubQuestion(id=f"q{n}", text=f"How does cyp17a1 change {topic} in zebrafish?", keywords=(topic, "cyp17a1"))
            for n, topic in enumerate(TOPICS, start=1)
        ),
        keywords=(*(Keyword(name=topic, tools=TOOLS) for topic in TOPICS), Keyword(name="cyp17a1", tools=TOOLS)),
        edges=tuple(Edge(before=TOPICS[first], after=TOPICS[second]) for first, second in edges),
    )


async def seconds(plan: ResearchPlan, results: int, home: Path) -> float:
    """From the beginning of the first search to the end of the last."""
    times: list[float] = []

    def timed(step: Step) -> None:
        if isinstance(step, SubQuestionBegun | SubQuestionDone):
            times.append(time.perf_counter())

    question = Question.ask(plan.question).model_copy(update={"plan": plan})
    sources = [Slow("research", results), Slow("protein", min(results, RECORDS)), Slow("web", results)]
    run = Run(
        question=question,
        settings=Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"biomedsearch.embedder": "words"}),
        recipe=BIOMEDSEARCH,
        sources=sources,
        models=Models("keyless", {}, {"keyless": Keyless()}),
        trace=Trace("benchmark", None),
        on_step=timed,
    )
    await biomedsearch(question, run)
    if any(source.searches < len(plan.subquestions) for source in sources):
        raise SystemExit(f"not every source was searched: {[(one.name, one.searches) for one in sources]}")
    return times[-1] - times[0]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for name, edges in SHAPES.items():
            plan = plan_of(edges)
            asyncio.run(seconds(plan, 1, Path(home)))  # what is loaded once
            taken = [asyncio.run(seconds(plan, arguments.results, Path(home))) for _ in range(arguments.rounds)]
            path = LONGEST[name] * WAIT
            middle = statistics.median(taken)
            print(
                f"{name}: longest path {path:.1f} s, median {middle:.2f} s, ratio {middle / path:.2f} "
                f"(highest {max(taken) / path:.2f}); one after the other {15 * WAIT:.1f} s"
            )


if __name__ == "__main__":
    main()
