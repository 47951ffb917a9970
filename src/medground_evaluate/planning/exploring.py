"""Exploring a knowledge base for training: queries for each source, and whether what one found supports the answer.

Source: Omni-RAG, sections 4.2.1 and 4.2.2, prompts E.3 and E.4. The instructions are in our own words.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.language import mentions, spoken, words
from medground.models import InvalidOutput, OperatorInput, OperatorOutput, Untrusted, operator
from medground.recipes import ExploredSource, read_plan
from medground.values import DocumentId, Option, SourceKind
from medground_evaluate.prompts import PROMPTS

SHARE = 0.6
"""Minimum share of the gold answer's content words, where no gold document is known."""
_LEAST = 2
"""Fewer content words say nothing, as in the gold answer "yes"."""

_FACETS: dict[SourceKind, str] = {
    "book": "definition, cause mechanism, diagnosis, treatment, complications prognosis",
    "guideline": "recommendation, treatment, symptoms, diagnosis test, prevention risk",
    "research": "patients outcome, risk association, trial comparison, effect, results",
    "wiki": "overview, causes, treatment, history, symptoms",
    "graph": "definition, is a, symptoms, treatment, causes",
    "protein": "function, interaction, disease, structure, expression",
    "web": "overview, causes, treatment, risk, symptoms",
}


def diverse(question: str, kind: SourceKind, most: int) -> list[tuple[str, str]]:
    """At most `most` different queries (term, text); the term is empty unless the source is a graph. At least one."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for term, text in _graph(question) if kind == "graph" else _texts(question, kind):
        key = frozenset(words.terms(f"{term} {text}")) or frozenset([term, text])
        if text.strip():
            found.setdefault(key, (term, text))
    return list(islice(found.values(), most)) or [("", question)]


def _texts(question: str, kind: SourceKind) -> Iterator[tuple[str, str]]:
    """The whole question, its concepts, and its concepts with what such a source tells of them, in turn."""
    content, named = _subject(question)
    concepts = named or content
    yield "", " ".join(content) or question
    facets = _FACETS[kind].split(", ")
    yield "", " ".join(concepts)
    rare = sorted(content, key=words.weight, reverse=True)[:3]
    for number, facet in enumerate(facets):
        yield "", f"{' '.join(concepts[:2] if number % 2 else rare)} {facet}"
    for concept in concepts:
        yield "", concept


def _graph(question: str) -> Iterator[tuple[str, str]]:
    """Each concept with the question's words, then with what a graph records of concepts."""
    content, named = _subject(question)
    concepts = named or sorted(content, key=words.weight, reverse=True)[:2]
    for concept in concepts:
        yield concept, " ".join(content) or question
    for facet in _FACETS["graph"].split(", "):
        for concept in concepts:
            yield concept, facet


def _subject(question: str) -> tuple[list[str], list[str]]:
    """The question's words that say what it is about, in order, and those that name a heading."""
    topic = words.topic(question)
    content = [word for word in spoken(question).split() if any(term in topic for term in words.terms(word))]
    return content, list(dict.fromkeys(mention.words for mention in mentions(question)))


QUERIES = 6
"""Queries for each source: their diversity peaks at five to six (appendix A.1)."""
MOST_EXPLORED = 12
_WORDS = 200
"""Maximum characters of a query."""
_REASON = 800
"""Maximum characters of a judge's reasoning, about 100 words."""


class ExploreInput(OperatorInput):
    question: Untrusted
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    queries_for_each: int = Field(default=QUERIES, ge=1, le=MOST_EXPLORED)


class WrittenQuery(OperatorOutput):
    term: str = Field(default="", max_length=_WORDS, description="of a graph only: the medical concept to look up")
    text: str = Field(min_length=1, max_length=_WORDS, description="the words to search for")


class SourceQueries(OperatorOutput):
    source: str = Field(description="the name of the source")
    queries: tuple[WrittenQuery, ...] = Field(min_length=1, max_length=MOST_EXPLORED)


class ExploreOutput(OperatorOutput):
    plan: tuple[SourceQueries, ...] = Field(description="one entry for each source")


def _complete(value: ExploreInput, output: ExploreOutput) -> None:
    names = {source.name for source in value.sources}
    given = {one.source for one in output.plan}
    if missing := sorted(names - given):
        raise InvalidOutput(f"no queries for {', '.join(missing)}; write queries for every source")


def _read_explored(value: ExploreInput, text: str) -> ExploreOutput:
    """The reply to prompt E.3, whose tags a planner's are (E.2)."""
    asked = read_plan(text, value.sources, value.queries_for_each).plan.queries.items()
    plan = (
        SourceQueries(source=name, queries=tuple(WrittenQuery(term=q.term, text=q.text or q.term) for q in queries))
        for name, queries in asked
        if queries
    )
    return ExploreOutput(plan=tuple(plan))


@operator(
    instructions=PROMPTS["explore"],
    writes_queries=True,
    check=_complete,
    reads=_read_explored,
    ids={"source": lambda value: (source.name for source in value.sources)},
)
def explore(value: ExploreInput) -> ExploreOutput:
    """Wordings of the question that differ most, for the kind of each source."""
    plan = []
    for source in value.sources:
        found = diverse(value.question, source.kind, value.queries_for_each)
        queries = tuple(WrittenQuery(term=term[:_WORDS], text=text[:_WORDS]) for term, text in found)
        plan.append(SourceQueries(source=source.name, queries=queries))
    return ExploreOutput(plan=tuple(plan))


class FoundView(OperatorInput):
    """A passage that the query found."""

    title: Untrusted = ""
    text: Untrusted
    document_id: DocumentId | None = Field(default=None, exclude=True)


class JudgeInput(OperatorInput):
    question: Untrusted
    options: tuple[Option, ...] = ()
    gold_answer: Untrusted
    documents: tuple[FoundView, ...]
    gold_documents: tuple[DocumentId, ...] = Field(default=(), exclude=True)


_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|$)", re.IGNORECASE | re.DOTALL)
_SAID = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_EITHER = re.compile(r"\b(?:yes\s*(?:/|or)\s*no|no\s*(?:/|or)\s*yes)\b", re.IGNORECASE)


def read_yes_no(said: Any) -> Any:
    """`yes` or `no` from what a judge wrote; what says neither, or both, is returned as it is.

    It reads the last answer tag if there is one, else the first word, else the one of the two words that occurs.
    """
    if isinstance(said, bool):
        return "yes" if said else "no"
    if not isinstance(said, str):
        return said
    tagged = _ANSWER.findall(said)
    text = _EITHER.sub(" ", tagged[-1] if tagged else said).strip(" \t\r\n\"'`*_.:")
    words = [word.lower() for word in _SAID.findall(text)]
    if words and (_SAID.match(text) or len(set(words)) == 1):
        return words[0]
    return said


class JudgeOutput(OperatorOutput):
    reason: Annotated[str, BeforeValidator(lambda said: said[:_REASON] if isinstance(said, str) else said)] = Field(
        max_length=_REASON, description="at most 100 words: what the documents say about the gold answer"
    )
    answer: Annotated[str, BeforeValidator(read_yes_no)] = Field(description="`yes` or `no`")


def _said(value: JudgeInput, output: JudgeOutput) -> None:
    if output.answer not in ("yes", "no"):
        raise InvalidOutput(f"the judgement {output.answer[:40]!r} is neither yes nor no; answer yes or no")


def _read_judgement(value: JudgeInput, text: str) -> JudgeOutput:
    """The reply to prompt E.4: a reason, then `<answer>yes</answer>`."""
    return JudgeOutput(reason=text.partition("<answer>")[0].strip(), answer=text)


@operator(
    instructions=PROMPTS["judge_found"],
    check=_said,
    choices=lambda value: {"answer": ("yes", "no")},
    reads=_read_judgement,
)
def judge_found(value: JudgeInput) -> JudgeOutput:
    """`yes`, `no`, or nothing where neither ids nor words can tell; and why."""
    if value.gold_documents:
        found = [document.document_id for document in value.documents if document.document_id in value.gold_documents]
        why = f"the gold document {found[0]} was found" if found else "no gold document was found"
        return JudgeOutput(reason=f"without a model: {why}", answer="yes" if found else "no")
    wanted = frozenset(words.terms(value.gold_answer)) - frozenset(words.terms(value.question))
    if len(wanted) < _LEAST:
        why = "the gold answer has too few words to look for, and no gold document is known"
        return JudgeOutput(reason=f"without a model: {why}", answer="")
    there = frozenset(term for document in value.documents for term in words.terms(f"{document.title} {document.text}"))
    share = len(wanted & there) / len(wanted)
    why = f"{share:.0%} of the gold answer's own content words occur in what was found"
    return JudgeOutput(reason=f"without a model: {why}", answer="yes" if share >= SHARE else "no")
