"""The features of sentences, for the model in `model.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.quoting.asked import KINDS, Asked
from medground.quoting.cues import HOLDS, NOT_PROSE, ROLES, roles
from medground.text import words

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """A document to quote from, or what was found of it.

    Attributes:
        title: its title.
        sentences: the sentences in text order.
        by_words: its best score of the ranking by words, divided by the best of all documents; 0 to 1, 0 if unknown.
        by_meaning: its cosine with the question; 0 if unknown.
    """

    title: str
    sentences: Sequence[str]
    by_words: float = 0.0
    by_meaning: float = 0.0


ROLE_NAMES = tuple(ROLES)
PLAIN = (
    "cover",
    "cover plain",
    "cover of names",
    "rarest here",
    "rarest in title",
    "rarest near",
    "rarest in document",
    "cover with title",
    "cover with before",
    "pairs",
    "heaviest missing",
    "pool cover",
    "bm25",
    "best cover share",
    "title cover",
    "document cover",
    "document window",
    "document pairs",
    "rank",
    "first rank",
    "by words",
    "by meaning",
    "meaning known",
    "document centre",
    "centre",
    "centre per word",
    "new words",
    "place",
    "first",
    "last",
    "log length",
    "short",
    "long",
    "not prose",
    "starts with question's word",
    "options",
    "size of document",
    "title centre",
    "title same",
    "only title",
    "covered terms",
    "digits",
    "claim: rank",
    "claim: by words",
    "claim: cover",
    "closed: finding",
    "closed: conclusion",
    "closed: negation",
    "abstract: place",
    "abstract: first",
    "abstract: last",
    "abstract: result",
    "best of document",
)
NAMES = (
    *PLAIN,
    *(f"role {name}" for name in ROLE_NAMES),
    *(f"asked and held: {kind}" for kind in KINDS),
    *(f"asked and not held: {kind}" for kind in KINDS),
)
CENTRE_TERMS = 60
_ABSTRACT = 5
"""Sentences: with fewer, the place of a sentence says little."""
_CLOSED = tuple(ROLE_NAMES.index(name) for name in ("finding", "conclusion", "negation"))
_RESULT = tuple(ROLE_NAMES.index(name) for name in ("finding", "comparison", "conclusion"))


@dataclass
class _Pool:
    """The documents' stems, and what they have in common."""

    asked: Asked
    candidates: Sequence[Candidate]
    titles: list[list[str]] = field(default_factory=list)
    sentences: list[list[list[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.titles = [words.terms(c.title) for c in self.candidates]
        self.sentences = [[words.terms(s) for s in c.sentences] for c in self.candidates]
        self.bodies = [{*t, *(w for s in b for w in s)} for t, b in zip(self.titles, self.sentences, strict=True)]
        count = len(self.bodies)
        self.weight = dict(zip(self.asked.terms, self.asked.weights, strict=True))
        self.total = sum(self.asked.weights) or 1.0
        self.in_pool = {t: math.log((count + 1) / (sum(t in b for b in self.bodies) + 0.5)) for t in self.asked.terms}
        self.pool_total = sum(self.in_pool.values()) or 1.0
        self.name_total = sum(self.weight[t] for t in self.asked.names) or 1.0
        lengths = [len(s) for b in self.sentences for s in b]
        self.mean_length = (sum(lengths) / len(lengths) if lengths else 1.0) or 1.0
        self._centre()

    def _centre(self) -> None:
        """How much the documents, weighted by rank, speak of each stem that the question does not have."""
        shares = [1.0 / (place + 4) for place in range(len(self.bodies))]
        whole = sum(shares) or 1.0
        self.shares = [s / whole for s in shares]
        mass: dict[str, float] = {}
        for share, body in zip(self.shares, self.bodies, strict=True):
            for term in body:
                mass[term] = mass.get(term, 0.0) + share
        scored = {t: m * words.weight(t) for t, m in mass.items() if t not in self.weight}
        best = sorted(scored, key=lambda t: (-scored[t], t))[:CENTRE_TERMS]
        self.centre = {t: scored[t] for t in best}
        self.centre_total = sum(self.centre.values()) or 1.0

    def of_centre(self, found: set[str], document: int) -> float:
        """The share of the centre in a text, without what its own document adds to the centre."""
        own = self.shares[document]
        return (
            sum(max(0.0, self.centre[t] - own * words.weight(t)) for t in found if t in self.centre) / self.centre_total
        )

    def cover(self, found: set[str]) -> float:
        return sum(w for t, w in self.weight.items() if t in found) / self.total


def features(asked: Asked, candidates: Sequence[Candidate]) -> Matrix:
    """One row per sentence of all candidates, in order; candidates come in the order of the search.

    Returns:
        Array of shape (sentences, len(NAMES)).
    """
    pool = _Pool(asked, candidates)
    rows = [row for number in range(len(candidates)) for row in _document(pool, number)]
    matrix = np.array(rows, dtype=np.float64).reshape(len(rows), len(NAMES))
    if len(rows):
        covers = matrix[:, PLAIN.index("cover")]
        matrix[:, PLAIN.index("best cover share")] = covers / (covers.max() or 1.0)
        for name in ("bm25", "centre", "centre per word", "document centre"):
            column = matrix[:, PLAIN.index(name)]
            matrix[:, PLAIN.index(name)] = column / (column.max() or 1.0)
    return matrix


def _document(pool: _Pool, number: int) -> list[list[float]]:
    asked, candidate = pool.asked, pool.candidates[number]
    title, sentences, body = set(pool.titles[number]), pool.sentences[number], pool.bodies[number]
    stems = [*pool.titles[number], *(t for s in sentences for t in s)]
    title_cover = pool.cover(title)
    wanted = frozenset(asked.terms)
    shared = [
        title_cover,
        pool.cover(body),
        words.densest(wanted, stems, 25),
        len(asked.pairs.intersection(pairwise(stems))) / max(len(asked.pairs), 1),
        math.log(number + 1),
        float(number == 0),
        candidate.by_words,
        candidate.by_meaning,
        float(candidate.by_meaning > 0),
        pool.of_centre(body, number),
    ]
    size, title_centre = math.log1p(len(stems)), pool.of_centre(title, number)
    sets = [set(s) for s in sentences]
    last = max(len(sets) - 1, 1)
    closed = float("closed" in asked.kinds)
    bm25 = [_bm25(pool, terms) for terms in sentences]
    best = max(bm25, default=0.0) or 1.0
    rows = []
    for place, (text, terms, found) in enumerate(zip(candidate.sentences, sentences, sets, strict=True)):
        around = {*title, *(sets[place - 1] if place else ()), *(sets[place + 1] if place + 1 < len(sets) else ())}
        centre, role = pool.of_centre(found, number), roles(text)
        missing = max((w for t, w in pool.weight.items() if t not in found), default=0.0) / words.MOST
        row = [
            pool.cover(found),
            len(wanted & found) / max(len(wanted), 1),
            sum(pool.weight[t] for t in asked.names if t in found) / pool.name_total,
            float(asked.rarest in found),
            float(asked.rarest in title),
            float(asked.rarest in around),
            float(asked.rarest in body),
            pool.cover(found | title),
            pool.cover(found | title | (sets[place - 1] if place else set())),
            len(asked.pairs.intersection(pairwise(terms))) / max(len(asked.pairs), 1),
            missing,
            sum(v for t, v in pool.in_pool.items() if t in found) / pool.pool_total,
            bm25[place],
            0.0,
            *shared,
            centre,
            centre / math.sqrt(len(found) + 3),
            math.log1p(len(found - wanted)),
            place / last,
            *_form(text, terms, wanted, place, len(sets)),
            words.coverage(asked.options, found) if asked.options else 0.0,
            size,
            title_centre,
            float(found == title),
            float(not title),
            len(wanted & found),
            float(any(c.isdigit() for c in text)),
            asked.claim * shared[4],
            asked.claim * candidate.by_words,
            asked.claim * pool.cover(found),
            *(closed * role[place_of] for place_of in _CLOSED),
            *_in_abstract(role, place, len(sets)),
            bm25[place] / best,
            *role,
        ]
        row += _held(asked, text)
        rows.append(row)
    return rows


def _form(text: str, terms: list[str], wanted: frozenset[str], place: int, count: int) -> list[float]:
    """From "first" to "starts with question's word" of `PLAIN`."""
    return [
        float(place == 0),
        float(place == count - 1),
        math.log1p(len(terms)),
        float(len(terms) < 4),
        float(len(terms) > 35),
        float(NOT_PROSE.search(text) is not None),
        float(bool(terms) and terms[0] in wanted),
    ]


def _in_abstract(role: list[float], place: int, count: int) -> list[float]:
    """The "abstract" ones of `PLAIN`: zeros in a shorter text."""
    if count < _ABSTRACT:
        return [0.0] * 4
    return [place / (count - 1), float(place == 0), float(place == count - 1), max(role[n] for n in _RESULT)]


def _held(asked: Asked, text: str) -> list[float]:
    """For each kind, whether it is asked and held; then for each, whether it is asked and not held."""
    held = {kind: form.search(text) is not None for kind, form in HOLDS.items() if kind in asked.kinds}
    return [*(float(held.get(kind, False)) for kind in HOLDS), *(float(not held.get(kind, True)) for kind in HOLDS)]


def _bm25(pool: _Pool, terms: list[str]) -> float:
    norm = 1.2 * (0.25 + 0.75 * len(terms) / pool.mean_length)
    return sum(w * (n := terms.count(t)) * 2.2 / (n + norm) for t, w in pool.weight.items())
