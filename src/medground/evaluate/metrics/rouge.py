"""ROUGE-L: the longest common subsequence of words in an answer and a reference.

Source: C.-Y. Lin, ROUGE: a package for automatic evaluation of summaries, 2004, section 3.1 (sentence level) with
beta = 1; used by MedOmniKB (source planning) for long answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class RougeL:
    """Precision (of the answer's words), recall (of the reference's), and their harmonic mean; 0 to 1."""

    precision: float
    recall: float
    f1: float


def rouge_l(answer: str, references: str | Sequence[str]) -> RougeL:
    """ROUGE-L against the reference with the highest F1; all 0 if a text has no words or there is no reference.

    Words are sequences of letters and digits, lower-cased and not stemmed.
    """
    given = [references] if isinstance(references, str) else references
    words = _words(answer)
    return max((_against(words, _words(r)) for r in given), key=lambda s: s.f1, default=RougeL(0.0, 0.0, 0.0))


def _against(answer: list[str], reference: list[str]) -> RougeL:
    if not answer or not reference:
        return RougeL(0.0, 0.0, 0.0)
    common = int(LCSseq.similarity(answer, reference))
    return RougeL(common / len(answer), common / len(reference), 2 * common / (len(answer) + len(reference)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
