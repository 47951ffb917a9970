"""Critics by name for the benchmarks: `keyless`, `critic`, `nli:FOLDER`, or a model (`local`, `openai:...`).

Each takes the same path as an answer's statements (a run, `open_critic`), except keyless, which is called directly
because it needs no run and its speed is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.conclude.claim import CHECKING_A_CLAIM
from medground.models.open import open_models
from medground.models.pairs.shipped import shipped
from medground.operators.catalogue import operator_names
from medground.operators.keyless.flags.compare import compare
from medground.question import Question
from medground.run import Run
from medground.settings import Settings
from medground.trace import Trace
from medground.verify.critics.base import Claim, Judgement
from medground.verify.critics.open import open_critic

KEYLESS = "keyless"
JUDGED = {"entails": "SUPPORT", "contradicts": "REFUTE"}
"""The SciFact label for each of a judge's relations; the other relations mean that there is no evidence."""


def judge(name: str, claims: Sequence[Claim]) -> list[Judgement]:
    """One judgement per claim, in order.

    Raises:
        ConfigError: there is no critic of this name.
    """
    if name == KEYLESS:
        return [_keyless(claim) for claim in claims]
    return asyncio.run(_judged(name, claims))


def _keyless(claim: Claim) -> Judgement:
    found = compare(claim.statement, claim.premises)
    probability = found.probability if found.related else 1 - found.probability
    return Judgement("related" if found.related else "neutral", found.best, probability, flags=found.flags)


async def _judged(name: str, claims: Sequence[Claim]) -> list[Judgement]:
    chosen = {"verify.critic": name} if name.startswith("nli:") or name in shipped() else {"model.default": name}
    settings = Settings.load(options=chosen)
    models = open_models(settings, operator_names())
    trace = Trace("benchmark", None)
    try:
        run = Run(Question.ask("Is the claim true?"), settings, CHECKING_A_CLAIM, (), models, trace=trace)
        return await open_critic(run).judge(claims)
    finally:
        trace.close()
        await models.close()


def evidence_score(judgement: Judgement) -> float:
    """How certain a critic is that the premise is evidence on the claim, 0 to 1; 0 or 1 if it gives no probability."""
    bears = judgement.relation in ("entails", "contradicts", "related")
    if judgement.probability is None:
        return float(bears)
    return judgement.probability if bears else 1 - judgement.probability


def alarmed(judgement: Judgement) -> bool:
    """Whether a reader would be warned: no evidence, contradicted, not judged, or any difference flagged."""
    return judgement.relation not in ("entails", "related") or bool(judgement.flags)
