"""Answers against gold answers (accuracy, sets, classes, rounds, ROUGE-L), and how they rest on evidence."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from medground.values import Answer
from medground_evaluate.items import RunLine, tallied
from medground_evaluate.statistics import ClassScore, Mean, Share, item_score, mean, scores_by_class


def accuracy(lines: Iterable[RunLine], items: int | None = None) -> Share:
    """Correct answers among all items; lines without a gold answer are not counted at all.

    An item that failed, was unreadable or was left unanswered counts as wrong, and so does one of the run's `items`
    without a line.
    """
    return tallied(lines, items or 0).final


@dataclass(frozen=True)
class SetScores:
    """Over all items with a gold answer; an item without an answer scores 0.

    `partial` is the mean share of values that are right and were chosen, of all that are right or were chosen; 0 if
    there are no items.
    """

    exact: Share
    partial: float


def set_scores(lines: Iterable[RunLine]) -> SetScores:
    """Exact match and partial credit, for questions with several right answers. Lines without gold are left out."""
    items = [item_score(line.gold, line.answer) for line in lines if line.gold]
    count = max(len(items), 1)
    return SetScores(
        exact=Share(sum(one.both == one.gold == one.given for one in items), len(items)),
        partial=sum(one.both / (one.gold + one.given - one.both) for one in items) / count,
    )


def class_scores(lines: Iterable[RunLine]) -> tuple[ClassScore, ...]:
    """A score for each class that is a gold answer or was given, sorted by label.

    If several answers are correct, each of them is a separate class. Items without an answer lower the recall of their
    gold class but no precision. Lines without a gold answer are left out.
    """
    return scores_by_class((line.gold, line.answer) for line in lines if line.gold)


def macro_f1(scores: Iterable[ClassScore]) -> float | None:
    """The unweighted mean of the classes' F1; None if there are no classes."""
    return mean(score.f1 for score in scores).value


def confusion(lines: Iterable[RunLine]) -> Counter[tuple[str, str]]:
    """How often each gold answer received each answer: a count by `(gold, answer)`, with an empty text for no answer.

    Several correct answers form a single class here, such as `A, C`.
    """
    pairs = ((line.gold, line.answer) for line in lines if line.gold)
    return Counter((", ".join(sorted({*gold})), ", ".join(sorted({*answer}))) for gold, answer in pairs)


@dataclass(frozen=True)
class RoundPoint:
    """Scores of all questions after a round.

    Attributes:
        macro_f1: None if no question has a gold answer.
    """

    number: int
    asked: int
    accuracy: Share
    macro_f1: float | None


def round_curve(histories: Sequence[tuple[RunLine, Sequence[Sequence[str]]]]) -> tuple[RoundPoint, ...]:
    """The curve over the pairs `(line, its answer after each round)`.

    A question that ended earlier keeps its last answer; a question without any round has no answer and counts as wrong.
    """
    last = max((len(answers) for _, answers in histories), default=0)
    points = []
    for number in range(1, last + 1):
        lines = [
            line.replace(answer=tuple(answers[min(number, len(answers)) - 1]) if answers else ())
            for line, answers in histories
        ]
        asked = sum(len(answers) >= number for _, answers in histories)
        points.append(RoundPoint(number, asked, accuracy(lines), macro_f1(class_scores(lines))))
    return tuple(points)


_WORD = re.compile(r"[^\W_]+")


def rouge_l(answer: str, references: str | Sequence[str]) -> ClassScore:
    """ROUGE-L, the longest common subsequence of words, against the reference with the highest F1.

    Words are sequences of letters and digits, lower-cased and not stemmed.
    """
    given = [references] if isinstance(references, str) else references
    words, *others = (_WORD.findall(text.lower()) for text in (answer, *given))
    scores = (ClassScore("", len(other), len(words), int(LCSseq.similarity(words, other))) for other in others)
    return max(scores, key=lambda score: score.f1, default=ClassScore("", 0, 0, 0))


@dataclass(frozen=True)
class DocumentCitations:
    """Cited documents against gold documents: means over questions with gold documents, 0 to 1.

    `precision` has no value for an answer that cites nothing.
    """

    precision: Mean
    recall: Mean


def document_citations(lines: Iterable[RunLine]) -> DocumentCitations:
    """Precision and recall of the documents that answers cite."""
    scores = [item_score(line.gold_documents, line.cited) for line in lines if line.gold_documents]
    return DocumentCitations(mean(score.precision for score in scores), mean(score.recall for score in scores))


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

    An answer lists verbatim quotes that passed its recipe's checks. One that failed or has no line is not grounded.

    Args:
        items: number of items in the run; None counts only the given lines.
        sufficient: ids of the questions whose evidence was found sufficient (Eq. 15); only they count then. That is the
            paper's own definition (Table 5), in which a recipe without this check scores 0.
    """
    grounded = count = 0
    for line in lines:
        count += 1
        grounded += bool(line.cited) and (sufficient is None or line.id in sufficient)
    return Share(grounded, max(count, items or 0))
