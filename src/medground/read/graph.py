"""Asking the knowledge graphs, and quoting the lines that state their facts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from medground.evidence import Evidence
from medground.graph.finding import GraphFact, GraphFinding
from medground.query import Filters
from medground.question import Question
from medground.run import Run
from medground.sources.base import KnowledgeGraph

_CLOSED_TASKS = ("yes-no", "yes-no-maybe")


@dataclass(frozen=True)
class GraphAnswer:
    """A finding, who gave it, and its facts with their quotes."""

    graph: KnowledgeGraph
    finding: GraphFinding
    facts: tuple[tuple[GraphFact, Evidence], ...]

    def entails(self, sentence: str) -> bool:
        """Whether the stored relation behind a sentence of this word entails it."""
        return any(fact.sentence == sentence and self.graph.entails(fact) for fact, _ in self.facts)


async def ask_graphs(question: Question, run: Run) -> GraphAnswer | None:
    """The first graph that has the relation; else one that knows the concepts but not the relation; else None."""
    if not run.graphs or not _may_answer(question):
        return None
    with run.trace.span("ask graphs", graphs=[g.name for g in run.graphs]) as span:
        findings = await asyncio.gather(*(run.ask_graph(graph) for graph in run.graphs))
        words = [(graph, finding) for graph, finding in zip(run.graphs, findings, strict=True) if finding is not None]
        words.sort(key=lambda word: word[1].status == "not recorded")
        span.set(findings=[f"{graph.name}: {finding.relation}: {finding.status}" for graph, finding in words])
    if not words:
        return None
    graph, finding = words[0]
    await run.retrieve([fact.document_id for fact in finding.facts])
    quotes = [
        (fact, run.ledger.quote(fact.document_id, fact.start, fact.end, origin="graph", rank=rank))
        for rank, fact in enumerate(finding.facts, start=1)
    ]
    return GraphAnswer(graph, finding, tuple(quotes))


def _may_answer(question: Question) -> bool:
    """Whether stored relations can be the answer: "what is ..." has no yes, and a fact has no year of its own."""
    limits = question.filters
    if limits != Filters(kinds=limits.kinds) or (limits.kinds and "graph" not in limits.kinds):
        return False
    return question.task == "free" or (question.task in _CLOSED_TASKS and question.closed)
