"""How likely quotes answer a question though the rule misses something that it is about, by what words mean.

People say oysters where a text says shellfish, and a hip replacement where it says prosthetic hip. Learned from the
questions that the rule refuses: BioASQ's, people's, and both with their subject's papers taken out or with a sibling of
a thing in its place (`scripts/train_near_miss.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from medground.language import words
from medground.language.clean import without_accents
from medground.language.question_reading import QuestionReading
from medground.language.subject import PART, Subject
from medground.language.word_vectors import Nearness, meaning

WEIGHTS = (1.518, 4.894, -0.246, -1.025, -1.272, 1.308, 2.347, -3.703, -1.418)
BIAS = -2.01
LEAST = 0.4
"""Probability from which quotes count as on the subject. By folds it answers 17 of the 57 questions of BioASQ 7b to 9b,
and 5 of 21 of people, that the rule refuses though their first quote is right; it passes 9 more of 1,717 whose papers
were taken out, and 6 of 609 on a sibling."""
_FIRST = 3
"""Quotes that are looked at."""


class Quoted(NamedTuple):
    """A quote, the title of its document, and both with the text around it, as read."""

    title: str
    quote: str
    passage: str


def signs(asked: QuestionReading, quotes: Sequence[Quoted]) -> tuple[float, ...]:
    """What the probability is made of.

    In this order: how near words come to those of what is missing; to all that the first passage should have; how many
    things decide; whether most of what is asked is not there; whether things are not named, or not together; how near
    the meanings of question and quote are; whether initials of what is missing are there; the share of things that no
    passage names; the share of what is asked that a quote and its title have.
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
    )


def likely_on_subject(asked: QuestionReading, quotes: Sequence[Quoted]) -> bool:
    """Whether quotes, best first, are likely about the things asked about, where the rule says that one is missing.

    Never where they do not speak of what is asked of the things.
    """
    if asked.aspect_lost([f"{one.title}\n{one.quote}" for one in quotes]):
        return False
    logit = BIAS + float(np.dot(WEIGHTS, signs(asked, quotes)))
    return bool(1 / (1 + math.exp(-logit)) >= LEAST)


def _near(terms: Sequence[str], stems: Sequence[str], weights: Sequence[float] | None = None) -> float:
    """How near some stems come to terms, on average."""
    if not (terms and stems):
        return 0.0
    return float(np.average(Nearness(tuple(terms), stems)(stems), weights=weights))


def _initials(thing: Subject, text: str) -> bool:
    initials = "".join(part[0] for part in PART.findall(thing.said) if part.isalpha()).upper()
    return len(initials) > 1 and re.search(rf"\b{initials}\b", text) is not None
