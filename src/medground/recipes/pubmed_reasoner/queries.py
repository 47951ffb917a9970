"""From a question to MeSH terms and a first query.

Source: PubMed Reasoner, section 3.1, Eq. 1 to 3; every query is then normalised (Eq. 11).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from medground.answering.run import Run
from medground.language import drafting
from medground.language.requests import stated
from medground.models.operators import prose
from medground.models.operators.base import FewWords, Operator, QuestionInput, operator
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.recipes.base import fused
from medground.recipes.pubmed_reasoner import operators
from medground.recipes.settings import PubMedReasonerSettings
from medground.sources.pubmed.query import PubMedQuery
from medground.values.document import Hit
from medground.values.lookup import Lookup
from medground.values.query import Everything, Filters, all_of
from medground.values.question import Question
from medground.values.steps import QueryWritten

_NO_SUBJECT = "the query has no subject term, so the words of the question are searched instead"


async def propose_terms(question: Question, run: Run) -> list[operators.Candidate]:
    """Candidate headings with reasons (Eq. 1)."""
    most = run.settings.section(PubMedReasonerSettings).terms
    return candidates(await run.ask(operators.mesh_terms, operators.MeshTermsInput(question=question.text, most=most)))


def candidates(output: operators.MeshTermsOutput) -> list[operators.Candidate]:
    """The terms that a model named, each once."""
    distinct = {term.heading: term.rationale for term in output.terms}
    return [operators.Candidate(heading=heading, rationale=rationale) for heading, rationale in distinct.items()]


async def choose_terms(
    question: Question, proposed: Sequence[operators.Candidate], run: Run
) -> list[operators.Candidate]:
    """The candidates to search with, most important first (Eq. 2)."""
    if not proposed:
        return []
    output = await run.ask(
        operators.select_terms, operators.SelectTermsInput(question=question.text, candidates=tuple(proposed))
    )
    known, most = {one.heading: one for one in proposed}, run.settings.section(PubMedReasonerSettings).terms
    return [known[heading] for heading in dict.fromkeys(output.selected)][:most]


async def first_query(question: Question, terms: Sequence[operators.Candidate], run: Run) -> PubMedQuery:
    """The first query (Eq. 3), normalised (Eq. 11)."""
    output = await run.ask(operators.draft_query, operators.DraftQueryInput(question=question.text, terms=tuple(terms)))
    return normalised(output.query, run)


def normalised(text: str, run: Run) -> PubMedQuery:
    """A valid query from whatever was written (Eq. 11). The trace records the repairs.

    A query without a subject term would match every record, so the words of the question are searched instead.
    """
    today = run.now().date()
    result = normalize(text, today=today)
    notes = result.notes
    if isinstance(result.query, Everything):
        result = normalize(run.question.text, today=today)
        notes = (*notes, _NO_SUBJECT, *result.notes)
    with run.step(QueryWritten(before=text, after=result.text, notes=notes)):
        return PubMedQuery(result.text, result.query)


@dataclass(frozen=True)
class QueryResult:
    """What a query found: ranked hits, and titles and abstracts of the first documents (Eq. 4 and 5)."""

    hits: tuple[Hit, ...]
    signals: tuple[operators.Signal, ...]

    @property
    def documents(self) -> int:
        """Number of documents found."""
        return len({hit.passage.document_id for hit in self.hits})


def dated(question: Question, run: Run) -> Question:
    """The question, limited to the years that its text states, which the answer shows.

    It is unchanged if it has limits, or `pubmed_reasoner.dates` is off.
    """
    asked, wanted = question.filters, run.settings.section(PubMedReasonerSettings).dates
    if not wanted or any((asked.year_from, asked.year_to, asked.date_from, asked.date_to)):
        return question
    if (found := stated(question.text, run.now().year)) is None:
        return question
    run.warn(found.note)
    limits = asked.replace(year_from=found.first, year_to=found.last)
    return question.replace(filters=limits)


async def search(question: Question, query: PubMedQuery, run: Run) -> QueryResult:
    """Search, and get titles and abstracts of the first documents; nothing else is read (Eq. 4 and 5)."""
    choices = run.settings.section(PubMedReasonerSettings)
    hits = fused(await run.look_up(lookup_of(question, query, run)), run)
    first = list(dict.fromkeys(h.passage.document_id for h in hits))[: choices.signals]
    await run.retrieve(first)
    documents = [run.ledger.documents[i] for i in first if i in run.ledger.documents]
    signals = tuple(operators.Signal(title=d.title, abstract=d.text[: choices.signal_length]) for d in documents)
    return QueryResult(hits, signals)


def lookup_of(question: Question, query: PubMedQuery, run: Run) -> Lookup:
    """The query with the question's years, as the answer lists it.

    Sources get the user's own limits as filters; those that only the text of the question states join the query.
    """
    asked = question.filters
    years = Filters(year_from=asked.year_from, year_to=asked.year_to).as_query()
    dated = query.tree if years is None else all_of([query.tree, years])
    stated_only = question.filters != run.question.filters
    return Lookup(asked=dated if stated_only else query.tree, text=question.text, shown=to_pubmed(dated))


Score = Literal[1, 0, -1]
"""1: good; 0: not good; -1: nothing was found that could tell."""


def _headings(question: str) -> tuple[str, ...]:
    return drafting.select(question, [heading for heading, _ in drafting.propose(question)])


class WriteQueryInput(QuestionInput):
    """A question to search for."""


def _read_query(value: WriteQueryInput, text: str) -> operators.QueryOutput:
    """The reply to the query generation prompt (appendix E)."""
    return operators.QueryOutput(query=prose.in_words(prose.in_json(text), "query")[: operators.LONGEST_QUERY])


@operator(writes_queries=True, reads=_read_query)
def write_query(value: WriteQueryInput) -> operators.QueryOutput:
    """The headings that the question names, joined."""
    plain = value.asked.plain
    return operators.QueryOutput(query=drafting.draft(plain, _headings(plain)))


class SelfCriticInput(QuestionInput):
    signals: tuple[operators.Signal, ...]
    history: tuple[operators.Tried, ...]
    """The queries so far; the last is the one whose records are shown."""


class SelfCriticOutput(operators.QueryOutput):
    coverage: Score = Field(description="1 if the records represent the ideas of the question")
    coverage_advice: FewWords = ""
    alignment: Score = Field(description="1 if the records are about the question")
    alignment_advice: FewWords = ""
    redundancy: Score = Field(description="1 if no term of the query overlaps another, is needless or unintended")
    redundancy_advice: FewWords = ""


def _read_critique(value: SelfCriticInput, text: str) -> SelfCriticOutput:
    """The reply to the self-critic prompt (appendix E); a signal that it does not give is not known (-1)."""
    found = prose.in_json(text)
    feedback = found.get("feedback")
    given = feedback if isinstance(feedback, dict) else found
    signals: dict[str, Any] = {}
    for name in ("coverage", "alignment", "redundancy"):
        signals[name] = mark if (mark := given.get(name)) in (1, 0, -1) else -1
        signals[f"{name}_advice"] = prose.in_words(given, f"{name}_suggestion", needed=False)
    return SelfCriticOutput(query=prose.in_words(found, "query")[: operators.LONGEST_QUERY], **signals)


@operator(writes_queries=True, reads=_read_critique)
def self_critic(value: SelfCriticInput) -> SelfCriticOutput:
    """The three marks by words, and the query as it is refined by words."""
    headings = _headings(value.question)
    texts = [f"{s.title} {s.abstract}" for s in value.signals]
    refined = operators.refined_by_words(value.question, headings, value.history)
    if not texts:
        return SelfCriticOutput(query=refined, coverage=-1, alignment=-1, redundancy=-1)
    covered = all(said for said, _ in operators.judge_coverage(value.question, headings, texts))
    aligned = any(said for said, _ in operators.judge_alignment(value.question, headings, texts)) or not headings
    needless = any(said for said, _ in operators.judge_redundancy(value.question, headings, texts))
    return SelfCriticOutput(query=refined, coverage=int(covered), alignment=int(aligned), redundancy=int(not needless))


AT_ONCE: tuple[Operator[Any, Any], ...] = (write_query, self_critic)
"""The operators that write and criticise a query in one call each."""


def at_once(run: Run) -> bool:
    """Whether a query is written in one call and criticised in one, not by equation."""
    chosen = run.settings.section(PubMedReasonerSettings).one_call
    return run.answerer(self_critic).is_model if chosen is None else chosen
