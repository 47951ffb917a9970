"""Cues of an abstract: how often it negates, hedges or reports no significant result, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from medground.lean.grams import Vector
from medground.text import words

_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "negation": re.compile(
        r"\b(?:no|not|neither|nor|never|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?|non-?significant|"
        r"insignificant)\b|n['’]t\b",
        re.IGNORECASE,
    ),
    "nothing found": re.compile(
        r"\b(?:no|not|nor|neither|without)\b[^.;]{0,60}?\b(?:significan|differ|associat|correlat|effect|impact|improve|"
        r"relationship|influence|change|evidence|predict|increase)\w*|\bnon-?significant|\binsignificant|\bsimilar|"
        r"\bcomparable|\b(?:did|does|was|were) not\b",
        re.IGNORECASE,
    ),
    "significant": re.compile(r"(?<!\bno )(?<!\bnot )\bsignificant(?:ly)?\b", re.IGNORECASE),
    "hedge": re.compile(
        r"\b(?:may|might|could|suggest\w*|possib\w+|potential\w*|appear\w*|seem\w*|likely|unclear|probabl\w+|tend\w*|"
        r"trend)\b",
        re.IGNORECASE,
    ),
}
_P_VALUE = re.compile(r"\bp\s*(?:values?)?\s*([=<>≤≥])\s*(0?[.·]\d{1,8}|\d{1,4})", re.IGNORECASE)
_NOT_SIGNIFICANT = re.compile(r"\b(?:NS|n\.s\.)(?=\W)")
ZONES = ("all", "last", "best", "final")
"""All sentences; the last third; the three that share most with the question; the last sentence."""

NAMES = (
    *(f"{cue} in {zone}" for cue in _PATTERNS for zone in ZONES),
    *(f"{kind} p-values in {zone}" for zone in ZONES[:3] for kind in ("small", "large", "balance of")),
    *(f"{kind} null result in {zone}" for zone in ZONES for kind in ("mean", "greatest", "least")),
    "null result near the question",
)


def last_third(sentences: Sequence[str]) -> Sequence[str]:
    """The last third of the sentences, at least one of them."""
    return sentences[-max(1, len(sentences) // 3) :]


def cues(question: str, sentences: Sequence[str], null_result: Vector) -> Vector:
    """The values of the cues in `NAMES`.

    Args:
        question: the question asked.
        sentences: sentences of one abstract in order, at least one.
        null_result: probability that each sentence reports no significant difference, shape (len(sentences),).

    Returns:
        Array of shape (len(NAMES),).
    """
    wanted = words.terms(question)
    nearness = np.array([words.coverage(wanted, words.terms(s)) for s in sentences])
    everything = np.arange(len(sentences))
    zones = {
        "all": everything,
        "last": everything[-len(last_third(sentences)) :],
        "best": np.argsort(-nearness, kind="stable")[:3],
        "final": everything[-1:],
    }
    texts = {zone: [sentences[i] for i in where] for zone, where in zones.items()}
    values = [float(np.mean([bool(p.search(s)) for s in texts[z]])) for p in _PATTERNS.values() for z in ZONES]
    for zone in ZONES[:3]:
        values += _p_values(" ".join(texts[zone]))
    for zone in ZONES:
        here = null_result[zones[zone]]
        values += [float(here.mean()), float(here.max()), float(here.min())]
    values.append(float((nearness * null_result).sum() / (nearness.sum() + 1e-9)))
    return np.array(values)


def _p_values(text: str) -> list[float]:
    """The number of small and of large p-values (on a log scale), and their balance (-1 to 1)."""
    small, large = 0, len(_NOT_SIGNIFICANT.findall(text))
    for sign, number in _P_VALUE.findall(text):
        if sign in ">≥" or float(number.replace("·", ".")) > 0.05:
            large += 1
        else:
            small += 1
    return [float(np.log1p(small)), float(np.log1p(large)), (small - large) / (small + large + 1)]
