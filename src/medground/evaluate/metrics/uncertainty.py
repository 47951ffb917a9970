"""LUQ: how much several sampled answers to one question contradict one another.

Source: C. Zhang et al., LUQ: long-text uncertainty quantification for LLMs, EMNLP 2024, section 3. For the responses
R' of one question, with s_j the sentences of r and logits of an NLI model:

    P(entail | s_j, r')  =  exp(l_entail) / (exp(l_entail) + exp(l_contradict))      without neutral
    S(r, r')             =  mean over j of P(entail | s_j, r')
    C(x, r)              =  mean over r' != r of S(r, r')
    U(x)                 =  mean over r of (1 - C(x, r))

MedOmniKB (source planning), appendix A.3 and Table 10, uses 9 samples at a temperature of 0.7.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from medground.errors import UsageError
from medground.verify.critics.nli.model import NliModel
from medground.verify.statements import written_sentences

Entailment = Callable[[Sequence[tuple[str, str]]], Awaitable[Sequence[float | None]]]
"""P(entail) of each pair of premise and sentence, 0 to 1; None for a pair that cannot be judged."""


@dataclass(frozen=True)
class Uncertainty:
    """U of one question.

    Attributes:
        value: 0 (every response entails the others) to 1; None if fewer than two responses have text, or nothing could
            be judged.
        responses: number of responses with text.
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
    doubts = [1 - sum(shares) / len(shares) for shares in confidence if shares]  # 1 - C(x, r)
    return Uncertainty(sum(doubts) / len(doubts) if doubts else None, len(texts), unjudged)


def nli_entailment(model: NliModel) -> Entailment:
    """P(entail) as published, from an NLI model with a label for contradiction.

    Raises:
        UsageError: the model has no such label.
    """
    if model.labels.contradiction is None:
        raise UsageError(f"{model.name} has no label for contradiction, which LUQ needs; use another NLI model")

    async def judge(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        whole = [pair for pair in pairs if model.problem(pair[1]) is None]
        scores = dict(zip(whole, await asyncio.to_thread(model.score, whole), strict=True))
        return [_of_two(scores[p].entailment, scores[p].contradiction) if p in scores else None for p in pairs]

    return judge


def _of_two(entailment: float, contradiction: float) -> float | None:
    total = entailment + contradiction
    return entailment / total if math.isfinite(total) and total > 0 else None
