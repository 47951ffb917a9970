"""LUQ: how much several sampled answers to one question contradict one another.

Source: C. Zhang et al., LUQ: long-text uncertainty quantification for LLMs, EMNLP 2024, section 3. For the responses
R' of one question, with s_j the sentences of r and logits of an NLI model:

    P(entail | s_j, r')  =  exp(l_entail) / (exp(l_entail) + exp(l_contradict))      without neutral
    S(r, r')             =  mean over j of P(entail | s_j, r')
    C(x, r)              =  mean over r' != r of S(r, r')
    U(x)                 =  mean over r of (1 - C(x, r))

MedOmniKB (source planning), appendix A.3 and Table 10, uses 9 samples at a temperature of 0.7.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.answering import NliModel
from medground.errors import UsageError
from medground.language import written_sentences
from medground_evaluate.run_file import differences, read_run
from medground_evaluate.statistics import Mean, mean

Entailment = Callable[[Sequence[tuple[str, str]]], Awaitable[Sequence[float | None]]]
"""P(entail) of each pair of premise and sentence, 0 to 1; None for a pair that cannot be judged."""


@dataclass(frozen=True)
class Uncertainty:
    """U of one question.

    Attributes:
        value: 0 (every response entails the others) to 1; None if fewer than two responses have text, or nothing could
            be judged.
        unjudged: pairs of sentence and response that could not be judged; they are left out of the means.
    """

    value: float | None
    responses: int
    unjudged: int = 0


async def luq(responses: Sequence[str], entailment: Entailment) -> Uncertainty:
    """The uncertainty of the responses to one question; `entailment` is called once. Empty responses are ignored."""
    texts = [text for text in responses if text.strip()]
    sentences = [[text[start:end] for start, end in written_sentences(text)] for text in texts]
    places = [(i, k) for i in range(len(texts)) for k in range(len(texts)) if i != k]
    pairs = [(texts[k], sentence) for i, k in places for sentence in sentences[i]]
    if not pairs:
        return Uncertainty(None, len(texts))
    judged = iter(await entailment(pairs))
    confidence: list[list[float]] = [[] for _ in texts]
    unjudged = 0
    for i, _ in places:
        values = [next(judged) for _ in sentences[i]]
        known = [value for value in values if value is not None]
        unjudged += len(values) - len(known)
        if known:
            confidence[i].append(sum(known) / len(known))  # S(r, r')
    doubts = mean(1 - sum(shares) / len(shares) for shares in confidence if shares)  # of 1 - C(x, r)
    return Uncertainty(doubts.value, len(texts), unjudged)


def nli_entailment(model: NliModel) -> Entailment:
    """P(entail) as published, from an NLI model with a label for contradiction."""
    if model.labels.contradiction is None:
        raise UsageError(f"{model.name} has no label for contradiction, which LUQ needs; use another NLI model")

    async def judge(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        whole = [pair for pair in pairs if model.problem(pair[1]) is None]
        scores = dict(zip(whole, await asyncio.to_thread(model.score, whole), strict=True))
        totals = {pair: one.entailment + one.contradiction for pair, one in scores.items()}
        known = {p: scores[p].entailment / total for p, total in totals.items() if math.isfinite(total) and total > 0}
        return [known.get(pair) for pair in pairs]

    return judge


@dataclass(frozen=True)
class Samples:
    """The rationales that several runs of the same questions wrote, by question id."""

    texts: Mapping[str, Sequence[str]]
    runs: int
    temperature: float


@dataclass(frozen=True)
class SampledUncertainty:
    """LUQ of questions, by id, and its mean over those that have a value."""

    mean: Mean
    each: Mapping[str, Uncertainty]


async def uncertainty_of(samples: Samples, entailment: Entailment) -> SampledUncertainty:
    """LUQ of every question; `entailment` is called once per question."""
    each = {i: await luq(texts, entailment) for i, texts in samples.texts.items()}
    return SampledUncertainty(mean(found.value for found in each.values()), each)


def read_samples(paths: Sequence[Path]) -> Samples:
    """Read the rationales of several runs with the same settings, made with sampling."""
    if len({path.resolve() for path in paths}) < max(2, len(paths)):
        raise UsageError("uncertainty needs two or more runs of the same questions, each given once")
    texts: dict[str, list[str]] = {}
    headers = []
    for path in paths:
        header, lines = read_run(path)
        headers.append(header)
        if found := differences(headers[0], header):
            shown = "; ".join(found.values())
            raise UsageError(f"{path} differs from the first run: {shown}; give runs of the same command")
        model = header.settings.get("model", {})
        if model.get("cache", True) or not model.get("temperature"):
            raise UsageError(
                f"{path} was made without sampling; run it with --set model.temperature=0.7 --set model.cache=false "
                "and its own --out"
            )
        for line in lines:
            texts.setdefault(line.id, []).append(line.text)
    return Samples(texts, len(paths), float(headers[0].settings["model"]["temperature"]))
