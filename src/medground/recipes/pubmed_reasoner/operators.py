"""Searching: MeSH terms and a query for a question, and a critique of both based on what the query finds.

Source: PubMed Reasoner, section 3.1. Each operator names its equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from medground.language import drafting
from medground.models.operators.base import FewWords, InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.models.operators.reading import DATA_RULE
from medground.recipes.pubmed_reasoner import critique

QUERY_RULES = (
    'Write PubMed syntax: headings as "Heading"[mesh], other words as word[tiab] or "a phrase"[tiab]. Join ideas that '
    "must all be present with AND; put interchangeable names of one idea in parentheses, joined with OR. Add no dates. "
)


class Candidate(OperatorInput):
    """A MeSH heading with the reason why it is there."""

    heading: Untrusted
    rationale: Untrusted = ""


class Signal(OperatorInput):
    """Title and abstract of a record that the query found: all that the critic sees (Eq. 5)."""

    title: Untrusted
    abstract: Untrusted


class MeshTermsInput(OperatorInput):
    question: Untrusted
    most: int | None = None
    """Most headings to name; None for as many as bear on the question."""


MOST_TERMS = 60
"""Longest list of headings that is read, so that a weak model's list ends: twice what any article of PubMedQA has."""


class ProposedTerm(OperatorOutput):
    heading: str = Field(min_length=1, max_length=200, description="a MeSH heading")
    rationale: FewWords = Field(default="", description="why it bears on the question, in a few words")


class MeshTermsOutput(OperatorOutput):
    terms: tuple[ProposedTerm, ...] = Field(max_length=MOST_TERMS)


mesh_terms = Operator(
    name="mesh_terms",
    instructions=(
        "Propose MeSH headings with which the literature on this biomedical question is indexed: its conditions, "
        "interventions, populations, mechanisms and outcomes. Be broad, a later step selects; `most`, where it is a "
        "number, is the most to name. Give each with the reason in a few words. " + DATA_RULE
    ),
    input=MeshTermsInput,
    output=MeshTermsOutput,
    writes_queries=True,
    keyless=lambda value: MeshTermsOutput(
        terms=tuple(
            ProposedTerm(heading=h, rationale=r)
            for h, r in drafting.propose(value.question)[: min(value.most or MOST_TERMS, MOST_TERMS)]
        )
    ),
)


class SelectTermsInput(OperatorInput):
    question: Untrusted
    candidates: tuple[Candidate, ...]


class SelectTermsOutput(OperatorOutput):
    selected: tuple[str, ...] = Field(description="headings to keep, most important first, each as it was given")


def _selected_known(value: SelectTermsInput, output: SelectTermsOutput) -> None:
    _only(output.selected, (c.heading for c in value.candidates))


select_terms = Operator(
    name="select_terms",
    instructions=(
        "From proposed MeSH headings keep those that a librarian would search this question with: sure to be "
        "headings, with a good reason, and close to what is asked. Drop broad ones that a narrower one covers. "
        + DATA_RULE
    ),
    input=SelectTermsInput,
    output=SelectTermsOutput,
    writes_queries=True,
    keyless=lambda value: SelectTermsOutput(
        selected=drafting.select(value.question, tuple(c.heading for c in value.candidates))
    ),
    check=_selected_known,
    choices=lambda value: {"selected": tuple(c.heading for c in value.candidates)},
)


class DraftQueryInput(OperatorInput):
    question: Untrusted
    terms: tuple[Candidate, ...]


class QueryOutput(OperatorOutput):
    query: str = Field(min_length=1, max_length=2000, description="one PubMed query")
    rationale: FewWords = Field(default="", description="in a few words")


draft_query = Operator(
    name="draft_query",
    instructions="Write one PubMed query for this question from the given headings. " + QUERY_RULES + DATA_RULE,
    input=DraftQueryInput,
    output=QueryOutput,
    writes_queries=True,
    keyless=lambda value: QueryOutput(query=drafting.draft(value.question, tuple(t.heading for t in value.terms))),
)


class CritiqueInput(OperatorInput):
    question: Untrusted
    terms: tuple[Candidate, ...]
    signals: tuple[Signal, ...]
    query: Untrusted


class TermVerdict(OperatorOutput):
    heading: str
    verdict: bool
    rationale: FewWords = Field(default="", description="in a few words")
    linkage: Literal["AND", "OR", "drop", ""] = Field(default="", description="how the term should join the query")


class CritiqueOutput(OperatorOutput):
    verdicts: tuple[TermVerdict, ...] = Field(description="one for each term")


def _each_term(value: CritiqueInput, output: CritiqueOutput) -> None:
    given = {t.heading for t in value.terms}
    said = {v.heading for v in output.verdicts}
    if said != given:
        wrong = "; ".join(sorted(given ^ said))[:300]
        raise InvalidOutput(f"give one verdict for each term and none for others; missing or not a term: {wrong}")


def _criticises(name: str, judge: critique.Judge, instructions: str) -> Operator[CritiqueInput, CritiqueOutput]:
    return Operator(
        name=name,
        instructions=instructions + DATA_RULE,
        input=CritiqueInput,
        output=CritiqueOutput,
        writes_queries=True,
        keyless=lambda value: _verdicts(value, judge),
        check=_each_term,
        choices=lambda value: {"heading": tuple(t.heading for t in value.terms)},
    )


coverage = _criticises(
    "coverage",
    critique.coverage,
    "For each MeSH term say whether the idea it stands for appears in the titles and abstracts that the query found "
    "(verdict true), with the reason. ",
)

alignment = _criticises(
    "alignment",
    critique.alignment,
    "For each MeSH term say whether the records found that are about it help with the question (verdict true) or lead "
    "away from it, with the reason. ",
)

redundancy = _criticises(
    "redundancy",
    critique.redundancy,
    "For each MeSH term say whether it is superfluous beside the others in the query (verdict true): it repeats one, "
    "or a narrower or broader one already says it. Say also how it should join the query: AND for an idea that must be "
    "present, OR with its near synonyms, drop when it is not needed. ",
)


class Feedback(OperatorInput):
    """What the critic said of one term."""

    heading: Untrusted
    covered: bool
    aligned: bool
    redundant: bool
    linkage: str = ""
    rationale: Untrusted = ""


class UpdateTermsInput(OperatorInput):
    question: Untrusted
    feedback: tuple[Feedback, ...]
    signals: tuple[Signal, ...]


update_terms = Operator(
    name="update_terms",
    instructions=(
        "Revise the MeSH terms of a search after its critique. Keep terms that are covered and aligned, replace those "
        "that are not by better headings, merge or drop redundant ones, and add a heading when a main idea of the "
        "question has none. " + DATA_RULE
    ),
    input=UpdateTermsInput,
    output=MeshTermsOutput,
    writes_queries=True,
    keyless=lambda value: MeshTermsOutput(
        terms=tuple(
            ProposedTerm(heading=h, rationale=r)
            for h, r in critique.update(
                value.question, [(f.heading, f.covered, f.aligned, f.redundant) for f in value.feedback]
            )[:MOST_TERMS]
        )
    ),
)


class Tried(OperatorInput):
    """A query of this search and how many records it found, capped at the depth of the search."""

    query: Untrusted
    found: int


class RefineQueryInput(OperatorInput):
    question: Untrusted
    terms: tuple[Candidate, ...]
    signals: tuple[Signal, ...]
    history: tuple[Tried, ...]
    missing: Untrusted = ""
    """What the evidence read so far does not address; empty before anything is read."""


refine_query = Operator(
    name="refine_query",
    instructions=(
        "Write one better PubMed query for this question from the revised headings. Do not repeat a query of the "
        "history. Found too little: fewer ideas joined with AND, or more names joined with OR. Found what is off the "
        "point: one more idea joined with AND. Where `missing` is given, aim the query at what is missing. "
        + QUERY_RULES
        + DATA_RULE
    ),
    input=RefineQueryInput,
    output=QueryOutput,
    writes_queries=True,
    keyless=lambda value: QueryOutput(
        query=critique.refine(
            value.question, tuple(t.heading for t in value.terms), [(t.query, t.found) for t in value.history]
        )
    ),
)


def _verdicts(value: CritiqueInput, judge: critique.Judge) -> CritiqueOutput:
    headings = tuple(t.heading for t in value.terms)
    judged = judge(value.question, headings, [f"{s.title} {s.abstract}" for s in value.signals])
    return CritiqueOutput(
        verdicts=tuple(
            TermVerdict(heading=h, verdict=said, rationale=why) for h, (said, why) in zip(headings, judged, strict=True)
        )
    )


def _only(used: Iterable[str], known: Iterable[str]) -> None:
    allowed = set(known)
    if unknown := [u for u in used if u not in allowed]:
        raise InvalidOutput(f"{unknown[0][:80]!r} was not proposed; use headings as they were given")


QUERYING: tuple[Operator[Any, Any], ...] = (mesh_terms, select_terms, draft_query)
"""The operators that turn a question into a first PubMed query."""

CRITICISING: tuple[Operator[Any, Any], ...] = (coverage, alignment, redundancy, update_terms, refine_query)
"""The operators that criticise a query and write a better one, one for each equation."""
