"""LUQ: how far the answers to one question, sampled several times, contradict one another.

Source: C. Zhang et al., LUQ: long-text uncertainty quantification for LLMs, EMNLP 2024, section 3. For the responses
R' of one question, with s_j the sentences of r and logits of an NLI model:

    P(entail | s_j, r')  =  exp(l_entail) / (exp(l_entail) + exp(l_contradict))      neutral is left out
    S(r, r')             =  mean over j of P(entail | s_j, r')
    C(x, r)              =  mean over r' != r of S(r, r')
    U(x)                 =  mean over r of (1 - C(x, r))

MedOmniKB (source planning), appendix A.3 and Table 10, takes 9 samples at a temperature of 0.7.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from medground.engine import Engine
from medground.errors import UsageError
from medground.operators.views import EvidenceView
from medground.question import Question
from medground.settings import Settings
from medground.verify.critics.base import Claim, Critic, Judgement
from medground.verify.critics.nli.model import NliModel
from medground.verify.statements import written_sentences

SAMPLES = 9
TEMPERATURE = 0.7

Entailment = Callable[[Sequence[tuple[str, str]]], Awaitable[Sequence[float | None]]]
"""P(entail) of each pair of premise and sentence, 0 to 1; None for a pair that cannot be judged."""


@dataclass(frozen=True)
class Uncertainty:
    """U of one question.

    Attributes:
        value: 0 (every response entails the others) to 1; None where fewer than two responses say something, or
            nothing could be judged.
        responses: how many said something.
        unjudged: pairs of sentence and response that could not be judged; left out of the means.
    """

    value: float | None
    responses: int
    unjudged: int = 0


async def luq(responses: Sequence[str], entailment: Entailment) -> Uncertainty:
    """The uncertainty of the responses to one question; `entailment` is called once. Empty responses are left out."""
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
    """P(entail) as published, of an NLI model with a label for contradiction.

    Raises:
        UsageError: the model has none.
    """
    if model.labels.contradiction is None:
        raise UsageError(f"LUQ needs an NLI model with a label for contradiction; {model.name} has none")

    async def judge(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        whole = [pair for pair in pairs if model.problem(pair[1]) is None]
        scores = dict(zip(whole, await asyncio.to_thread(model.score, whole), strict=True))
        return [_of_two(scores[p].entailment, scores[p].contradiction) if p in scores else None for p in pairs]

    return judge


def critic_entailment(critic: Critic) -> Entailment:
    """P(entail) in the word of any critic: the entailment that it measures, else 1 for `entails` and 0 for all others.

    Neutral sentences count against it here, as a critic does not say how near to a contradiction they are.
    """

    async def judge(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        claims = [Claim(sentence, (EvidenceView(id="E1", quote=premise),)) for premise, sentence in pairs]
        return [_of_judgement(judgement) for judgement in await critic.judge(claims)]

    return judge


def sampling_settings(settings: Settings, temperature: float = TEMPERATURE) -> Settings:
    """The settings for an engine that samples: another answer each time, none from the cache."""
    model = settings.model.model_copy(update={"temperature": temperature, "cache": False})
    return settings.model_copy(update={"model": model})


async def sampled(engine: Engine, question: Question, samples: int = SAMPLES) -> list[str]:
    """Rationales of so many answers, one after another, from an engine with `sampling_settings`.

    Raises:
        UsageError: the engine's answers would come from its cache, or at a temperature of 0.
        MedgroundError: as `Engine.ask`.
    """
    model = engine.settings.model
    if model.cache or model.temperature == 0:
        raise UsageError("samples need a temperature above 0 and no cache; open the engine with sampling_settings")
    return [(await engine.ask(question)).rationale for _ in range(samples)]


def _of_two(entailment: float, contradiction: float) -> float | None:
    total = entailment + contradiction
    return entailment / total if math.isfinite(total) and total > 0 else None


def _of_judgement(judgement: Judgement) -> float | None:
    if judgement.relation == "failed":
        return None
    if judgement.entailment is not None:
        return judgement.entailment
    return 1.0 if judgement.relation == "entails" else 0.0
