"""Search critique: judge each MeSH term from titles and abstracts alone, then write a better query.

Source: PubMed Reasoner, section 3.1, Eq. 6 to 11; in one call as in appendix E (`at_once`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.run import Run
from medground.home.concurrency import concurrently
from medground.recipes.pubmed_reasoner import operators, queries
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery, headings_of, relaxed, same
from medground.values.question import Question
from medground.values.steps import QueryWritten

_CRITIQUE, _BETTER = "the critique of the query", "the better query"
"""Parts of the work, as a warning names them."""


@dataclass(frozen=True)
class Critique:
    """What the critic said of a query: the shares of its terms that the records cover, whose records help with the
    question, and that are needless, 0 to 1; the verdicts by term, or the better query of the same call.
    """

    covered: float
    aligned: float
    redundant: float
    feedback: tuple[operators.Feedback, ...] = ()
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
    """A query of the loop: as it was written, with the number of documents that it finds so, and as it was searched,
    perhaps wider, with what that found. `critique` is None before it was judged.
    """

    written: PubMedQuery
    found: int
    query: PubMedQuery
    result: queries.QueryResult
    critique: Critique | None = None

    def asked(self, query: PubMedQuery) -> bool:
        """Whether this query was written or searched."""
        return same(query.tree, self.written.tree) or same(query.tree, self.query.tree)

    @property
    def tried(self) -> tuple[operators.Tried, ...]:
        """The attempt as the history shows it: what was written and, where it was widened, what was searched."""
        searched = operators.Tried(query=self.query.text, found=self.result.documents)
        if self.query == self.written:
            return (searched,)
        return (operators.Tried(query=self.written.text, found=self.found), searched)


async def criticised(
    question: Question, terms: Sequence[operators.Candidate], history: Sequence[Attempt], run: Run
) -> Critique:
    """Coverage, alignment and redundancy of each term, assessed concurrently (Eq. 6 to 8).

    At once (`at_once`) it is three scores of the whole query, of which not known (-1) counts as 0, and a better query.
    """
    found, query = history[-1].result, history[-1].query.text
    if queries.at_once(run):
        tried = tuple(tried for attempt in history for tried in attempt.tried)
        at_once = queries.SelfCriticInput(question=question.text, signals=found.signals, history=tried)
        said = await run.ask_for_part(queries.self_critic, at_once, _CRITIQUE)
        scores = float(said.coverage == 1), float(said.alignment == 1), float(said.redundancy == 0)
        return Critique(*scores, refined=said.query)
    if not terms:
        return Critique(0.0, 0.0, 0.0)
    value = operators.CritiqueInput(question=question.text, terms=tuple(terms), signals=found.signals, query=query)
    asked = await concurrently(
        run.ask_for_part(operator, value, _CRITIQUE)
        for operator in (operators.coverage, operators.alignment, operators.redundancy)
    )
    # Duplicates: the first verdict wins.
    covered, aligned, redundant = ({v.heading: v for v in reversed(output.verdicts)} for output in asked)
    feedback = tuple(
        operators.Feedback(
            heading=heading,
            covered=covered[heading].verdict,
            aligned=aligned[heading].verdict,
            redundant=redundant[heading].verdict,
            linkage=redundant[heading].linkage,
            rationale="; ".join(filter(None, (s[heading].rationale for s in (covered, aligned, redundant)))),
        )
        for heading in (term.heading for term in terms)
    )
    verdicts = [(f.covered, f.aligned, f.redundant) for f in feedback]
    covers, aligns, repeats = (sum(each) / len(feedback) for each in zip(*verdicts, strict=True))
    return Critique(covers, aligns, repeats, feedback=feedback)


async def refined(
    question: Question, said: Critique, history: Sequence[Attempt], run: Run
) -> tuple[Sequence[operators.Candidate], PubMedQuery]:
    """Updated terms (Eq. 9), and a query of them (Eq. 10), or the query of the critique; normalised (Eq. 11)."""
    if queries.at_once(run):
        return (), queries.normalised(said.refined, run)
    signals = history[-1].result.signals
    value = operators.UpdateTermsInput(question=question.text, feedback=said.feedback, signals=signals)
    most = run.settings.section(PubMedReasonerSettings).terms
    terms = queries.candidates(await run.ask_for_part(operators.update_terms, value, _BETTER))[:most]
    return terms, await next_query(question, terms, history, run)


async def next_query(
    question: Question, terms: Sequence[operators.Candidate], history: Sequence[Attempt], run: Run, *, missing: str = ""
) -> PubMedQuery:
    """A better query, given the earlier ones and what the evidence lacks (Eq. 10), normalised (Eq. 11)."""
    signals, tried = history[-1].result.signals, tuple(tried for attempt in history for tried in attempt.tried)
    value = operators.RefineQueryInput(
        question=question.text, terms=tuple(terms), signals=signals, history=tried, missing=missing
    )
    return queries.normalised((await run.ask_for_part(operators.refine_query, value, _BETTER)).query, run)


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


# Search, and widen a query that finds too little or whose evidence is not sufficient. Not in the paper.


async def attempt(question: Question, query: PubMedQuery, history: Sequence[Attempt], run: Run) -> Attempt:
    """Search with the query or, if it finds too little, with a wider one (step (a) of `pubmed-reasoner`).

    Candidates are only counted, so that just the query that is judged and read is searched, and nothing is searched
    twice.
    """
    choices = run.settings.section(PubMedReasonerSettings)
    if not choices.relax:
        result = await queries.search(question, query, run)
        return Attempt(query, result.documents, query, result)
    return await _widened(question, query, history, run, choices.enough)


async def step_back(question: Question, last: Attempt, missing: str, run: Run) -> Attempt | None:
    """Search once more because what was read does not suffice; None if there is no other query.

    A model that said what is missing writes a query for that. Otherwise the last query is widened.
    """
    if missing:
        terms = [operators.Candidate(heading=heading) for heading in headings_of(last.query.tree)]
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
            counted[candidate.text] = await run.count(queries.lookup_of(question, candidate, run))
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
    return Attempt(query, found, wider, await queries.search(question, wider, run))
