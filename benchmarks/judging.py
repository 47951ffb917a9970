"""Critics by name for the benchmarks: `keyless`, `nli:FOLDER`, or the name of a model (`local`, `openai:...`).

Each goes the way that an answer's statements go (a run, `open_critic`), except keyless, which is asked directly: it
needs no run, and its speed is what is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.models.open import open_models
from medground.operators.catalogue import OPERATORS
from medground.operators.keyless.flags import compare
from medground.question import Question
from medground.run import Run
from medground.settings import Settings
from medground.trace import Trace
from medground.verify.critics.base import Claim, Judgement
from medground.verify.critics.open import open_critic

KEYLESS = "keyless"
JUDGED = {"entails": "SUPPORT", "contradicts": "REFUTE"}
"""The labels that a judge's relations mean; the others mean that there is no evidence."""


def judge(name: str, claims: Sequence[Claim]) -> list[Judgement]:
    """One judgement per claim, in order.

    Raises:
        ConfigError: there is no critic of that name here.
    """
    if name == KEYLESS:
        return [_keyless(claim) for claim in claims]
    return asyncio.run(_judged(name, claims))


def _keyless(claim: Claim) -> Judgement:
    found = compare(claim.statement, claim.premises)
    probability = found.probability if found.related else 1 - found.probability
    return Judgement("related" if found.related else "neutral", found.best, probability, flags=found.flags)


async def _judged(name: str, claims: Sequence[Claim]) -> list[Judgement]:
    chosen = {"verify.critic": name} if name.startswith("nli:") else {"model.default": name}
    settings = Settings.load(options=chosen)
    models = open_models(settings, OPERATORS)
    trace = Trace("benchmark", None)
    try:
        run = Run(Question.ask("Is the claim true?"), settings, (), models, trace)
        return await open_critic(run).judge(claims)
    finally:
        trace.close()
        await models.close()


def evidence_score(judgement: Judgement) -> float:
    """How sure a critic is that the premise bears on the claim, 0 to 1; 0 or 1 where it measures no probability."""
    bears = judgement.relation in ("entails", "contradicts", "related")
    if judgement.probability is None:
        return float(bears)
    return judgement.probability if bears else 1 - judgement.probability


def alarmed(judgement: Judgement) -> bool:
    """Whether a reader is warned: no evidence, contradicted, not judged, or any difference flagged."""
    return judgement.relation not in ("entails", "related") or bool(judgement.flags)
