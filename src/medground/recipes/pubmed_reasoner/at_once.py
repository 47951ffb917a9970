"""Searching with one call for a query and one call for its critique, in place of one call for each equation.

Source: PubMed Reasoner, appendix E (query generation prompt, self-critic prompt). Its cost in Table 3 was measured so.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from medground.language import drafting
from medground.models.operators.base import FewWords, Operator, OperatorInput, Untrusted
from medground.models.operators.reading import DATA_RULE
from medground.recipes.pubmed_reasoner import critique
from medground.recipes.pubmed_reasoner.operators import QueryOutput, Signal, Tried

_RULES = (
    'Headings come first, each as "Heading"[mesh]; then dates, only if the question names some, as YYYY:YYYY[pdat]; '
    "then other words, without a tag. Join ideas that must all be present with AND. "
)

Score = Literal[1, 0, -1]
"""1: good; 0: not good; -1: nothing was found that could tell."""


class WriteQueryInput(OperatorInput):
    question: Untrusted


write_query = Operator(
    name="write_query",
    instructions=(
        "Turn this biomedical question into one PubMed query, with the MeSH headings that its literature is indexed "
        "with. " + _RULES + "Use no operator other than AND. " + DATA_RULE
    ),
    input=WriteQueryInput,
    output=QueryOutput,
    writes_queries=True,
    keyless=lambda value: QueryOutput(query=drafting.draft(value.question, _headings(value.question))),
)


class SelfCriticInput(OperatorInput):
    question: Untrusted
    signals: tuple[Signal, ...]
    history: tuple[Tried, ...]
    """The queries so far; the last is the one whose records are shown."""


class SelfCriticOutput(QueryOutput):
    coverage: Score = Field(description="1 if the records represent the ideas of the question")
    coverage_advice: FewWords = ""
    alignment: Score = Field(description="1 if the records are about the question")
    alignment_advice: FewWords = ""
    redundancy: Score = Field(description="1 if no term of the query overlaps another, is needless or unintended")
    redundancy_advice: FewWords = ""


self_critic = Operator(
    name="self_critic",
    instructions=(
        "You plan a PubMed search. Below are a biomedical question, the titles and abstracts that the last query of "
        "the history found, and that history. Score the last query: coverage (do the records represent the ideas of "
        "the question?), alignment (are they about the question?), redundancy (1 if none of its terms is needless). "
        "Give -1 where no record is shown. Say for each, in a few words, what would improve it. Then write one "
        "improved query that does not repeat the history. "
        + _RULES
        + "Put interchangeable names of one idea in parentheses, joined with OR. "
        + DATA_RULE
    ),
    input=SelfCriticInput,
    output=SelfCriticOutput,
    writes_queries=True,
    keyless=lambda value: _by_words(value),
)


def _headings(question: str) -> tuple[str, ...]:
    return drafting.select(question, [heading for heading, _ in drafting.propose(question)])


def _by_words(value: SelfCriticInput) -> SelfCriticOutput:
    headings = _headings(value.question)
    texts = [f"{s.title} {s.abstract}" for s in value.signals]
    refined = critique.refine(value.question, headings, [(t.query, t.found) for t in value.history])
    if not texts:
        return SelfCriticOutput(query=refined, coverage=-1, alignment=-1, redundancy=-1)
    covered = all(said for said, _ in critique.coverage(value.question, headings, texts))
    aligned = any(said for said, _ in critique.alignment(value.question, headings, texts)) or not headings
    needless = any(said for said, _ in critique.redundancy(value.question, headings, texts))
    return SelfCriticOutput(query=refined, coverage=int(covered), alignment=int(aligned), redundancy=int(not needless))


AT_ONCE: tuple[Operator[Any, Any], ...] = (write_query, self_critic)
"""The operators that write and criticise a query in one call each."""
