"""Search critique: judge each MeSH term from titles and abstracts alone, then write a better query.

Source: PubMed Reasoner, section 3.1, Eq. 6 to 11. `plan.critic_at_once` is the same in one call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.recipes.pubmed_reasoner.operators import (
    Candidate,
    CritiqueInput,
    Feedback,
    RefineQueryInput,
    Tried,
    UpdateTermsInput,
    alignment,
    coverage,
    redundancy,
    refine_query,
    update_terms,
)
from medground.recipes.pubmed_reasoner.queries import (
    QueryResult,
    SelfCriticInput,
    WriteQueryInput,
    count,
    normalised,
    self_critic,
    write_query,
)
from medground.recipes.pubmed_reasoner.queries import search as look
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery, headings_of, relaxed, same
from medground.values.question import Question
from medground.values.steps import QueryChosen, QueryWritten


@dataclass(frozen=True)
class Critique:
    """What the critic said of a query.

    Attributes:
        covered: share of its terms that the records cover, 0 to 1.
        aligned: share of its terms whose records help with the question, 0 to 1.
        redundant: share of its terms that are needless, 0 to 1.
        feedback: the verdicts by term, if each term was judged.
        refined: a better query, if the same call wrote one.
    """

    covered: float
    aligned: float
    redundant: float
    feedback: tuple[Feedback, ...] = ()
    refined: str = ""

    @property
    def quality(self) -> float:
        """Coverage plus alignment, 0 to 2. The loop continues while it grows."""
        return self.covered + self.aligned

    @property
    def faultless(self) -> bool:
        """Whether nothing is left to improve."""
        return self.quality == 2.0 and not self.redundant


@dataclass(frozen=True)
class Attempt:
    """A query of the loop.

    Attributes:
        written: the query as it was written.
        found: number of documents that the written query finds.
        query: the query that was searched: the written one, or a wider one.
        result: what it found.
        critique: what the critic said of it; None before it was judged.
    """

    written: PubMedQuery
    found: int
    query: PubMedQuery
    result: QueryResult
    critique: Critique | None = None

    def asked(self, query: PubMedQuery) -> bool:
        """Whether this query was written or searched."""
        return same(query.tree, self.written.tree) or same(query.tree, self.query.tree)

    @property
    def tried(self) -> tuple[Tried, ...]:
        """The attempt as the history shows it: what was written and, where it was widened, what was searched."""
        searched = Tried(query=self.query.text, found=self.result.documents)
        if self.query == self.written:
            return (searched,)
        return (Tried(query=self.written.text, found=self.found), searched)


class TermCritic:
    """Judges a query by what it found, and writes a better one; asks for each equation by itself.

    Both methods raise `ModelFailed` where the model gives no usable output, and so do those of `QueryCritic`.
    """

    async def critique(
        self, question: Question, terms: Sequence[Candidate], history: Sequence[Attempt], run: Run
    ) -> Critique:
        """Coverage, alignment and redundancy of each term, assessed concurrently (Eq. 6 to 8)."""
        if not terms:
            return Critique(0.0, 0.0, 0.0)
        last = history[-1]
        value = CritiqueInput(
            question=question.text, terms=tuple(terms), signals=last.result.signals, query=last.query.text
        )
        asked = await asyncio.gather(*(run.ask(operator, value) for operator in (coverage, alignment, redundancy)))
        # Duplicates: the first verdict wins.
        covered, aligned, redundant = ({v.heading: v for v in reversed(output.verdicts)} for output in asked)
        feedback = tuple(
            Feedback(
                heading=heading,
                covered=covered[heading].verdict,
                aligned=aligned[heading].verdict,
                redundant=redundant[heading].verdict,
                linkage=redundant[heading].linkage,
                rationale="; ".join(filter(None, (s[heading].rationale for s in (covered, aligned, redundant)))),
            )
            for heading in (term.heading for term in terms)
        )
        return Critique(
            covered=sum(f.covered for f in feedback) / len(feedback),
            aligned=sum(f.aligned for f in feedback) / len(feedback),
            redundant=sum(f.redundant for f in feedback) / len(feedback),
            feedback=feedback,
        )

    async def refine(
        self, question: Question, history: Sequence[Attempt], run: Run
    ) -> tuple[Sequence[Candidate], PubMedQuery]:
        """Updated terms (Eq. 9), and a query of them (Eq. 10), normalised (Eq. 11)."""
        last = history[-1]
        feedback = last.critique.feedback if last.critique else ()
        updated = await run.ask(
            update_terms, UpdateTermsInput(question=question.text, feedback=feedback, signals=last.result.signals)
        )
        distinct = {term.heading: term.rationale for term in updated.terms}
        most = run.settings.section(PubMedReasonerSettings).terms
        terms = [Candidate(heading=h, rationale=r) for h, r in distinct.items()][:most]
        return terms, await next_query(question, terms, history, run)


async def next_query(
    question: Question, terms: Sequence[Candidate], history: Sequence[Attempt], run: Run, *, missing: str = ""
) -> PubMedQuery:
    """A better query, given the earlier ones and what the evidence lacks (Eq. 10), normalised (Eq. 11)."""
    value = RefineQueryInput(
        question=question.text,
        terms=tuple(terms),
        signals=history[-1].result.signals,
        history=tuple(tried for attempt in history for tried in attempt.tried),
        missing=missing,
    )
    return normalised((await run.ask(refine_query, value)).query, run)


def converged(history: Sequence[Attempt]) -> bool:
    """Whether the last query is faultless, or no better than an earlier one."""
    *before, last = [attempt.critique for attempt in history if attempt.critique]
    return last.faultless or any(last.quality <= earlier.quality for earlier in before)


def best_attempt(history: Sequence[Attempt], enough: int) -> Attempt:
    """q*: the query that the critic judged best, then the least redundant, then the one that found the most documents.

    Documents count up to `enough`; of equals the later wins.
    """

    def merit(attempt: Attempt) -> tuple[float, float, int]:
        said = attempt.critique or Critique(0.0, 0.0, 0.0)
        return said.quality, -said.redundant, min(attempt.result.documents, enough)

    return max(reversed(history), key=merit)


def chosen(attempt: Attempt, rounds: int, run: Run) -> Attempt:
    """The attempt, after reporting that its documents are read."""
    with run.step(QueryChosen(query=attempt.query.text, rounds=rounds, documents=attempt.result.documents)):
        return attempt


# Search critique in one call: three scores of a query and the next query.


async def query_at_once(question: Question, run: Run) -> PubMedQuery:
    """The first query, without terms that are proposed and selected before (Eq. 1 to 3), normalised (Eq. 11)."""
    return normalised((await run.ask(write_query, WriteQueryInput(question=question.text))).query, run)


class QueryCritic:
    """Asks for all equations at once, and for scores of the whole query in place of verdicts by term."""

    async def critique(
        self, question: Question, terms: Sequence[Candidate], history: Sequence[Attempt], run: Run
    ) -> Critique:
        """Scores of the last query (Eq. 6 to 8), and a better query (Eq. 9 and 10). Not known (-1) counts as 0."""
        value = SelfCriticInput(
            question=question.text,
            signals=history[-1].result.signals,
            history=tuple(tried for attempt in history for tried in attempt.tried),
        )
        said = await run.ask(self_critic, value)
        return Critique(
            covered=float(said.coverage == 1),
            aligned=float(said.alignment == 1),
            redundant=float(said.redundancy == 0),
            refined=said.query,
        )

    async def refine(
        self, question: Question, history: Sequence[Attempt], run: Run
    ) -> tuple[Sequence[Candidate], PubMedQuery]:
        """The query that came with the critique, normalised (Eq. 11)."""
        last = history[-1]
        return (), normalised(last.critique.refined, run) if last.critique else last.query


# Search, and widen a query that finds too little or whose evidence is not sufficient. Not in the paper.


async def attempt(question: Question, query: PubMedQuery, history: Sequence[Attempt], run: Run) -> Attempt:
    """Search with the query or, if it finds too little, with a wider one (step (a) of `pubmed-reasoner`).

    Candidates are only counted, so that just the query that is judged and read is searched, and nothing is searched
    twice.
    """
    choices = run.settings.section(PubMedReasonerSettings)
    if not choices.relax:
        result = await look(question, query, run)
        return Attempt(query, result.documents, query, result)
    return await _widened(question, query, history, run, choices.enough)


async def step_back(question: Question, last: Attempt, missing: str, run: Run) -> Attempt | None:
    """Search once more because what was read does not suffice; None if there is no other query.

    A model that said what is missing writes a query for that. Otherwise the last query is widened.
    """
    if missing:
        terms = [Candidate(heading=heading) for heading in headings_of(last.query.tree)]
        asked = await next_query(question, terms, [last], run, missing=missing)
        again = await attempt(question, asked, [last], run)
    else:
        again = await _widened(question, last.query, [last], run, run.settings.retrieval.keep)
    return None if same(again.query.tree, last.query.tree) else again


async def _widened(
    question: Question, query: PubMedQuery, history: Sequence[Attempt], run: Run, enough: int
) -> Attempt:
    counted: dict[str, int] = {}

    async def counting(candidate: PubMedQuery) -> int:
        if candidate.text not in counted:
            counted[candidate.text] = await count(question, candidate, run)
        return counted[candidate.text]

    found = await counting(query)
    wider = query if found >= enough else await relaxed(query, counting, enough)
    if wider != query:
        note = f"the query finds {found}, fewer than {enough}, so it was widened"
        with run.step(QueryWritten(before=query.text, after=wider.text, notes=(note,))):
            pass
    for one in history:
        if same(one.query.tree, wider.tree):
            return Attempt(query, found, one.query, one.result)
    return Attempt(query, found, wider, await look(question, wider, run))
