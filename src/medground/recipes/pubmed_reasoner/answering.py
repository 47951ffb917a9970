"""Summarising the evidence, answering from that summary, and the baselines' operators: recall and reflection."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import Field

from medground.language import drafting
from medground.models.operators import base, prose, writing
from medground.recipes.pubmed_reasoner.operators import LONGEST_QUERY, unsupported_headings
from medground.values.grouping import grouped
from medground.values.question import Option, Task


class SummariseInput(base.QuestionInput):
    evidence: tuple[base.EvidenceView, ...]


class Observation(base.OperatorOutput):
    text: str = Field(min_length=1, max_length=1200, description="one observation, in one sentence")
    evidence: tuple[str, ...] = Field(min_length=1, description="ids of the quotes of one article that show it")


class SummariseOutput(base.OperatorOutput):
    observations: tuple[Observation, ...]


def _read_summary(value: SummariseInput, text: str) -> SummariseOutput:
    """The reply to the summary prompt (appendix E): a paragraph, of which each citation ends an observation."""
    ids = grouped((one.paper, one.id) for one in value.evidence)
    observations, waiting = [], list[str]()
    for said in prose.sentences(prose.in_words(prose.in_json(text), "verified_sources")):
        waiting.append(said)
        if cited := prose.papers_cited(said, ids):
            observations.append(Observation(text=" ".join(waiting)[:1200], evidence=cited))
            waiting.clear()
    if not observations:
        raise base.InvalidOutput("the paragraph has none of the citations of its sources, such as [PMID: 123]")
    return SummariseOutput(observations=tuple(observations))


@base.operator(
    reads=_read_summary,
    ids={"evidence": lambda value: (quote.id for quote in value.evidence)},
)
def summarise(value: SummariseInput) -> SummariseOutput:
    """Each quote as an observation."""
    return SummariseOutput(
        observations=tuple(Observation(text=e.quote[:1200], evidence=(e.id,)) for e in value.evidence)
    )


class ObservationView(base.OperatorInput):
    """An observation of the summary: of which paper, and the ids of the quotes behind it."""

    article: base.Untrusted
    title: base.Untrusted = ""
    year: int | None = None
    design: str = ""
    text: base.Untrusted
    evidence: tuple[str, ...]


class RespondInput(base.QuestionInput):
    task: Task
    options: tuple[Option, ...] = ()
    summary: tuple[ObservationView, ...]
    sentences: int = 3


def _cited(value: RespondInput) -> Iterator[str]:
    return (e for o in value.summary for e in o.evidence)


class SampledRespondInput(RespondInput):
    """One of several responses to the same: `sample` tells it from the others, also in the cache."""

    sample: int


class RecallInput(base.QuestionInput):
    task: Task
    options: tuple[Option, ...] = ()


def _written(value: RespondInput | RecallInput, text: str) -> writing.WriteOutput:
    """The reply to a prompt for the answer of a paper: a rationale that cites PMIDs, and the answer."""
    rationale, answer = prose.rationale_and_answer(value, text)
    summary = value.summary if isinstance(value, RespondInput) else ()
    ids = grouped((one.article, name) for one in summary for name in one.evidence)
    return writing.WriteOutput(
        sentences=tuple(
            writing.WrittenSentence(text=said, evidence=prose.papers_cited(said, ids))
            for said in prose.sentences(rationale)
        ),
        answer=answer,
        form="sentence" if answer and value.task == "free" else None,
    )


@base.operator(
    reads=_written,
    ids={"evidence": _cited},
    streamed="sentences",
    **writing.ANSWERS,
)
def respond(value: RespondInput) -> writing.WriteOutput:
    """The best quotes, word for word, and no short answer."""
    views = [base.EvidenceView(id=o.evidence[0], title=o.article, quote=o.text) for o in value.summary]
    chosen = writing.chosen_quotes(value.asked, views, value.sentences)
    return writing.WriteOutput(
        sentences=tuple(writing.WrittenSentence(text=v.quote, evidence=(v.id,)) for v in chosen), answer=()
    )


respond_openly = replace(respond, name="respond_openly", instructions=base.prompt("respond_openly"))
"""Source: PubMed Reasoner, appendix E (question answering prompt), which allows what the model knows itself."""


@base.operator(reads=_written, ids={"evidence": lambda value: ()}, **writing.ANSWERS)
def recall(value: RecallInput) -> writing.WriteOutput:
    """Nothing: without a model nobody remembers."""
    return writing.WriteOutput(sentences=(), answer=())


MOST_GAPS = 8
"""Without a limit, a weak model lists gaps until its output is cut off."""


class ReflectInput(base.QuestionInput):
    answer: base.Untrusted
    summary: tuple[ObservationView, ...]
    history: tuple[base.Untrusted, ...]


class ReflectOutput(base.OperatorOutput):
    gaps: tuple[base.FewWords, ...] = Field(
        max_length=MOST_GAPS, description="claims or ideas that the summary does not support; empty when none"
    )
    query: str = Field(
        default="", max_length=LONGEST_QUERY, description="one new PubMed query for the gaps; empty when none"
    )


def _read_reflection(value: ReflectInput, text: str) -> ReflectOutput:
    """The reply to the self-reflection prompt (appendix D), whose rationale names the gaps."""
    found = prose.in_json(text)
    gap = prose.in_words(found, "rationale", needed=False)
    return ReflectOutput(gaps=(gap,) if gap else (), query=prose.in_words(found, "query", needed=False)[:LONGEST_QUERY])


@base.operator(writes_queries=True, reads=_read_reflection)
def reflect(value: ReflectInput) -> ReflectOutput:
    """Headings of the question that no observation mentions, and a query for them."""
    gaps = unsupported_headings(value.question, [o.text for o in value.summary])
    query = drafting.draft(value.asked.plain, gaps, core=1) if gaps else ""
    return ReflectOutput(gaps=tuple(gaps[:MOST_GAPS]), query="" if query in value.history else query)
