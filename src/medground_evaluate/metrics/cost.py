"""The cost of a question, and its seconds and tokens by stage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from medground.values import Asking, PlanningSources, Searching, UsageReport
from medground_evaluate.statistics import Mean, mean

MODEL_ONLY = "model-only"


@dataclass(frozen=True)
class Cost:
    """Means per question.

    Attributes:
        input_tokens: of all calls, including those answered from the cache, as in `output_tokens` and `model_calls`.
        model_calls: of the method; those that verified what it wrote are `verification_calls`.
        cached_calls: calls answered from the cache, which cost no money.
        seconds: None if the cache answered calls.
        money: US dollars paid; None if a price is unknown.
    """

    input_tokens: float
    output_tokens: float
    model_calls: float
    verification_calls: float
    cached_calls: float
    searches: float
    seconds: float | None
    money: float | None


def mean_cost(usages: Iterable[UsageReport]) -> Cost:
    """The mean cost of a question, including failed ones; all 0, and money None, if there are no questions."""
    used = list(usages)
    whole, count = sum(used, UsageReport()), max(len(used), 1)
    return Cost(
        input_tokens=whole.needed_input / count,
        output_tokens=whole.needed_output / count,
        model_calls=(whole.model_calls + whole.cached_calls - whole.verification_calls) / count,
        verification_calls=whole.verification_calls / count,
        cached_calls=whole.cached_calls / count,
        searches=whole.searches / count,
        seconds=None if whole.cached_calls else whole.seconds / count,
        money=float(whole.price) / count if used and whole.price is not None else None,
    )


def cost_ratio(cost: Cost, base: Cost) -> dict[str, float | None]:
    """The ratio to `base` for each field; None if the base costs nothing or a price is unknown."""
    of, to = asdict(cost), asdict(base)
    return {name: of[name] / to[name] if of[name] is not None and to[name] else None for name in of}


@dataclass(frozen=True)
class Estimate:
    """The expected cost of calls of a model. `price` is in US dollars; None means unknown."""

    calls: int
    input_tokens: int
    output_tokens: int
    price: Decimal | None

    def __str__(self) -> str:
        price = "price unknown" if self.price is None else f"about ${self.price:.2f} at list price"
        return (
            f"{self.calls:,} calls, about {self.input_tokens:,} tokens in and {self.output_tokens:,} out "
            f"(without any reasoning), {price}"
        )


Spans = Sequence[Mapping[str, Any]]
"""Of one trace, with `start` and `end` in nanoseconds."""

NAMES = ("planning", "retrieval", "answering")


@dataclass(frozen=True)
class Stage:
    """What one stage of a question took. Overlapping searches count once: it is time that passed.

    Attributes:
        seconds: None if the cache answered one of the question's calls.
        tokens: input and output tokens of its model calls, including those answered from the cache.
        calls: questions to operators, with or without a model.
    """

    seconds: float | None = 0.0
    tokens: int = 0
    calls: int = 0


Stages = Mapping[str, Stage]
"""The stages of one question: `planning`, `retrieval` and `answering`."""


def stages(spans: Spans) -> Stages | None:
    """The stages of a question from the spans of its trace; None if it planned no sources.

    A search counts as retrieval wherever it happens, also within planning (Reflexion and SeRTS search to judge a plan).
    What is neither planning nor retrieval is answering.
    """
    planned, searched = (_times(spans, kind.span) for kind in (PlanningSources, Searching))
    if not planned:
        return None
    seconds = dict.fromkeys(NAMES, 0)
    whole = [(int(span["start"]), int(span["end"])) for span in spans]
    for start, end in pairwise(sorted({moment for times in whole for moment in times})):
        if _within(start, searched):
            seconds["retrieval"] += end - start
        elif _within(start, whole):
            seconds["planning" if _within(start, planned) else "answering"] += end - start
    asked: dict[str, list[Mapping[str, Any]]] = {name: [] for name in NAMES}
    for span in spans:
        if _is_of(span, Asking.span):
            asked["planning" if _within(span["start"], planned) else "answering"].append(span)
    cached = any(span["attributes"].get("medground.cached") for spans in asked.values() for span in spans)
    return {
        name: Stage(None if cached else seconds[name] / 1e9, _tokens(asked[name]), len(asked[name])) for name in NAMES
    }


@dataclass(frozen=True)
class StageMeans:
    """Means of one stage per question, over the questions that planned sources."""

    name: str
    seconds: Mean
    tokens: Mean


def stage_means(each: Sequence[Stages | None]) -> tuple[StageMeans, ...]:
    """The means of `planning`, `retrieval` and `answering`; empty if no question planned sources."""
    found = {name: [one[name] for one in each if one is not None] for name in NAMES}
    return tuple(
        StageMeans(
            name,
            mean(one.seconds for one in of_it if one.seconds is not None),
            mean(float(one.tokens) for one in of_it),
        )
        for name, of_it in found.items()
        if of_it
    )


def _times(spans: Spans, name: str) -> list[tuple[int, int]]:
    return [(int(span["start"]), int(span["end"])) for span in spans if _is_of(span, name)]


def _is_of(span: Mapping[str, Any], name: str) -> bool:
    return str(span["name"]) == name or str(span["name"]).startswith(f"{name} ")


def _within(moment: int, times: Sequence[tuple[int, int]]) -> bool:
    return any(start <= moment < end for start, end in times)


def _tokens(asked: Spans) -> int:
    keys = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    return sum(int(span["attributes"].get(key, 0)) for span in asked for key in keys)


def list_price(name: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The list price in US dollars of a model named `PROVIDER:MODEL`; None if it is not known, never 0."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:  # the extra `models` brings it
        return None
    provider, _, model = name.partition(":")
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        return calc_price(usage, model_ref=model, provider_id=provider).total_price
    except (LookupError, ValueError):
        return None
