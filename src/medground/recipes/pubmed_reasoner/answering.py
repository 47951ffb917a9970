"""Summarising the evidence, answering from that summary, and the baselines' operators: recall and reflection."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import Field

from medground.language import drafting
from medground.models.operators import base, writing
from medground.recipes.pubmed_reasoner.operators import unsupported_headings
from medground.values.question import Option, Task


class SummariseInput(base.OperatorInput):
    question: base.Untrusted
    evidence: tuple[base.EvidenceView, ...]


class Observation(base.OperatorOutput):
    text: str = Field(min_length=1, max_length=1200, description="one observation, in one sentence")
    evidence: tuple[str, ...] = Field(min_length=1, description="ids of the quotes of one article that show it")


class SummariseOutput(base.OperatorOutput):
    observations: tuple[Observation, ...]


@base.operator(
    check=lambda value, output: base.only_known(
        (e for one in output.observations for e in one.evidence), (e.id for e in value.evidence), "evidence"
    ),
    choices=lambda value: {"evidence": tuple(e.id for e in value.evidence)},
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


class RespondInput(base.AskedInput):
    question: base.Untrusted
    task: Task
    options: tuple[Option, ...] = ()
    summary: tuple[ObservationView, ...]
    sentences: int = 3


def _cited(value: RespondInput) -> Iterator[str]:
    return (e for o in value.summary for e in o.evidence)


class SampledRespondInput(RespondInput):
    """One of several responses to the same: `sample` tells it from the others, also in the cache."""

    sample: int


@base.operator(
    check=lambda value, output: writing.check_written(value, _cited(value), output.sentences, output),
    choices=lambda value: writing.written_choices(value, dict.fromkeys(_cited(value))),
    streamed="sentences",
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


class RecallInput(base.OperatorInput):
    question: base.Untrusted
    task: Task
    options: tuple[Option, ...] = ()


@base.operator(
    check=lambda value, output: writing.check_written(value, (), output.sentences, output),
    choices=lambda value: writing.written_choices(value, ()),
)
def recall(value: RecallInput) -> writing.WriteOutput:
    """Nothing: without a model nobody remembers."""
    return writing.WriteOutput(sentences=(), answer=())


MOST_GAPS = 8
"""Without a limit, a weak model lists gaps until its output is cut off."""


class ReflectInput(base.AskedInput):
    question: base.Untrusted
    answer: base.Untrusted
    summary: tuple[ObservationView, ...]
    history: tuple[base.Untrusted, ...]


class ReflectOutput(base.OperatorOutput):
    gaps: tuple[base.FewWords, ...] = Field(
        max_length=MOST_GAPS, description="claims or ideas that the summary does not support; empty when none"
    )
    query: str = Field(default="", max_length=2000, description="one new PubMed query for the gaps; empty when none")


@base.operator(writes_queries=True)
def reflect(value: ReflectInput) -> ReflectOutput:
    """Headings of the question that no observation mentions, and a query for them."""
    gaps = unsupported_headings(value.question, [o.text for o in value.summary])
    query = drafting.draft(value.asked.plain, gaps, core=1) if gaps else ""
    return ReflectOutput(gaps=tuple(gaps[:MOST_GAPS]), query="" if query in value.history else query)
