"""Rating a plan of sources by what it found, and writing a better one from what was said of earlier ones."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from medground.language import words
from medground.models.operators.base import (
    InvalidOutput,
    OperatorInput,
    OperatorOutput,
    QuestionInput,
    Untrusted,
    operator,
)
from medground.models.operators.prose import in_tag
from medground.recipes.omni_rag.operators import (
    ExploredSource,
    PlanSourcesInput,
    PlanSourcesOutput,
    plan_sources,
    read_tags,
)
from medground.values.question import Option

MOST_POINTS = 5
"""A plan with this score is not improved (D.3)."""
_TOGETHER = 0.5
"""Without a model: weight of the best single passage; the rest is that of all passages together. Words that are
scattered over passages say less than the same words in one."""
SUGGESTION_WORDS = 100
"""Most words of a suggestion (E.9); longer ones are cut."""


class Retrieved(OperatorInput):
    """What one query found in its source, as the rater sees it."""

    source: str
    query: Untrusted
    state: str = "found"
    """`found`, `empty`, or `failed`: the source could not be searched, which says nothing about the query."""
    passages: tuple[Untrusted, ...] = ()


class RatePlanInput(QuestionInput):
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    retrieved: tuple[Retrieved, ...]


class RatePlanOutput(OperatorOutput):
    suggestion: Annotated[str, AfterValidator(lambda said: " ".join(said.split()[:SUGGESTION_WORDS]))] = Field(
        default="", description="how the queries could be better, at most 100 words"
    )
    score: int = Field(ge=0, le=MOST_POINTS, description="the points added up, a whole number from 0 to 5")


def _read_rating(value: RatePlanInput, text: str) -> RatePlanOutput:
    """The reply to prompt E.9. Raises InvalidOutput: there is no score."""
    score = re.match(r"[0-5](?![.\d])", in_tag(text, "score"))
    if score is None:
        raise InvalidOutput("the score is not a whole number from 0 to 5")
    said = in_tag(text, "suggestion") if "<suggestion>" in text.casefold() else ""
    return RatePlanOutput(suggestion=said, score=int(score[0]))


@operator(writes_queries=True, reads=_read_rating)
def rate_plan(value: RatePlanInput) -> RatePlanOutput:
    """Whole points from 0 to 5 by the share of the question's words, weighted by rarity.

    Five points need every word in one passage. Without any passage the score is 0: then nothing was found.
    """
    wanted = words.topic(value.question)
    passages = [frozenset(words.terms(text)) for one in value.retrieved for text in one.passages]
    present = frozenset[str]().union(*passages)
    best = max((words.coverage(wanted, passage) for passage in passages), default=0.0)
    share = _TOGETHER * best + (1 - _TOGETHER) * words.coverage(wanted, present)
    said = f"By word count alone, the passages hold {share:.0%} of the question's words."
    return RatePlanOutput(score=int(MOST_POINTS * share + 1e-9), suggestion=said)


class Feedback(OperatorInput):
    """An earlier plan, its points, and what was suggested."""

    plan: Untrusted
    score: int = Field(ge=0, le=MOST_POINTS)
    suggestion: Untrusted = ""
    empty: tuple[str, ...] = ()
    """Sources that were asked and had nothing."""


class ImprovePlanInput(QuestionInput):
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    most: int
    """Most queries for a source."""
    feedback: tuple[Feedback, ...] = ()
    """Of earlier plans, oldest first."""
    siblings: tuple[Untrusted, ...] = ()
    """Plans that were made from the same feedback: the new one must differ from them."""


@operator(
    writes_queries=True,
    choices=lambda value: {"source": tuple(source.name for source in value.sources)},
    reads=read_tags,
)
def improve_plan(value: ImprovePlanInput) -> PlanSourcesOutput:
    """The same plan again, which ends the loop: word statistics cannot tell what would be better."""
    shown = {"question": value.question, "options": value.options, "sources": value.sources, "most": value.most}
    return plan_sources.keyless(PlanSourcesInput.model_validate(shown))
