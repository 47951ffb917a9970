"""Citation precision and recall: whether citations prove the statements, and whether the right documents are cited.

Source: by statement, T. Gao et al., Enabling large language models to generate text with citations, EMNLP 2023 (ALCE),
section 3; PubMed Reasoner asks for explicit citations (section 3.3). By document, against the documents that a data set
names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medground.answer import Answer
from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Mean, Share, mean
from medground.operators.views import EvidenceView
from medground.verify.critics.base import Claim, Critic, Judgement


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
    pairs = [({*line.cited}, {*line.gold_documents}) for line in lines if line.gold_documents]
    return DocumentCitations(
        precision=mean(len(cited & gold) / len(cited) if cited else None for cited, gold in pairs),
        recall=mean(len(cited & gold) / len(gold) for cited, gold in pairs),
    )


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
