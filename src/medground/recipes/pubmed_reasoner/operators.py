"""Searching: MeSH terms and a query for a question, and a critique of both based on what the query finds.

Source: PubMed Reasoner, section 3.1. Each operator names its equation.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from medground.language import drafting, words
from medground.language.mesh_terms import mentions
from medground.models.operators import base
from medground.pubmed.characters import fold
from medground.pubmed.mesh import vocabulary


class Candidate(base.OperatorInput):
    """A MeSH heading with the reason why it is there."""

    heading: base.Untrusted
    rationale: base.Untrusted = ""


class Signal(base.OperatorInput):
    """Title and abstract of a record that the query found: all that the critic sees (Eq. 5)."""

    title: base.Untrusted
    abstract: base.Untrusted


class MeshTermsInput(base.QuestionInput):
    most: int | None = None
    """Most headings to name; None for as many as bear on the question."""


MOST_TERMS = 60
"""Longest list of headings that is read, so that a weak model's list ends: twice what any article of PubMedQA has."""


class ProposedTerm(base.OperatorOutput):
    heading: str = Field(min_length=1, max_length=200, description="a MeSH heading")
    rationale: base.FewWords = Field(default="", description="why it bears on the question, in a few words")


class MeshTermsOutput(base.OperatorOutput):
    terms: tuple[ProposedTerm, ...] = Field(max_length=MOST_TERMS)


@base.operator(writes_queries=True)
def mesh_terms(value: MeshTermsInput) -> MeshTermsOutput:
    """The headings that the question names."""
    return MeshTermsOutput(
        terms=tuple(
            ProposedTerm(heading=h, rationale=r)
            for h, r in drafting.propose(value.asked.plain)[: min(value.most or MOST_TERMS, MOST_TERMS)]
        )
    )


class SelectTermsInput(base.QuestionInput):
    candidates: tuple[Candidate, ...]


class SelectTermsOutput(base.OperatorOutput):
    selected: tuple[str, ...] = Field(description="headings to keep, most important first, each as it was given")


@base.operator(writes_queries=True, ids={"selected": lambda value: (one.heading for one in value.candidates)})
def select_terms(value: SelectTermsInput) -> SelectTermsOutput:
    """Those that no narrower one covers, most specific first."""
    return SelectTermsOutput(selected=drafting.select(value.question, tuple(c.heading for c in value.candidates)))


LONGEST_QUERY = 2000
"""Most characters of a query."""


class DraftQueryInput(base.QuestionInput):
    terms: tuple[Candidate, ...]


class QueryOutput(base.OperatorOutput):
    query: str = Field(min_length=1, max_length=LONGEST_QUERY, description="one PubMed query")
    rationale: base.FewWords = Field(default="", description="in a few words")


@base.operator(writes_queries=True)
def draft_query(value: DraftQueryInput) -> QueryOutput:
    """The most specific headings, joined with AND."""
    return QueryOutput(query=drafting.draft(value.asked.plain, tuple(t.heading for t in value.terms)))


class CritiqueInput(base.QuestionInput):
    terms: tuple[Candidate, ...]
    signals: tuple[Signal, ...]
    query: base.Untrusted


class TermVerdict(base.OperatorOutput):
    heading: str
    verdict: bool
    rationale: base.FewWords = Field(default="", description="in a few words")
    linkage: Literal["AND", "OR", "drop", ""] = Field(default="", description="how the term should join the query")


class CritiqueOutput(base.OperatorOutput):
    verdicts: tuple[TermVerdict, ...] = Field(description="one for each term")


def _each_term(value: CritiqueInput, output: CritiqueOutput) -> None:
    given = {t.heading for t in value.terms}
    said = {v.heading for v in output.verdicts}
    if said != given:
        wrong = "; ".join(sorted(given ^ said))[:300]
        raise base.InvalidOutput(f"give one verdict for each term and none for others; missing or not a term: {wrong}")


Judge = Callable[[str, Sequence[str], Sequence[str]], list[tuple[bool, str]]]
"""Question, headings, found texts -> a verdict and its reason for each heading."""

_ALIGNED = 0.34
"""Minimum share of the question's content words in the records about a term, averaged."""


@lru_cache(maxsize=1024)
def _names(heading: str) -> tuple[str, ...]:
    found = vocabulary().find(heading)
    names = (heading, *found.entry_terms) if found else (heading,)
    return tuple(dict.fromkeys(f" {folded} " for n in names if len(folded := fold(n)) > 2))


def _naming(heading: str, texts: Sequence[str]) -> list[str]:
    """The texts in which a name of the heading appears."""
    return [text for text in texts if any(name in f" {fold(text)} " for name in _names(heading))]


def judge_coverage(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a name of the heading appears in what was found (Eq. 6)."""
    counts = [len(_naming(heading, texts)) for heading in headings]
    return [(count > 0, f"named in {count} of {len(texts)} records") for count in counts]


def judge_alignment(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether the records that name the heading share the question's words (Eq. 7)."""
    asked = words.topic(question)
    shares = [[words.coverage(asked, words.terms(text)) for text in _naming(heading, texts)] for heading in headings]
    means = [sum(each) / len(each) if each else 0.0 for each in shares]
    return [(share >= _ALIGNED, f"its records hold {share:.0%} of the question's words") for share in means]


def judge_redundancy(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a narrower term of the query already covers it (Eq. 8)."""
    known = {name: vocabulary().find(name) for name in headings}
    present = [h for h in known.values() if h is not None]
    return [
        (True, "a narrower term covers it") if heading and drafting.is_covered(heading, present) else (False, "")
        for heading in known.values()
    ]


def unsupported_headings(question: str, texts: Sequence[str]) -> list[str]:
    """Headings of the question that no text mentions: the gaps of a summary."""
    return [m.heading for m in mentions(question) if not _naming(m.heading, texts)]


def _criticises(name: str, judge: Judge) -> base.Operator[CritiqueInput, CritiqueOutput]:
    def by_words(value: CritiqueInput) -> CritiqueOutput:
        headings = tuple(t.heading for t in value.terms)
        judged = judge(value.question, headings, [f"{s.title} {s.abstract}" for s in value.signals])
        verdicts = zip(headings, judged, strict=True)
        return CritiqueOutput(
            verdicts=tuple(TermVerdict(heading=h, verdict=said, rationale=why) for h, (said, why) in verdicts)
        )

    return base.Operator(
        name=name,
        input=CritiqueInput,
        output=CritiqueOutput,
        writes_queries=True,
        keyless=by_words,
        check=_each_term,
        choices=lambda value: {"heading": tuple(t.heading for t in value.terms)},
    )


coverage = _criticises("coverage", judge_coverage)
alignment = _criticises("alignment", judge_alignment)
redundancy = _criticises("redundancy", judge_redundancy)


class Feedback(base.OperatorInput):
    """What the critic said of one term."""

    heading: base.Untrusted
    covered: bool
    aligned: bool
    redundant: bool
    linkage: str = ""
    rationale: base.Untrusted = ""


class UpdateTermsInput(base.QuestionInput):
    feedback: tuple[Feedback, ...]
    signals: tuple[Signal, ...]


@base.operator(writes_queries=True)
def update_terms(value: UpdateTermsInput) -> MeshTermsOutput:
    """Terms that are covered, aligned and not redundant, then new ones that the question names (Eq. 9)."""
    tried = [f.heading for f in value.feedback]
    good = [f.heading for f in value.feedback if f.covered and f.aligned and not f.redundant]
    usable = [f.heading for f in value.feedback if f.covered and not (f.aligned or f.redundant)]
    fresh = [m.heading for m in mentions(value.question) if m.heading not in tried]
    return MeshTermsOutput(
        terms=tuple(
            ProposedTerm(heading=name, rationale="kept" if name in tried else "the question names it")
            for name in ([*good, *usable, *fresh] or tried)[:MOST_TERMS]
        )
    )


class Tried(base.OperatorInput):
    """A query of this search and how many records it found, capped at the depth of the search."""

    query: base.Untrusted
    found: int


class RefineQueryInput(base.QuestionInput):
    terms: tuple[Candidate, ...]
    signals: tuple[Signal, ...]
    history: tuple[Tried, ...]
    missing: base.Untrusted = ""
    """What the evidence read so far does not address; empty before anything is read."""


def refined_by_words(question: str, headings: Sequence[str], history: Sequence[Tried]) -> str:
    """The next query: fewer ideas with AND if nothing was found, otherwise one more (Eq. 10)."""
    starved = bool(history) and history[-1].found == 0
    cores = (1, drafting.CORE) if starved else (drafting.CORE, drafting.CORE + 1, 1)
    drafts = [drafting.draft(question, headings, core) for core in cores]
    tried = {one.query for one in history}
    most = max(history, key=lambda one: one.found).query if history else drafting.draft(question, headings)
    return next((query for query in drafts if query not in tried), most)


@base.operator(writes_queries=True)
def refine_query(value: RefineQueryInput) -> QueryOutput:
    """Fewer ideas with AND where nothing was found, else one more."""
    return QueryOutput(query=refined_by_words(value.asked.plain, tuple(t.heading for t in value.terms), value.history))


QUERYING: tuple[base.Operator[Any, Any], ...] = (mesh_terms, select_terms, draft_query)
"""The operators that turn a question into a first PubMed query."""

CRITICISING: tuple[base.Operator[Any, Any], ...] = (coverage, alignment, redundancy, update_terms, refine_query)
"""The operators that criticise a query and write a better one, one for each equation."""
