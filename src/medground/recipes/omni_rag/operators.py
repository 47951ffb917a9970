"""Planning sources: queries for each source, terms for a graph, and a passage in the style of a source.

Source: Omni-RAG, section 4.1, prompts E.2, E.5, E.6 and E.7. The instructions are in our own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.language import words
from medground.models.operators.base import (
    InvalidOutput,
    Operator,
    OperatorInput,
    OperatorOutput,
    PlainOutput,
    Untrusted,
)
from medground.models.operators.reading import DATA_RULE
from medground.recipes.omni_rag import by_words as keyless
from medground.recipes.omni_rag.by_words import graph_terms
from medground.values.document import SourceKind
from medground.values.question import Option

_LONGEST = 200
"""Most characters of a query."""
_MOST = 12
"""Most queries of a source that are read at all; a weak model repeats itself without end."""
MOST_TERMS = 3
"""Most terms for a graph: fewer than 4 (E.5)."""


class ExploredSource(OperatorInput):
    """A source as a planner sees it. A query of a `graph` has a term too: the concept that is looked up."""

    name: str
    kind: SourceKind
    about: Untrusted


class PlanSourcesInput(OperatorInput):
    question: Untrusted
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    most: int = Field(default=3, ge=1)


def _text(said: Any) -> Any:
    """A text as models write it: null for none, or too long. Cutting is cheaper than asking again."""
    return "" if said is None else said[:_LONGEST] if isinstance(said, str) else said


def _queries(said: Any) -> Any:
    if said is None:
        return ()
    written = [said] if isinstance(said, str | dict) else said
    if not isinstance(written, list | tuple):
        return written
    return tuple({"text": one} if isinstance(one, str) else one for one in written[:_MOST])


Text = Annotated[str, BeforeValidator(_text), Field(max_length=_LONGEST)]


class PlannedQuery(OperatorOutput):
    term: Text = Field(default="", description="of a graph only: the medical concept to look up")
    text: Text = Field(default="", description="the words to search for")


class PlannedQueries(OperatorOutput):
    source: str = Field(description="the name of the source")
    queries: Annotated[tuple[PlannedQuery, ...], BeforeValidator(_queries)] = Field(
        max_length=_MOST, description="the queries for it; none where it is not needed"
    )


class PlanSourcesOutput(OperatorOutput):
    plan: tuple[PlannedQueries, ...] = Field(description="the sources to search, one entry each")


class TaggedPlan(PlainOutput):
    """A plan as text: one tag for each source. `plan.sources.read_plan` reads it."""


def content_words(text: str) -> str:
    """The words of a question that say something, as they are written; the question itself where none does."""
    said = [word for word in text.replace("?", " ").split() if words.terms(word)]
    return " ".join(said) or text


def _keyless(value: PlanSourcesInput) -> PlanSourcesOutput:
    """Few sources: research, and one more."""
    sources = [(source.name, source.kind) for source in value.sources]
    chosen = keyless.plan(value.question, sources, options=[option.text for option in value.options])
    return planned_queries(chosen, value.sources, value.most)


def planned_queries(
    chosen: Sequence[keyless.Sought], sources: Sequence[ExploredSource], most: int
) -> PlanSourcesOutput:
    """Queries as a plan of all these sources, at most `most` for each; those that are too long are cut at a word."""
    by_source = {source.name: [one for one in chosen if one.source == source.name][:most] for source in sources}
    return PlanSourcesOutput(
        plan=tuple(
            PlannedQueries(
                source=name,
                queries=tuple(PlannedQuery(term=_cut(one.term), text=_cut(one.text)) for one in queries),
            )
            for name, queries in by_source.items()
        )
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(maxsplit=1)[0]


_TASK = (
    "You plan searches for a biomedical question. Below are the question and the sources that can be searched, each "
    "with what it holds. Decide which of them can help to answer this question, and write at most `most` queries for "
    "each of these; a source that has little to offer here gets none. Fit every query to its source: its topics, and "
    "the wording of its texts. Queries for one source look for different things. A query for a source of kind graph "
    "has two parts: one medical concept, and what to find out about it. "
)

plan_sources = Operator(
    name="plan_sources",
    instructions=_TASK
    + "For such a source `term` is the concept and `text` what to find out; elsewhere `term` is empty. "
    + DATA_RULE,
    input=PlanSourcesInput,
    output=PlanSourcesOutput,
    writes_queries=True,
    keyless=_keyless,
    choices=lambda value: {"source": tuple(source.name for source in value.sources)},
)


def _keyless_tagged(value: PlanSourcesInput) -> TaggedPlan:
    from medground.values.source_plan import SourcePlan, SourceQuery, tagged

    plan = {p.source: tuple(SourceQuery(text=q.text, term=q.term) for q in p.queries) for p in _keyless(value).plan}
    return TaggedPlan(text=tagged(SourcePlan(queries=plan), tuple(source.name for source in value.sources)))


def _names_a_source(value: PlanSourcesInput, output: TaggedPlan) -> None:
    said = output.text.casefold()
    if not any(source.name in said for source in value.sources):
        names = ", ".join(f"<{source.name}>" for source in value.sources)
        raise InvalidOutput(f"no source is named; write one tag for each source: {names}")


plan_sources_tagged = Operator(
    name=plan_sources.name,
    instructions=_TASK
    + "Answer with one line for each source, in the order given, the queries inside a tag of its name: `<book> first "
    "query ; second query </book>`, for a graph `<graph> concept , what to find out </graph>`. A semicolon separates "
    "queries. Leave the tag of a source that is not needed empty: `<wiki> </wiki>`. Write nothing else. " + DATA_RULE,
    input=PlanSourcesInput,
    output=TaggedPlan,
    writes_queries=True,
    keyless=_keyless_tagged,
    check=_names_a_source,
)
"""`plan_sources` as plain text, the form that planners are trained on."""


class NameTermsInput(OperatorInput):
    question: Untrusted


class NameTermsOutput(OperatorOutput):
    terms: tuple[str, ...] = Field(description="at most three medical terms, as a vocabulary would list them")


name_terms = Operator(
    name="name_terms",
    instructions=(
        "Name the medical terms in a question that one would look up in a vocabulary: diseases, drugs, signs, genes, "
        "procedures. At most three, the ones that matter most first, each as short as its name is. None where the "
        "question names nothing medical. " + DATA_RULE
    ),
    input=NameTermsInput,
    output=NameTermsOutput,
    writes_queries=True,
    keyless=lambda value: NameTermsOutput(terms=graph_terms(value.question)[:MOST_TERMS]),
)


class WritePassageInput(OperatorInput):
    question: Untrusted
    source: ExploredSource
    words: int = Field(default=200, ge=1)


class WritePassageOutput(OperatorOutput):
    passage: str = Field(description="the passage; empty where you cannot write one")


write_passage = Operator(
    name="write_passage",
    instructions=(
        "Write a passage that could stand in the source below and that answers the question, in the style and with the "
        "terms of such a source. It is used as a query to find real passages like it, and is never shown to anyone. At "
        "most as many words as `words` says. " + DATA_RULE
    ),
    input=WritePassageInput,
    output=WritePassageOutput,
    writes_queries=True,
    keyless=lambda value: WritePassageOutput(passage=""),
)
"""Word statistics write no passage: they would have nothing to write but the question."""
