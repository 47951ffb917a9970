"""Decomposing a question for research: sub-questions, their keywords, and the graph of the keywords.

Source: BioMedSearch, section III.A, Eq. 1 and 2. The instructions are in our own words. What these return is mended by
`planner.py`: a model that repeats itself, names a keyword that is not there or writes too many is not asked again.
"""

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.models.operators.base import (
    AskedInput,
    InvalidOutput,
    OperatorOutput,
    QuestionInput,
    Untrusted,
    operator,
)
from medground.recipes.biomedsearch import parts
from medground.recipes.biomedsearch.parts import DraftedKeyword, DraftedQuestion, KeywordedQuestion, Name, Texts
from medground.recipes.model_fields import list_of
from medground.values.document import AtLeastOne
from medground.values.research_plan import TOOLS, Tool

_UNSURE = 0.5
"""The weight of an edge that is none between 0 and 1."""


def _weight(said: Any) -> Any:
    try:
        number = float(said)
    except (TypeError, ValueError):
        return _UNSURE
    return _UNSURE if math.isnan(number) else min(max(number, 0.0), 1.0)


class DecomposeInput(AskedInput):
    dimensions: tuple[str, ...] = tuple(parts.DIMENSIONS)
    most: AtLeastOne = 5
    question: Untrusted


class DecomposeOutput(OperatorOutput):
    subquestions: Annotated[tuple[DraftedQuestion, ...], BeforeValidator(list_of("text"))] = Field(
        description="the sub-questions, the general before the specific"
    )


def _asks_something(value: DecomposeInput, output: DecomposeOutput) -> None:
    if not any(subquestion.text for subquestion in output.subquestions):
        raise InvalidOutput("there is no sub-question; write three to five, each with its text")


@operator(writes_queries=True, check=_asks_something)
def decompose(value: DecomposeInput) -> DecomposeOutput:
    """Eq. 1: `S = M(Q, P_decompose, D)`."""
    return DecomposeOutput(subquestions=tuple(parts.subquestions(value.asked, value.most)))


class NameKeywordsInput(QuestionInput):
    subquestion: Untrusted
    dimension: Untrusted = ""
    most: AtLeastOne = 6


class NameKeywordsOutput(OperatorOutput):
    keywords: Annotated[tuple[DraftedKeyword, ...], BeforeValidator(list_of("name"))] = Field(
        description="the keywords, the most salient first"
    )


def _names_something(value: NameKeywordsInput, output: NameKeywordsOutput) -> None:
    if not any(keyword.name for keyword in output.keywords):
        raise InvalidOutput("there is no keyword; name at least one")


@operator(writes_queries=True, check=_names_something)
def name_keywords(value: NameKeywordsInput) -> NameKeywordsOutput:
    """Eq. 2, first line: `K_i = M_extract(q_i, P_keywords, D')`."""
    return NameKeywordsOutput(
        keywords=tuple(parts.keywords(value.asked, value.subquestion, value.dimension, value.most))
    )


class PlannedInput(QuestionInput):
    """A question, its parts, and the tools that may look for them."""

    subquestions: tuple[KeywordedQuestion, ...]
    tools: tuple[Tool, ...] = TOOLS


class DraftedNode(OperatorOutput):
    keyword: Name = Field(description="a keyword of the sub-questions")
    tools: Texts = Field(default=(), description="the tools that look for it")


class DraftedEdge(OperatorOutput):
    before: Name = Field(description="the keyword that is looked for first")
    after: Name = Field(default="", description="the keyword whose search its results sharpen")
    weight: Annotated[float, BeforeValidator(_weight)] = Field(default=_UNSURE, description="how sure, from 0 to 1")


class BuildGraphOutput(OperatorOutput):
    nodes: Annotated[tuple[DraftedNode, ...], BeforeValidator(list_of("keyword"))] = Field(
        description="every keyword, each once"
    )
    edges: Annotated[tuple[DraftedEdge, ...], BeforeValidator(list_of("before"))] = Field(
        default=(), description="what comes before what"
    )


def _known(value: PlannedInput) -> dict[str, tuple[str, ...]]:
    named = tuple(dict.fromkeys(name for subquestion in value.subquestions for name in subquestion.keywords))
    return {"tools": value.tools, "keyword": named, "before": named, "after": (*named, "")}


@operator(writes_queries=True, choices=_known)
def build_graph(value: PlannedInput) -> BuildGraphOutput:
    """Eq. 2, second line: `G = (V, E) = M_DAG(union of K_i, P_graph)`."""
    tools = parts.tools_of(value.asked, value.subquestions, value.tools)
    return BuildGraphOutput(
        nodes=tuple(DraftedNode(keyword=name, tools=chosen) for name, chosen in tools.items()),
        edges=tuple(
            DraftedEdge(before=before, after=after, weight=weight)
            for before, after, weight in parts.edges(value.asked, value.subquestions)
        ),
    )


class ToolChoice(OperatorOutput):
    id: str = Field(description="the id of a sub-question")
    tools: Texts = Field(default=(), description="the tools that look for it")


class ChooseToolsOutput(OperatorOutput):
    chosen: Annotated[tuple[ToolChoice, ...], BeforeValidator(list_of("id"))] = Field(
        description="one entry for each sub-question"
    )


@operator(
    writes_queries=True,
    choices=lambda value: {"tools": value.tools, "id": tuple(subquestion.id for subquestion in value.subquestions)},
)
def choose_tools(value: PlannedInput) -> ChooseToolsOutput:
    """Tools without keywords: the paper's ablation "w/o keywords" (section IV)."""
    read = {subquestion.id: value.asked.reworded(subquestion.text) for subquestion in value.subquestions}
    return ChooseToolsOutput(
        chosen=tuple(ToolChoice(id=name, tools=parts.tools_of_text(one, value.tools)) for name, one in read.items())
    )
