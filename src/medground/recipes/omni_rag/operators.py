"""Planning sources: queries for each source, terms for a graph, and a passage in the style of a source.

Source: Omni-RAG, section 4.1, prompts E.2, E.5, E.6 and E.7. The instructions are in our own words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Annotated, Protocol

from pydantic import BeforeValidator, Field

from medground.graph.base import asked_for, says, without_cues
from medground.language import words
from medground.models.operators import base, prose
from medground.models.operators.reasoning import ReasonInput, ReasonOutput, SubClaim, best_quotes, reason
from medground.recipes.model_fields import list_of, one_line
from medground.recipes.omni_rag import by_words as keyless
from medground.recipes.omni_rag.by_words import graph_terms
from medground.recipes.omni_rag.read_plan import read_plan
from medground.values.document import AtLeastOne, SourceKind
from medground.values.grouping import grouped
from medground.values.question import Option

_LONGEST = 200
"""Most characters of a query."""
_MOST = 12
"""Most queries of a source that are read at all; a weak model repeats itself without end."""
MOST_TERMS = 3
"""Most terms for a graph: fewer than 4 (E.5)."""


class ExploredSource(base.OperatorInput):
    """A source as a planner sees it. A query of a `graph` has a term too: the concept that is looked up."""

    name: str
    kind: SourceKind
    about: base.Untrusted


class PlanSourcesInput(base.QuestionInput):
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    most: AtLeastOne = 3


Text = Annotated[str, BeforeValidator(one_line(_LONGEST)), Field(max_length=_LONGEST)]


class PlannedQuery(base.OperatorOutput):
    term: Text = Field(default="", description="of a graph only: the medical concept to look up")
    text: Text = Field(default="", description="the words to search for")


class PlannedQueries(base.OperatorOutput):
    source: str = Field(description="the name of the source")
    queries: Annotated[tuple[PlannedQuery, ...], BeforeValidator(list_of("text", _MOST))] = Field(
        max_length=_MOST, description="the queries for it; none where it is not needed"
    )


class PlanSourcesOutput(base.OperatorOutput):
    plan: tuple[PlannedQueries, ...] = Field(description="the sources to search, one entry each")


class TaggedPlan(base.PlainOutput):
    """A plan as text: one tag for each source. `plan.sources.read_plan` reads it."""


class Planned(Protocol):
    """What a plan is asked with."""

    @property
    def sources(self) -> tuple[ExploredSource, ...]: ...
    @property
    def most(self) -> int: ...


def read_tags(value: Planned, text: str) -> PlanSourcesOutput:
    """A plan in the tags of prompts E.7 and E.8. Raises InvalidOutput: it names no source."""
    read = read_plan(text, value.sources, value.most)
    if read.unread:
        raise base.InvalidOutput(_no_source(value.sources))
    asked = read.plan.queries.items()
    return planned_queries(
        [keyless.Sought(name, query.text, query.term) for name, queries in asked for query in queries],
        value.sources,
        value.most,
    )


def _no_source(sources: Sequence[ExploredSource]) -> str:
    return f"no source is named; write one tag for each source: {', '.join(f'<{source.name}>' for source in sources)}"


@base.operator(
    writes_queries=True,
    choices=lambda value: {"source": tuple(source.name for source in value.sources)},
    reads=read_tags,
)
def plan_sources(value: PlanSourcesInput) -> PlanSourcesOutput:
    """Few sources: research, and one more."""
    sources = [(source.name, source.kind) for source in value.sources]
    chosen = keyless.plan(value.question, sources, options=[option.text for option in value.options])
    return planned_queries(chosen, value.sources, value.most)


def planned_queries(
    chosen: Sequence[keyless.Sought], sources: Sequence[ExploredSource], most: int
) -> PlanSourcesOutput:
    """Queries as a plan of all these sources, at most `most` for each; those that are too long are cut at a word."""
    written: dict[str, list[PlannedQuery]] = {source.name: [] for source in sources}
    for one in chosen:
        written[one.source].append(PlannedQuery(term=_cut(one.term), text=_cut(one.text)))
    queries = {name: tuple(own[:most]) for name, own in written.items()}
    return PlanSourcesOutput(plan=tuple(PlannedQueries(source=name, queries=own) for name, own in queries.items()))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(maxsplit=1)[0]


def _keyless_tagged(value: PlanSourcesInput) -> TaggedPlan:
    from medground.values.source_plan import SourcePlan, SourceQuery, tagged

    planned = plan_sources.keyless(value).plan
    plan = {p.source: tuple(SourceQuery(text=q.text, term=q.term) for q in p.queries) for p in planned}
    return TaggedPlan(text=tagged(SourcePlan(queries=plan), tuple(source.name for source in value.sources)))


def _names_a_source(value: PlanSourcesInput, output: TaggedPlan) -> None:
    said = output.text.casefold().replace("&lt;", "<").replace(" ", "")
    if not any(f"<{source.name}" in said for source in value.sources):
        raise base.InvalidOutput(_no_source(value.sources))


plan_sources_tagged = base.Operator(
    name=plan_sources.name,
    instructions=base.prompt("plan_sources_tagged"),
    input=PlanSourcesInput,
    output=TaggedPlan,
    writes_queries=True,
    keyless=_keyless_tagged,
    check=_names_a_source,
)
"""`plan_sources` as plain text, the form that planners are trained on."""


class NameTermsInput(base.QuestionInput):
    options: tuple[Option, ...] = ()


class NameTermsOutput(base.OperatorOutput):
    terms: tuple[str, ...] = Field(description="at most three medical terms, as a vocabulary would list them")


def _read_terms(value: NameTermsInput, text: str) -> NameTermsOutput:
    """The reply to prompt E.5, whose terms commas or semicolons part."""
    terms = (one.strip() for one in re.split("[,;]", prose.in_tag(text, "term")))
    return NameTermsOutput(terms=tuple(filter(None, terms)))


@base.operator(writes_queries=True, reads=_read_terms)
def name_terms(value: NameTermsInput) -> NameTermsOutput:
    """What the question names, as a graph would list it."""
    return NameTermsOutput(terms=graph_terms(value.question)[:MOST_TERMS])


class WritePassageInput(base.QuestionInput):
    options: tuple[Option, ...] = ()
    source: ExploredSource
    words: AtLeastOne = 200


class WritePassageOutput(base.OperatorOutput):
    passage: str = Field(description="the passage; empty where you cannot write one")


def _read_passage(value: WritePassageInput, text: str) -> WritePassageOutput:
    """The reply to prompt E.6."""
    return WritePassageOutput(passage=prose.in_tag(text, "passage"))


@base.operator(writes_queries=True, reads=_read_passage)
def write_passage(value: WritePassageInput) -> WritePassageOutput:
    """Word statistics write no passage: they would have nothing to write but the question."""
    return WritePassageOutput(passage="")


class ReadSourcesInput(ReasonInput):
    words: AtLeastOne = 100


_MOST_LINES = 3
"""Most lines of a graph in an answer without a model."""
_FAR_BEHIND = 4.0
"""A sentence this much weaker than the best, as a logarithm, waits until nothing better is left, whatever its kind."""


def _read_by_words(value: ReasonInput) -> ReasonOutput:
    """The best sentences of each kind of source by turns, then the lines of a graph that bear on the question."""
    kinds = grouped((passage.kind, passage) for passage in _on_subject(value) if passage.kind != "graph")
    strengths = {sentence.id: sentence.strength or 0.0 for passage in value.passages for sentence in passage.sentences}
    chosen = [best_quotes(value.replace(passages=tuple(own)), value.sentences) for own in kinds.values()]
    chosen = sorted(filter(None, chosen), key=lambda claims: -strengths[claims[0].sentences[0]])
    turns = [claim for turn in zip_longest(*chosen) for claim in turn if claim is not None]
    best = max((strengths[claim.sentences[0]] for claim in turns), default=0.0)
    turns.sort(key=lambda claim: strengths[claim.sentences[0]] < best - _FAR_BEHIND)
    different = tuple({claim.text: claim for claim in turns}.values())
    return ReasonOutput(claims=(*different[: value.sentences], *_graph_lines(value)), answer=())


def _on_subject(value: ReasonInput) -> list[base.SentencedPassage]:
    """The passages that mention the rarest name of the question; all of them where none does.

    Over all kinds together, so that a kind that has nothing on the subject is not quoted for its own sake.
    """
    name = value.asked.rarest_name
    naming = [
        passage
        for passage in value.passages
        if words.mentions(" ".join([passage.title, *(sentence.text for sentence in passage.sentences)]), name)
    ]
    return naming or list(value.passages)


def _graph_lines(value: ReasonInput) -> Iterator[SubClaim]:
    """Lines that share a word with the question beside their concept's name; else those of the kind that is asked for.

    Where only the concept is asked about, every line bears on it. A number is not such a word.
    """
    lines = [
        passage.replace(id=line.id, sentences=(line,))
        for passage in value.passages
        if passage.kind == "graph"
        for line in passage.sentences
    ]
    wanted, about = asked_for(value.question), words.topic(without_cues(value.question))
    said = {line.id: frozenset(words.terms(line.sentences[0].text)) for line in lines}
    beyond = {line.id: {t for t in about - set(words.terms(line.title)) if not t[0].isdigit()} for line in lines}
    sharing = [line for line in lines if beyond[line.id] & said[line.id]]
    of_kind = [line for line in lines if says(said[line.id], wanted)]
    all_about = [] if wanted else [line for line in lines if about and not beyond[line.id]]
    for line in (sharing or of_kind or all_about)[:_MOST_LINES]:
        yield SubClaim(text=line.sentences[0].text[:1200], sentences=(line.sentences[0].id,))


read_sources = replace(reason, name="read_sources", instructions="", input=ReadSourcesInput, keyless=_read_by_words)
