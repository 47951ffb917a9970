"""Which neighbouring sentences of a passage a critic reads, and what it says of the passage as a whole.

One choice of sentences is often a little off: it misses the finding, or adds a sentence that only describes the method.
So several overlapping windows are read. How much the passage says is what its most telling window says; which way is
the mean of all, where a window that says little counts little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from medground.operators.views import EvidenceView
from medground.quoting.pool import Candidate
from medground.text import words
from medground.verify.critics.nli.score import Score

WINDOWS = 3
"""Windows that are read of each passage."""
_LEAST = 1e-6
"""Probabilities are kept at least this large, so that their ratio is finite."""


def telling(statement: str, premises: Iterable[EvidenceView]) -> list[EvidenceView]:
    """Of each passage the windows that probably tell whether a statement is true, at most `WINDOWS`, best first.

    A window is worth the share of the statement's words that it has, by weight, and how likely it holds the best quote
    of the passage (`quoting`). Of equal ones the shorter is better. Premises are of one passage if their ids are the
    same up to the first full stop: `P1.S1`, `P1.S2`.
    """
    wanted = words.terms(statement)
    found: list[EvidenceView] = []
    for windows in _by_passage(premises):
        worth = _worth(statement, wanted, windows)
        order = sorted(range(len(windows)), key=lambda n: (-worth[n], len(windows[n].quote)))
        found += [windows[n] for n in order[:WINDOWS]]
    return found


def on_subject(statement: str, premises: Iterable[EvidenceView]) -> list[EvidenceView]:
    """The premises of passages that name, in the text or the title, the rarest name of a statement, if it has one.

    A network that reads of another gene or drug often overlooks it.
    """
    name = words.rarest_name(statement)
    return [
        window
        for windows in _by_passage(premises)
        if words.mentions("\n".join([windows[0].title, *(window.quote for window in windows)]), name)
        for window in windows
    ]


def _worth(statement: str, wanted: Sequence[str], windows: Sequence[EvidenceView]) -> list[float]:
    from medground.quoting.model import strengths

    texts = [window.quote for window in windows]
    sentences = [text for text in texts if not any(other in text for other in texts if other != text)]
    candidate = Candidate(windows[0].title, sentences, by_words=1.0, headings=[windows[0].section] * len(sentences))
    found = strengths(statement, [candidate])[0]
    raised = [math.exp(value - max(found)) for value in found]
    share = {sentence: value / sum(raised) for sentence, value in zip(sentences, raised, strict=True)}
    return [
        words.coverage(wanted, words.terms(text)) + sum(s for sentence, s in share.items() if sentence in text)
        for text in texts
    ]


def of_passages(premises: Sequence[EvidenceView], scores: Sequence[Score]) -> tuple[list[EvidenceView], list[Score]]:
    """One score for each passage, with the window to show: the most telling of those that agree with the score."""
    scored = {premise.id: score for premise, score in zip(premises, scores, strict=True)}
    shown: list[EvidenceView] = []
    found: list[Score] = []
    for windows in _by_passage(premises):
        own = [scored[window.id] for window in windows]
        whole = of_windows(own)
        says = [0.0 if (s.entailment - s.contradiction) * (whole.entailment - whole.contradiction) < 0 else _said(s)
                for s in own]  # fmt: skip
        shown.append(windows[max(range(len(windows)), key=lambda n: (says[n], -n))])
        found.append(whole)
    return shown, found


def of_windows(scores: Sequence[Score]) -> Score:
    """The score of a passage; not finite if one of the windows is not."""
    if not all(math.isfinite(_said(s)) for s in scores):
        return Score(math.nan, math.nan)
    odds = [math.log(max(s.entailment, _LEAST) / max(s.contradiction, _LEAST)) for s in scores]
    weights = [max(_said(s), _LEAST) for s in scores]
    mean = sum(o * w for o, w in zip(odds, weights, strict=True)) / sum(weights)
    said, share = max(_said(s) for s in scores), 1 / (1 + math.exp(-mean))
    return Score(said * share, said * (1 - share))


def _said(score: Score) -> float:
    """How probably it is not neutral."""
    return score.entailment + score.contradiction


def _by_passage(premises: Iterable[EvidenceView]) -> list[list[EvidenceView]]:
    found: dict[str, list[EvidenceView]] = {}
    for premise in premises:
        found.setdefault(premise.id.partition(".")[0], []).append(premise)
    return list(found.values())
