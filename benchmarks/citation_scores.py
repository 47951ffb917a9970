"""Citation recall and precision of an answer (ALCE, Gao et al. 2023), as a critic judges them.

scores = await citation_scores(answer, critic)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering import Claim, Critic
from medground.models import EvidenceView
from medground.values import Answer
from medground_evaluate.statistics import Share


@dataclass(frozen=True)
class CitationScores:
    """Citation scores of an answer (ALCE).

    Attributes:
        recall: statements entailed by all their citations together, of all statements.
        precision: citations that their statement needs, of all citations. A citation is needed if the statement is
            entailed and either the citation entails it alone, or the others do not entail it without this one.
        failed: statements that the critic could not judge; they are in neither denominator.
    """

    recall: Share
    precision: Share
    failed: int = 0


async def citation_scores(answer: Answer, critic: Critic) -> CitationScores:
    """Judge every citation of an answer; the critic is called once, and may raise BudgetExhausted."""
    quotes = {e.id: e.quote for e in answer.evidence}
    asked = [_claims(s.text, [quotes[e] for e in dict.fromkeys(s.evidence)]) for s in answer.statements]
    judged = iter(await critic.judge([claim for claims in asked for claim in claims]))
    entailed = statements = needed = citations = failed = 0
    for claims in asked:
        relations = [next(judged).relation for _ in claims]
        if "failed" in relations:
            failed += 1
            continue
        whole, *rest = [relation == "entails" for relation in relations]
        alone, without = (rest[: len(rest) // 2], rest[len(rest) // 2 :]) if rest else ([whole], [False])
        statements, entailed = statements + 1, entailed + whole
        if claims[0].premises:
            citations += len(alone)
            needed += sum(whole and (one or not others) for one, others in zip(alone, without, strict=True))
    return CitationScores(Share(entailed, statements), Share(needed, citations), failed)


def _claims(statement: str, quotes: Sequence[str]) -> list[Claim]:
    """The statement against all its quotes and, if there are several, against each alone and all but each."""
    several = [[quote] for quote in quotes] + [[*quotes[:i], *quotes[i + 1 :]] for i in range(len(quotes))]
    texts = [" ".join(some) for some in (quotes, *(several if len(quotes) > 1 else ()))]
    # One premise: the quotes together may prove what none proves alone.
    return [Claim(statement, (EvidenceView(id="E1", quote=text),) if text else ()) for text in texts]
