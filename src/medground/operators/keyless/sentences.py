"""How much a sentence looks like one that answers a question: its words, its form and its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.operators.keyless import words

_RESULT = re.compile(
    r"\b(?:significant(?:ly)?|showed|shown|found|conclu\w+|suggest\w*|demonstrat\w+|reveal\w*|indicat\w+|observed|"
    r"results?|findings?|higher|lower|increased?|decreased?|reduced|improved|correlated|associated|predict\w*|"
    r"p\s*[<=>≤]|odds|hazard|ratio|ci)\b",
    re.IGNORECASE,
)


def strength(question: str, sentences: Sequence[str], section: str = "") -> list[float]:
    """One number per sentence of a passage, higher for a better quote, about 0 to 1."""
    topic = words.topic(question)
    last = max(len(sentences) - 1, 1)
    return [
        0.5 * words.coverage(topic, words.terms(s)) + 0.4 * bool(_RESULT.search(s)) + 0.1 * n / last
        for n, s in enumerate(sentences)
    ]
