"""SciFact: claims under the sentences that support or refute them, and under others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairing.changed import contrary
from pairing.pair import Label, Pair, Weights, joined
from pairing.paraphrase import reworded

_LABELS: Mapping[str, Label] = {"SUPPORT": "entails", "CONTRADICT": "contradicts"}
_TURNED: Mapping[Label, Label] = {"entails": "contradicts", "contradicts": "entails"}


def judged(claim: Mapping[str, Any], document: str) -> tuple[Label, list[int]]:
    """The label of a claim under a document it cites, and the indices of the sentences that decide it."""
    evidence = claim["evidence"].get(document)
    if not evidence:
        return "neutral", []
    return _LABELS[evidence[0]["label"]], sorted({p for part in evidence for p in part["sentences"]})


def plain(claims: Sequence[Mapping[str, Any]], corpus: Mapping[str, Sequence[str]], weights: Weights) -> Iterator[Pair]:
    """Each claim once under each abstract it cites, as a critic would see it: with sentences found by their words."""
    for claim in claims:
        for document in map(str, claim["cited_doc_ids"]):
            label, _ = judged(claim, document)
            yield Pair(found(claim["claim"], corpus[document], weights), claim["claim"], label, "claim")


def found(claim: str, sentences: Sequence[str], weights: Weights, number: int = 3) -> str:
    """The sentences of an abstract that share most words with a claim, in order."""
    return joined([sentences[i] for i in weights.best(claim, sentences, number)])


def augmented(
    claims: Sequence[Mapping[str, Any]],
    corpus: Mapping[str, Sequence[str]],
    weights: Weights,
    rng: random.Random,
    rounds: int,
) -> Iterator[Pair]:
    """Each claim several times: under the deciding sentences, alone or with others; reworded; and reversed."""
    for _ in range(rounds):
        for claim in claims:
            for document in map(str, claim["cited_doc_ids"]):
                label, places = judged(claim, document)
                sentences = corpus[document]
                yield from _versions(
                    claim["claim"], label, _premise(claim["claim"], places, sentences, weights, rng), rng
                )
                if places and rng.random() < 0.4:
                    yield Pair(_without(claim["claim"], places, sentences, weights), claim["claim"], "neutral", "claim")


def _premise(claim: str, places: Sequence[int], sentences: Sequence[str], weights: Weights, rng: random.Random) -> str:
    if not places or rng.random() < 0.3:
        return found(claim, sentences, weights, rng.choice((2, 3)))
    near = {p + d for p in places for d in (-1, 0, 1) if rng.random() < 0.35 or d == 0}
    return joined([sentences[p] for p in sorted(near) if 0 <= p < len(sentences)])


def _without(claim: str, places: Sequence[int], sentences: Sequence[str], weights: Weights) -> str:
    return found(claim, [s for i, s in enumerate(sentences) if i not in places], weights)


def _versions(claim: str, label: Label, premise: str, rng: random.Random) -> Iterator[Pair]:
    yield Pair(premise, reworded(claim, rng.getrandbits(30)), label, "claim")
    if label in _TURNED:
        kinds = ("negation", "direction") if label == "entails" else ("negation",)
        turned = [t for k in kinds if (t := contrary(k, claim, rng))]
        if turned:
            yield Pair(premise, reworded(rng.choice(turned), rng.getrandbits(30)), _TURNED[label], "claim turned")
