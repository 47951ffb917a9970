"""The critic that ships with the package, once `medground models fetch` has made it.

It was measured on statements beside a few neighbouring sentences of an abstract, so that is what it is given: the
windows of each passage that tell most (`telling`). The quote that an answer shows is a window that it read. It says
nothing below the probability at which it was right often enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.answering.run import Run
from medground.answering.verify.critic import Claim, Judgement, Reads, Score
from medground.answering.verify.nli_critic import NliCritic
from medground.language import words
from medground.language.question_reading import Asked
from medground.language.quoting.judged import Candidate
from medground.models.operators.base import EvidenceView
from medground.values.grouping import grouped

if TYPE_CHECKING:
    from medground.models.pair_network import PairNetwork


WINDOWS = 3
"""Windows that are read of each passage."""
_LEAST = 1e-6
"""Probabilities are kept at least this large, so that their ratio is finite."""


def telling(claim: Claim, premises: Iterable[EvidenceView]) -> list[EvidenceView]:
    """Of each passage the windows that probably tell whether a claim is true, at most `WINDOWS`, best first.

    A window is worth the share of the statement's words that it has, by weight, and how likely it holds the best quote
    of the passage (`quoting`). Of equal ones the shorter is better. Premises are of one passage if their ids are the
    same up to the first full stop: `P1.S1`, `P1.S2`.
    """
    wanted = words.terms(claim.statement)
    found: list[EvidenceView] = []
    for windows in _by_passage(premises):
        worth = _worth(claim.asked, wanted, windows)
        order = sorted(range(len(windows)), key=lambda n: (-worth[n], len(windows[n].quote)))
        found += [windows[n] for n in order[:WINDOWS]]
    return found


def on_subject(claim: Claim, premises: Iterable[EvidenceView]) -> list[EvidenceView]:
    """The premises of passages that name, in the text or the title, the rarest name of a claim, if it has one.

    A network that reads of another gene or drug often overlooks it.
    """
    name = claim.asked.rarest_name
    return [
        window
        for windows in _by_passage(premises)
        if words.mentions("\n".join([windows[0].title, *(window.quote for window in windows)]), name)
        for window in windows
    ]


def _worth(claimed: Asked, wanted: Sequence[str], windows: Sequence[EvidenceView]) -> list[float]:
    from medground.language.quoting.scorer import strengths

    texts = [window.quote for window in windows]
    sentences = [text for text in texts if not any(other in text for other in texts if other != text)]
    candidate = Candidate(windows[0].title, sentences, by_words=1.0, headings=[windows[0].section] * len(sentences))
    found = strengths(claimed, [candidate])[0]
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
        lean = whole.entailment - whole.contradiction
        says = [0.0 if (s.entailment - s.contradiction) * lean < 0 else _said(s) for s in own]
        shown.append(windows[says.index(max(says))])
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
    found = grouped((premise.id.partition(".")[0], premise) for premise in premises)
    return list(found.values())


_SAID = {"entails": "supports", "contradicts": "contradicts"}
_OFF_SUBJECT = "no text found mentions the subject of the statement; this is the nearest"
_OPPOSED = "another text says the opposite, less clearly"


class TrainedCritic(NliCritic):
    """Judges claims with a shipped network, in a thread."""

    reads: Reads = "windows"

    def __init__(self, run: Run, scorer: PairScorer) -> None:
        super().__init__(run, scorer.name, scorer)
        self._least = scorer.least

    def _near(self, claim: Claim) -> list[EvidenceView]:
        return telling(claim, on_subject(claim, super()._near(claim)))

    def _decide(self, claim: Claim, premises: Sequence[EvidenceView], scores: Sequence[Score]) -> Judgement:
        if not premises:
            nearest = telling(claim, super()._near(claim))[0]
            return Judgement("unsure", nearest.id, note=_OFF_SUBJECT)
        return super()._decide(claim, *of_passages(premises, scores))

    def _final(self, judgement: Judgement) -> Judgement:
        said = _SAID.get(judgement.relation)
        if said is None or judgement.probability is None:
            return judgement
        if judgement.probability >= self._least:
            return replace(judgement, note=_OPPOSED if judgement.note else "")
        note = (
            f"{self.name} is not certain enough to judge: it {said} with a probability of {judgement.probability:.0%}, "
            f"and counts from {self._least:.0%}"
        )
        return replace(judgement, relation="unsure", note=note)


class PairScorer:
    """A shipped network as the source of the two scores that a critic needs.

    It says nothing below the probability `least`, the higher of its own and `judges_from` of its card.
    """

    def __init__(self, network: PairNetwork, judges_from: float = 0.0) -> None:
        self.name, self._network = network.name, network
        self.least = max(network.about.abstain_below, judges_from)
        self._places = [network.about.labels.index(label) for label in ("entails", "contradicts")]

    def problem(self, statement: str) -> str | None:
        """Why the model cannot judge a statement, or None."""
        return self._network.problem(statement)

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool] = lambda: False) -> list[Score]:
        """Score pairs of premise and hypothesis; results are in order. This blocks.

        Raises ModelFailed: the network could not run.
        """
        entailment, contradiction = self._places
        found = self._network.probabilities(pairs, stopped)
        return [Score(float(row[entailment]), float(row[contradiction])) for row in found]


def open_trained(name: str, models: Path) -> PairScorer:
    """Open a shipped critic, once.

    Raises ConfigError: it was not fetched, an extra is missing, or a file is damaged.
    """
    from medground.models.available import made

    folder, card = made(name, models)
    return _opened(name, folder, card.judges_from)


@lru_cache(maxsize=2)
def _opened(name: str, folder: Path, judges_from: float) -> PairScorer:
    from medground.models.pair_network import open_network

    return PairScorer(open_network(name, folder), judges_from)
