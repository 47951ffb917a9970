"""How likely the first of some quotes answers a question, by what words mean: beside the rule of names.

The rule knows only what is named. People say oysters where a text says shellfish; and quotes that name all that
decides may say nothing of what is asked, such as chocolate and spots. Learned from questions of experts and of
people, asked of the collections that hold the answer, of others, and of such as hold no paper on a thing or a word of
theirs, or on a sibling of the thing (`scripts/train_on_subject.py`, which makes `data/on_subject.json`).
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from medground.language import words
from medground.language.clean import without_accents
from medground.language.question_reading import Asked
from medground.language.subject import PART, Subject
from medground.language.word_vectors import Nearness, meaning

NAMED, UNNAMED = 0.2, 0.45
"""Probability from which quotes stand where the rule misses nothing, and where it misses something; chosen by folds."""
_FIRST = 3
"""Quotes that are looked at."""


class Quoted(NamedTuple):
    """A quote, the title of its document, and both with the text around it, as read."""

    title: str
    quote: str
    passage: str


def signs(asked: Asked, quotes: Sequence[Quoted]) -> tuple[float, ...]:
    """What the probability is made of.

    In this order: how near words come to those of what is missing; to all that the first passage should have; how many
    things decide; whether most of what is asked is not there; whether things are not named, or not together; how near
    the meanings of question and quote are; whether initials of what is missing are there; the share of things that no
    passage names; the share of what is asked that a quote and its title have; the share of things, and of what is asked
    of them, that the first quote and its title name; whether yes or no is asked; whether something is asked of a thing.
    """
    first, topic = quotes[0], sorted(asked.topic)
    passages = [one.passage for one in quotes]
    lost = [asked.not_named(text) for text in passages]
    missing = lost[0] or asked.not_named(first.quote)
    nowhere = [one for one in lost[0] if all(one in each for each in lost)]
    heads = [f"{one.title} {one.quote}" for one in quotes[:_FIRST]]
    stems = [words.stems(without_accents(asked.in_own_words(text))) for text in heads]
    whole, own = words.stems(without_accents(asked.in_own_words(first.passage))), words.stems(heads[0])
    asks = meaning(words.stems(asked.plain))
    return (
        max((_near(words.terms(one.said), own) for one in missing), default=0.0),
        _near(topic, whole, [words.weight(stem) for stem in topic]) if topic else 1.0,
        float(len(asked.deciding)),
        float(bool(asked.uncovered(passages))),
        float(bool(asked.unnamed(passages))),
        max(float(asks @ meaning(words.stems(text))) for text in heads),
        float(any(_initials(one, heads[0]) for one in missing)),
        len(nowhere) / max(len(asked.deciding), 1),
        max(words.coverage(topic, found) if topic else 1.0 for found in stems),
        asked.share_named(first.title, first.quote),
        float("closed" in asked.kinds),
        float(bool(asked.aspects)),
    )


def is_on_subject(asked: Asked, quotes: Sequence[Quoted], *, named: bool) -> bool:
    """Whether quotes, best first, are likely about a question, of which they have what decides `named` or not.

    Never where they do not speak of what is asked of the things.
    """
    if not named and asked.aspect_lost([f"{one.title}\n{one.quote}" for one in quotes]):
        return False
    weights, bias = _weights()
    logit = bias + float(np.dot(weights, signs(asked, quotes)))
    return bool(1 / (1 + math.exp(-logit)) >= (NAMED if named else UNNAMED))


@cache
def _weights() -> tuple[list[float], float]:
    """The weight of each of the `signs`, and the bias."""
    stored = json.loads((resources.files("medground") / "data" / "on_subject.json").read_text(encoding="utf-8"))
    return stored["weights"], stored["bias"]


def _near(terms: Sequence[str], stems: Sequence[str], weights: Sequence[float] | None = None) -> float:
    """How near some stems come to terms, on average."""
    if not (terms and stems):
        return 0.0
    return float(np.average(Nearness(tuple(terms), stems)(stems), weights=weights))


def _initials(thing: Subject, text: str) -> bool:
    initials = "".join(part[0] for part in PART.findall(thing.said) if part.isalpha()).upper()
    return len(initials) > 1 and re.search(rf"\b{initials}\b", text) is not None
