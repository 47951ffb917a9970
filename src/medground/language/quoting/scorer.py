"""How likely each sentence of the documents found answers a question: a weighted sum of `COLUMNS`, the one table of
what counts.

`scripts/train_scorer.py` learns the weights from sentences and papers that experts marked; `data/scorer.json` holds
them with the data and the figures.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.errors import ConfigError
from medground.language import kinds, words
from medground.language.kinds import Nearness
from medground.language.question_reading import Asked
from medground.language.quoting.headings import FOUND, parts_of
from medground.language.quoting.judged import Candidate
from medground.language.quoting.leading import is_fragment

Matrix = NDArray[np.float64]

COLUMNS: Mapping[str, str] = {
    "searched": "how well the search by words ranked its document: BM25 as a share of the best document's",
    "near": "how near its words and its title's come to those of the question, squared; rare words count more",
    "named": "share of the things asked about, and of what is asked of them, that it and its title name",
    "title names": "its title has the word of the question that is rarest among the documents found",
    "together": "share of the question's neighbouring words that stand side by side in its document",
    "late": "how late in it the first word of the question comes, as a logarithm",
    "kind": "how well it or a neighbour tells what is asked, such as causes",
    "title's kind": "how well its title tells what is asked",
    "found": "it stands under results, discussion or conclusions",
    "in parts": "its document has parts with such names, as papers have",
    "size": "how much of its document is read: words, as a logarithm",
    "fragment": "it is not a whole sentence, repeats its title, or only states an aim",
}
"""By name, what each column means."""

_NOWHERE = 3.0
"""How late the question's words come in a sentence that has none of them."""
_COMMON = 0.4
"""How much a word counts that says nothing of the topic."""


def columns(asked: Asked, candidates: Sequence[Candidate]) -> Matrix:
    """One row for each sentence of all candidates, in order. Array of shape (sentences, len(COLUMNS)).

    Args:
        candidates: the documents, in the order of the search.
    """
    texts = [_Text(asked, candidate) for candidate in candidates]
    wanted = _Wanted(asked, texts)
    rows = [row for text in texts for row in _rows(wanted, text)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))


@dataclass(frozen=True)
class _Text:
    """A candidate in the words of the question."""

    asked: Asked
    candidate: Candidate

    @cached_property
    def title(self) -> str:
        return self.asked.in_own_words(self.candidate.title)

    @cached_property
    def sentences(self) -> list[str]:
        return [self.asked.in_own_words(sentence) for sentence in self.candidate.sentences]

    @cached_property
    def title_stems(self) -> list[str]:
        return words.terms(self.title)

    @cached_property
    def stems(self) -> list[list[str]]:
        """The content stems of each sentence."""
        return [words.terms(sentence) for sentence in self.sentences]

    @cached_property
    def all_stems(self) -> list[str]:
        return [*self.title_stems, *(stem for stems in self.stems for stem in stems)]


class _Wanted:
    """What the texts of a question are compared with."""

    def __init__(self, asked: Asked, texts: Sequence[_Text]) -> None:
        core = asked.reworded(asked.core)
        content = words.terms(asked.core)
        self.asked, self.terms = asked, tuple(dict.fromkeys(content))
        self.pairs = frozenset(pairwise(content))
        weights = np.array([words.weight(t) * (1.0 if t in core.topic else _COMMON) for t in self.terms])
        self.weights = weights / (weights.sum() or 1.0)
        self.nearness = Nearness(self.terms, (stem for text in texts for stem in text.all_stems))
        self.rarest = _rarest(core.topic, [frozenset(text.all_stems) for text in texts])
        self.kinds = kinds.asked(asked.without_things(asked.plain))
        self.names = frozenset(stem for thing in asked.deciding for stem in words.terms(thing.said))


def _rarest(topic: frozenset[str], bodies: Sequence[frozenset[str]]) -> str:
    """The word of a topic that fewest documents have, of those that one has; empty if none has any."""
    held = {stem: sum(stem in body for body in bodies) for stem in topic}
    there = [stem for stem in topic if held[stem]]
    rarity = {stem: -math.log(held[stem] + 0.5) + 0.3 * words.weight(stem) for stem in there}
    return min(there, key=lambda stem: (-rarity[stem], stem), default="")


def _rows(wanted: _Wanted, text: _Text) -> list[list[float]]:
    asked, candidate = wanted.asked, text.candidate
    title = wanted.nearness(text.title_stems)
    near = [float(np.maximum(wanted.nearness(stems), title) @ wanted.weights) for stems in text.stems]
    fits = [_fit(wanted, kinds.told(words.stems(sentence), wanted.names)) for sentence in text.sentences]
    title_fits = _fit(wanted, kinds.asked(asked.without_things(text.title))) if text.title else 0.0
    together = len(wanted.pairs.intersection(pairwise(text.all_stems))) / max(len(wanted.pairs), 1)
    in_parts = any(map(parts_of, candidate.headings))
    rows = []
    for place, (sentence, stems) in enumerate(zip(candidate.sentences, text.stems, strict=True)):
        row = {
            "searched": candidate.by_words,
            "near": near[place] ** 2,
            "named": asked.share_named(candidate.title, sentence),
            "title names": wanted.rarest in text.title_stems,
            "together": together,
            "late": _late(wanted.terms, stems),
            "kind": max(fits[max(place - 1, 0) : place + 2]),
            "title's kind": title_fits,
            "found": not parts_of(candidate.heading(place)).isdisjoint(FOUND),
            "in parts": in_parts,
            "size": math.log1p(len(text.all_stems)),
            "fragment": is_fragment(sentence, candidate.title),
        }
        rows.append([float(row[name]) for name in COLUMNS])
    return rows


def _fit(wanted: _Wanted, told: kinds.Shares) -> float:
    """How likely what is told is of the kind that is asked for; what is of no kind fits nothing."""
    return float(wanted.kinds[:-1] @ told[:-1])


def _late(terms: Sequence[str], stems: Sequence[str]) -> float:
    places = (place for place, stem in enumerate(stems) if stem in terms)
    first = next(places, None)
    return _NOWHERE if first is None else math.log1p(first)


Terms = Mapping[str, float]
"""What each column adds to the score of a sentence, by name."""


def terms(asked: Asked, candidates: Sequence[Candidate]) -> list[list[Terms]]:
    """For each candidate, the terms of each of its sentences.

    Args:
        candidates: the documents, in the order of the search.
    """
    weighed = (columns(asked, candidates) * _weights()).round(6).tolist()
    rows = iter([dict(zip(COLUMNS, row, strict=True)) for row in weighed])
    return [[next(rows) for _ in candidate.sentences] for candidate in candidates]


def strengths(asked: Asked, candidates: Sequence[Candidate]) -> list[list[float]]:
    """For each candidate, the score of each of its sentences; only their order has a meaning."""
    return [[sum(row.values()) for row in rows] for rows in terms(asked, candidates)]


def digest(weights: Mapping[str, float]) -> str:
    """SHA-256 over weights as JSON."""
    return hashlib.sha256(json.dumps(weights, sort_keys=True).encode()).hexdigest()


@cache
def _weights() -> np.ndarray:
    """The shipped weight of each column. Raises ConfigError: the file of the package is damaged."""
    stored = json.loads((resources.files("medground") / "data" / "scorer.json").read_text(encoding="utf-8"))
    weights = stored["weights"]
    if digest(weights) != stored["sha256"] or list(weights) != list(COLUMNS):
        raise ConfigError("the weights of the scorer (data/scorer.json) are damaged; reinstall medground")
    return np.array([*weights.values()])
