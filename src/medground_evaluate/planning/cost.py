"""What the training of a planner costs: told before it starts, and measured per question as in the paper's tables.

Source: Omni-RAG, appendix B.3 (Tables 11 and 14). Estimates are rough: they count the multiplications that the steps
need, and measure how many this machine does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from medground.models.planner_weights import device, libraries, quiet
from medground.models.registry import list_price
from medground_evaluate.planning.trainset import TrainingOptions, read_examples
from medground_evaluate.planning.work import Explored, Spent

TOKENS_OF_A_PASSAGE = 250
TOKENS_OF_A_PROMPT = 500
TOKENS_OF_A_QUERY = 15
TOKENS_OF_A_JUDGEMENT = 150
PASSAGES = 10
_CHARACTERS_OF_A_TOKEN = 4.0
_GIB = 2**30
_USED = 0.4
"""Share of a device's speed that training a language model reaches, about."""


@dataclass(frozen=True)
class CallEstimate:
    """What exploring and judging need. `price` is in US dollars, None if unknown."""

    questions: int
    searches: int
    calls: int
    input_tokens: int
    output_tokens: int
    price: Decimal | None

    def told(self) -> str:
        """A line."""
        price = "price unknown" if self.price is None else f"${self.price:.2f}"
        return (
            f"{self.questions:,} questions: at most {self.searches:,} searches, {self.calls:,} calls, about "
            f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out, {price}; disk about "
            f"{self.searches * PASSAGES * 500 / _GIB:.2f} GiB"
        )


def estimate_exploring(questions: int, sources: int, queries: int, model: str) -> CallEstimate:
    """One call for each question, and a search for each query."""
    made = questions * sources * queries
    into, out = questions * TOKENS_OF_A_PROMPT, made * TOKENS_OF_A_QUERY
    return CallEstimate(questions, made, questions, into, out, _price(model, into, out))


def estimate_judging(explored: Sequence[Explored], passages: int | None, model: str) -> CallEstimate:
    """One call for each query that found something; half of the passages of a graph."""
    found = [(one, tried) for one in explored for tried in one.queries if tried.found]
    characters = sum(
        len(one.passages[key].text)
        for one, tried in found
        for key in tried.found[: passages if passages is not None else len(tried.found)]
    )
    into = round(characters / _CHARACTERS_OF_A_TOKEN) + len(found) * TOKENS_OF_A_PROMPT
    out = len(found) * TOKENS_OF_A_JUDGEMENT
    return CallEstimate(len(explored), 0, len(found), into, out, _price(model, into, out))


def _price(model: str, into: int, out: int) -> Decimal | None:
    return Decimal(0) if model.partition(":")[0] in ("keyless", "local") else list_price(model, into, out)


@dataclass(frozen=True)
class TrainingEstimate:
    """What a stage needs: bytes of memory, seconds, and US dollars if the price of an hour is known."""

    parameters: int
    trained: int
    examples: int
    tokens: int
    memory: int
    seconds: float
    price: Decimal | None
    device: str

    def told(self) -> str:
        """A line."""
        price = "price unknown (give --price-per-hour)" if self.price is None else f"${self.price:.2f}"
        return (
            f"{self.parameters / 1e6:,.1f} million parameters, {self.trained / 1e6:,.2f} million of them trained; "
            f"{self.examples:,} examples, {self.tokens:,} tokens each epoch; memory about "
            f"{self.memory / _GIB:.2f} GiB, time about {self.seconds / 60:,.1f} min, {price}; {self.device}"
        )


def estimate_training(
    data: Path, base: str, options: TrainingOptions, *, price_per_hour: Decimal | None = None
) -> TrainingEstimate:
    """Estimate a stage without loading weights.

    Raises:
        UsageError: the training set lacks what the stage needs.
        ConfigError: the extra is missing, or the base has no configuration that can be read.
    """
    from medground.models.planner_weights import load_config

    examples = read_examples(data, options.which, ratio=options.ratio, seed=options.seed)
    libs = libraries()
    on, told = device(libs.torch)
    config = load_config(base)
    with quiet(), libs.torch.device("meta"):
        model = libs.transformers.AutoModelForCausalLM.from_config(config)
    parameters = sum(value.numel() for value in model.parameters())
    linear = [m for n, m in model.named_modules() if isinstance(m, libs.torch.nn.Linear) and "lm_head" not in n]
    trained = sum(options.rank * (layer.in_features + layer.out_features) for layer in linear)
    lengths = [_characters(one) / _CHARACTERS_OF_A_TOKEN for one in examples]
    tokens = round(sum(lengths))
    # A step forward takes 2 multiplications for each parameter and token, backward through frozen weights 2 more; for
    # preferences there are two plans, and the reference reads both as well.
    passes = 4 if options.stage == "sft" else 6
    work = passes * parameters * tokens * options.epochs
    bytes_each = 2 if on == "cuda" else 4
    width, layers = config.hidden_size, config.num_hidden_layers
    longest = min(max(lengths), options.longest)
    activations = options.at_once * longest * (14 * width * layers + 2 * config.vocab_size) * bytes_each
    memory = parameters * bytes_each + trained * 16 + activations * (1 if options.stage == "sft" else 2)
    seconds = work / (_USED * _speed(libs.torch, on))
    price = None if price_per_hour is None else price_per_hour * Decimal(seconds) / 3600
    return TrainingEstimate(parameters, trained, len(examples), tokens, round(memory), seconds, price, told)


def _characters(example: dict[str, Any]) -> int:
    return sum(len(message["content"]) for part in example.values() if isinstance(part, list) for message in part)


def _speed(torch: Any, on: str) -> float:
    """Multiplications and additions in a second, measured for a moment."""
    size, kind = (4096, torch.bfloat16) if on == "cuda" else (768, torch.float32)
    one = torch.ones(size, size, dtype=kind, device=on)
    one @ one
    times = 3
    started = time.perf_counter()
    for _ in range(times):
        result = one @ one
    if on == "cuda":
        torch.cuda.synchronize()
    float(result[0, 0])
    return float(2 * size**3 * times / (time.perf_counter() - started))


@dataclass(frozen=True)
class StepCost:
    """What a step cost for each question, as measured."""

    step: str
    questions: int
    retrieval: float
    inference: float
    input_tokens: float
    output_tokens: float
    price: Decimal | None


def step_cost(step: str, spent: Sequence[Spent]) -> StepCost:
    """The mean cost of a question in one step; seconds of questions that ran at the same time overlap."""
    n = max(len(spent), 1)
    prices = [one.price for one in spent]
    known = [price for price in prices if price is not None]
    return StepCost(
        step=step,
        questions=len(spent),
        retrieval=math.fsum(one.retrieval_seconds for one in spent) / n,
        inference=math.fsum(one.inference_seconds for one in spent) / n,
        input_tokens=sum(one.input_tokens for one in spent) / n,
        output_tokens=sum(one.output_tokens for one in spent) / n,
        price=sum(known, Decimal(0)) / n if len(known) == len(prices) else None,
    )


def cost_table(steps: Sequence[StepCost], *, workers: int, of: int | None = None) -> list[str]:
    """Lines of a table as Tables 11 and 14: seconds and price for each question, and hours for `of` questions."""
    lines = ["step          questions  retrieval s  inference s  tokens in  tokens out  US$ a question  hours in all"]
    for one in steps:
        hours = (one.retrieval + one.inference) * (of or one.questions) / workers / 3600
        price = "unknown" if one.price is None else f"{one.price:.6f}"
        lines.append(
            f"{one.step:12} {one.questions:10,} {one.retrieval:12.3f} {one.inference:12.3f} {one.input_tokens:10,.0f} "
            f"{one.output_tokens:11,.0f} {price:>15} {hours:13.3f}"
        )
    return lines
