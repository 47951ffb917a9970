"""Rating a plan of sources by what it found, and writing a better one from what was said of earlier ones."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, model_validator

from medground.language import words
from medground.models.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.recipes.omni_rag import by_words as keyless
from medground.recipes.omni_rag.operators import ExploredSource, PlanSourcesOutput, planned_queries
from medground.values.question import Option

MOST_POINTS = 5
"""A plan with this score is not improved (D.3)."""
_TOGETHER = 0.5
"""Without a model: weight of the best single passage; the rest is that of all passages together. Words that are
scattered over passages say less than the same words in one."""
_NAMED = 4
"""Most words that a suggestion without a model names."""
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
    options: tuple[Option, ...] = ()
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
    whole (`3.5` is 3). Of several tags the last counts. What is not from 0 to 5 is not a score.
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


def _rated_by_words(value: RatePlanInput) -> RatePlanOutput:
    """Whole points from 0 to 5 by the share of the question's words, weighted by rarity, and a suggestion.

    Five points need every word in one passage. Without any passage the score is 0: then nothing was found.
    """
    wanted = words.topic(value.question)
    passages = [frozenset(words.terms(text)) for one in value.retrieved for text in one.passages]
    present = frozenset[str]().union(*passages)
    best = max((words.coverage(wanted, passage) for passage in passages), default=0.0)
    share = _TOGETHER * best + (1 - _TOGETHER) * words.coverage(wanted, present)
    return RatePlanOutput(score=int(MOST_POINTS * share + 1e-9), suggestion=_suggestion(value, present, share))


def _suggestion(value: RatePlanInput, present: frozenset[str], share: float) -> str:
    states = {
        source.name: {one.state for one in value.retrieved if one.source == source.name} for source in value.sources
    }
    written = {words.stem(token): token for token in reversed(words.tokens(value.question))}
    lacking = (stem for stem in words.topic(value.question) - present if stem in written)
    rarest = sorted(lacking, key=lambda stem: (-words.weight(stem), stem))
    missing = [written[stem] for stem in rarest[:_NAMED]]
    empty = [name for name, found in states.items() if found == {"empty"}]
    unused = [name for name, found in states.items() if not found]
    said = [
        f"By word count alone, the passages hold {share:.0%} of the question's words.",
        f"Missing: {', '.join(missing)}." if missing else "",
        f"Nothing found in {', '.join(empty)}." if empty else "",
        f"Not asked: {', '.join(unused)}." if missing and unused else "",
    ]
    return " ".join(filter(None, said))


rate_plan = Operator(
    name="rate_plan", input=RatePlanInput, output=RatePlanOutput, writes_queries=True, keyless=_rated_by_words
)


class Feedback(OperatorInput):
    """An earlier plan, its points, and what was suggested."""

    plan: Untrusted
    score: int = Field(ge=0, le=MOST_POINTS)
    suggestion: Untrusted = ""
    empty: tuple[str, ...] = ()
    """Sources that were asked and had nothing."""
    queries: tuple[tuple[str, str], ...] = Field(default=(), exclude=True)
    """The queries of the plan, each with its source."""


class ImprovePlanInput(OperatorInput):
    question: Untrusted
    options: tuple[Option, ...] = ()
    sources: tuple[ExploredSource, ...]
    most: int
    """Most queries for a source."""
    feedback: tuple[Feedback, ...] = ()
    """Of earlier plans, oldest first."""
    siblings: tuple[Untrusted, ...] = ()
    """Plans that were made from the same feedback: the new one must differ from them."""


def _improved_by_words(value: ImprovePlanInput) -> PlanSourcesOutput:
    sources = [(source.name, source.kind) for source in value.sources]
    options = [option.text for option in value.options]
    past = [(one.queries, one.score, one.empty) for one in value.feedback]
    chosen = keyless.improved(value.question, sources, past, len(value.siblings), options=options)
    return planned_queries(chosen, value.sources, value.most)


improve_plan = Operator(
    name="improve_plan",
    input=ImprovePlanInput,
    output=PlanSourcesOutput,
    writes_queries=True,
    keyless=_improved_by_words,
    choices=lambda value: {"source": tuple(source.name for source in value.sources)},
)
