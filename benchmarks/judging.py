"""Critics by name for the benchmarks: `keyless`, `critic`, `nli:FOLDER`, or a model (`local`, `openai:...`).

Each takes the same path as an answer's statements (a run, `open_critic`), except keyless, which is called directly
because it needs no run and its speed is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.answering.conclude.claim import CHECKING_A_CLAIM
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.answering.verify.critic import Claim, Judgement
from medground.answering.verify.critics import open_critic
from medground.engine.opening import operator_names
from medground.home.settings import Settings
from medground.models.catalogue import shipped
from medground.models.operators.compare import compare
from medground.models.registry import open_models
from medground.values.question import Question

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
