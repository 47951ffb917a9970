"""What a model says of whole answers: the share of rationales that it calls correct, and the mean quality.

Source: Reason and Verify, section 3.4 (binary verdict) and section 4.2.1 (quality from 1 to 5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medground.answer import Answer
from medground.evaluate.metrics.share import Mean, Share, mean


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
