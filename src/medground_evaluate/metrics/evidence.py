"""How answers rest on evidence: citations, support, what a model says of them, grounding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from medground.answering.verify.critic import Claim, Critic, Judgement
from medground.models.operators.base import EvidenceView
from medground.values.answer import Answer
from medground_evaluate.items import RunLine
from medground_evaluate.statistics import Mean, Share, item_score, mean


@dataclass(frozen=True)
class CitationScores:
    """Citation scores of one or more answers.

    Attributes:
        recall: statements entailed by all their citations together, of all statements.
        precision: citations that their statement needs, of all citations. A citation is needed if the statement is
            entailed and either the citation entails it alone, or the others do not entail it without this one.
        failed: statements that the critic could not judge; they are in neither denominator.
    """

    recall: Share
    precision: Share
    failed: int = 0

    def __add__(self, other: CitationScores) -> CitationScores:
        return CitationScores(
            Share(self.recall.right + other.recall.right, self.recall.of + other.recall.of),
            Share(self.precision.right + other.precision.right, self.precision.of + other.precision.of),
            self.failed + other.failed,
        )


@dataclass(frozen=True)
class DocumentCitations:
    """Cited documents against gold documents: means over questions with gold documents, 0 to 1.

    `precision` has no value for an answer that cites nothing.
    """

    precision: Mean
    recall: Mean


async def citation_scores(answer: Answer, critic: Critic) -> CitationScores:
    """Judge every citation of an answer; the critic is called once.

    Raises:
        BudgetExhausted: raised by the critic.
    """
    quotes = {e.id: e.quote for e in answer.evidence}
    asked = [_claims(s.text, [quotes[e] for e in dict.fromkeys(s.evidence)]) for s in answer.statements]
    judged = iter(await critic.judge([claim for claims in asked for claim in claims]))
    scores = CitationScores(Share(0, 0), Share(0, 0))
    for claims in asked:
        scores += _scored([next(judged) for _ in claims], bool(claims[0].premises))
    return scores


def document_citations(lines: Iterable[RunLine]) -> DocumentCitations:
    """Precision and recall of the documents that answers cite."""
    scores = [item_score(line.gold_documents, line.cited) for line in lines if line.gold_documents]
    return DocumentCitations(mean(one.precision for one in scores), mean(one.recall for one in scores))


def _claims(statement: str, quotes: Sequence[str]) -> list[Claim]:
    """The statement against all its quotes and, if there are several, against each alone and all but each."""
    claims = [_claim(statement, quotes)]
    if len(quotes) > 1:
        claims += [_claim(statement, [quote]) for quote in quotes]
        claims += [_claim(statement, [*quotes[:i], *quotes[i + 1 :]]) for i in range(len(quotes))]
    return claims


def _claim(statement: str, quotes: Sequence[str]) -> Claim:
    # One premise: the quotes together may prove what none proves alone.
    joined = " ".join(quotes)
    return Claim(statement, (EvidenceView(id="E1", quote=joined),) if joined else ())


def _scored(judged: Sequence[Judgement], cited: bool) -> CitationScores:
    if any(judgement.relation == "failed" for judgement in judged):
        return CitationScores(Share(0, 0), Share(0, 0), failed=1)
    entailed, *rest = [judgement.relation == "entails" for judgement in judged]
    if not rest:
        return CitationScores(Share(entailed, 1), Share(entailed, 1) if cited else Share(0, 0))
    alone, without = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    needed = sum(entailed and (one or not others) for one, others in zip(alone, without, strict=True))
    return CitationScores(Share(entailed, 1), Share(needed, len(alone)))


@dataclass(frozen=True)
class SupportScores:
    """Means over answers, 0 to 1, each with the number of answers that have and do not have that score.

    An answer without statements, or not assessed by a validated judge, has no score, which differs from a score of 0.
    """

    support: Mean
    faithfulness: Mean
    statements: Mean
    """Statements per answer."""


def support_scores(lines: Iterable[RunLine]) -> SupportScores:
    """Average the scores of a run's answers. Lines without statements have no score."""
    kept = list(lines)
    return SupportScores(
        support=mean(line.support for line in kept),
        faithfulness=mean(line.faithfulness for line in kept),
        statements=mean(float(line.statements) for line in kept),
    )


@dataclass(frozen=True)
class Assessments:
    """Of the answers that a model assessed.

    Attributes:
        correct: rationales called CORRECT, of those with a verdict.
        quality: mean quality, 1 to 5.
    """

    correct: Share
    quality: Mean


def assessments(answers: Iterable[Answer | None]) -> Assessments | None:
    """The assessments of a run's answers; None if there is none."""
    found = [answer.assessment for answer in answers if answer is not None and answer.assessment is not None]
    if not found:
        return None
    verdicts = [one.verdict for one in found if one.verdict is not None]
    qualities = (None if one.quality is None else float(one.quality) for one in found)
    return Assessments(Share(verdicts.count("CORRECT"), len(verdicts)), mean(qualities))


def grounded_rate(
    lines: Iterable[RunLine], items: int | None = None, sufficient: Collection[str] | None = None
) -> Share:
    """Evidence-grounded response rate (EGR): the share of questions whose answer cites evidence.

    An answer lists verbatim quotes that passed its recipe's checks: those behind its sentences, and those named by
    verification or a conflict. An answer with a quote is grounded; one that failed or has no line is not.

    Args:
        lines: the lines of one run.
        items: number of items in the run; None counts only the given lines.
        sufficient: ids of the questions whose evidence was found sufficient (Eq. 15); only they count then. That is the
            paper's own definition (Table 5), in which a recipe without this check scores 0.
    """
    grounded = count = 0
    for line in lines:
        count += 1
        grounded += bool(line.cited) and (sufficient is None or line.id in sufficient)
    return Share(grounded, max(count, items or 0))
