"""Rating a plan of sources by what it found: points from 0 to 5, and how its queries could be better.

Source: Omni-RAG, appendix D.3 (Reflexion, SeRTS) and prompt E.9. The paper leaves its criteria
open; the five here are ours.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, model_validator

from medground.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.operators.keyless.rating import rate
from medground.operators.planning import ExploredSource
from medground.operators.reading import DATA_RULE

MOST_POINTS = 5
"""A plan with this score is not improved (D.3)."""
SUGGESTION_WORDS = 100
"""Most words of a suggestion (E.9); longer ones are cut."""
_NO_SCORE = "there is no score from 0 to 5; give `score` as one whole number from 0 to 5"


class Retrieved(OperatorInput):
    """What one query found in its source, as the rater sees it."""

    source: str
    query: Untrusted
    state: str = "found"
    """`found`, `empty`, or `failed`: the source could not be searched, which says nothing about the query."""
    passages: tuple[Untrusted, ...] = ()


class RatePlanInput(OperatorInput):
    question: Untrusted
    sources: tuple[ExploredSource, ...]
    retrieved: tuple[Retrieved, ...]


class RatePlanOutput(OperatorOutput):
    """A rating as a model gives it: typed, or in the tags of the paper, alone or inside the suggestion."""

    suggestion: str = Field(default="", description="how the queries could be better, at most 100 words")
    score: int = Field(ge=0, le=MOST_POINTS, description="the points added up, a whole number from 0 to 5")

    @model_validator(mode="before")
    @classmethod
    def _survive(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {"suggestion": value}
        if not isinstance(value, dict):
            return value
        said = str(value.get("suggestion") or "")
        given = value.get("score")
        score = read_score(said) if given is None else read_score(str(given)) if isinstance(given, str) else given
        if score is None or isinstance(score, bool):
            raise InvalidOutput(_NO_SCORE)
        return {**value, "suggestion": read_suggestion(said), "score": score}


_TAGGED = re.compile(r"<\s*score\s*>(.*?)(?:<\s*/\s*score\s*>|$)", re.IGNORECASE | re.DOTALL)
_SAID = re.compile(r"\bscore\b\W{0,4}(?:(?:is|of|:)\W{0,4})?((?:\d+\s*\+\s*)*\d+[^\n]*)", re.IGNORECASE)
_SUM = re.compile(r"(?:\d+\s*\+\s*)+\d+\s*=\s*")
_NUMBER = re.compile(r"(?<![\d.,/-])(\d+)(?:[.,](\d+))?(?:\s*(?:/|out of|of)\s*(\d+))?")
_SUGGESTION = re.compile(
    r"<\s*suggestions?\s*>(.*?)(?:<\s*/\s*suggestions?\s*>|<\s*score\b|$)", re.IGNORECASE | re.DOTALL
)


def read_score(text: str) -> int | None:
    """The score that a model wrote: in the paper's tag, after the word "score", or as the only text; else None.

    A sum counts by its result (`1 + 1 + 1 = 3`), a fraction only of five (`4/5`), a decimal by the points that are
    whole (`3.5` is 3). Of several tags the last counts. What is not from 0 to 5 is no score.
    """
    tagged = _TAGGED.findall(text)
    said = tagged[-1:] or _SAID.findall(text)[-1:] or ([text] if len(text.split()) <= 6 else [])
    found = _NUMBER.search(_SUM.sub("", said[0])) if said else None
    if found is None or (found[3] and int(found[3]) != MOST_POINTS):
        return None
    return int(found[1]) if float(f"{found[1]}.{found[2] or 0}") <= MOST_POINTS else None


def read_suggestion(text: str) -> str:
    """The suggestion without tags and without the score, cut to 100 words."""
    tagged = _SUGGESTION.search(text)
    plain = tagged[1] if tagged else _TAGGED.sub(" ", text)
    return " ".join(re.sub(r"<[^<>]{0,40}>", " ", plain).split()[:SUGGESTION_WORDS])


def _keyless(value: RatePlanInput) -> RatePlanOutput:
    found = [(one.source, one.state, one.passages) for one in value.retrieved]
    score, suggestion = rate(value.question, found, [source.name for source in value.sources])
    return RatePlanOutput(score=score, suggestion=suggestion)


rate_plan = Operator(
    name="rate_plan",
    instructions=(
        "A search for a biomedical question went to several sources; below are the queries and what each found. Give "
        "one point for each of these that holds, so 0 to 5 points in all: (1) something found is about the subject of "
        "the question; (2) it covers every condition, drug, group of patients or outcome that the question names; (3) "
        "some passage states the answer, or a fact from which it follows; (4) a second passage, best from another "
        "source, agrees with it or adds what is missing; (5) most of what was found is to the point, and no query "
        "repeats another. Then suggest in at most 100 words how to search better: other words for a query, a source "
        "to add, a source to leave out. A source that failed was not searched, so blame no query for it. " + DATA_RULE
    ),
    input=RatePlanInput,
    output=RatePlanOutput,
    writes_queries=True,
    keyless=_keyless,
)
