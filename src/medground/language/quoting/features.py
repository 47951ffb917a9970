"""The features of sentences, for the model in `model.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.language import words
from medground.language.question_kinds import KINDS
from medground.language.quoting.asked import Asked
from medground.language.quoting.cues import HOLDS, NOT_PROSE, ROLES, roles
from medground.language.quoting.pool import FOUND, Candidate, Pool, parts
from medground.language.quoting.pool import NAMES as SECTIONS

Matrix = NDArray[np.float64]

ROLE_NAMES = tuple(ROLES)

OF_DOCUMENT = (
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
    "size of document",
    "title centre",
    "only title",
    "rarest in title",
    "rarest in document",
    "document: missing",
    "document: names",
    "document: names lost",
    "document: weakest part",
    "document: key",
    "document: second key",
    "title: key",
    "document: best sentence",
    "closed: document: missing",
    "claim: document: missing",
    "claim: rank",
    "claim: by words",
)
OF_WORDS = (
    "cover",
    "cover plain",
    "covered terms",
    "cover of names",
    "rarest here",
    "rarest near",
    "cover with title",
    "cover with before",
    "cover with title and before",
    "pairs",
    "pairs apart",
    "heaviest missing",
    "missing",
    "weakest part",
    "key",
    "pool cover",
    "bm25",
    "best of document",
    "best cover share",
    "with title: names",
    "with title: missing",
    "with title: all",
    "with title: weakest part",
    "with title: second key",
    "with title: pool cover",
    "closed: with title: missing",
    "claim: with title: pool cover",
    "claim: cover",
    "options",
    "title same",
)
OF_FORM = (
    "centre",
    "centre per word",
    "new words",
    "log length",
    "short",
    "long",
    "not prose",
    "starts with question's word",
    "subject late",
    "tight",
    "defines",
    "asked: defines",
    "digits",
)
OF_PLACE = ("place", "first", "last", "abstract: place", "abstract: first", "abstract: last", "abstract: result")
OF_ROLE = (*(f"role {name}" for name in ROLE_NAMES), "closed: finding", "closed: conclusion", "closed: negation")
OF_KIND = (*(f"asked and held: {kind}" for kind in KINDS), *(f"asked and not held: {kind}" for kind in KINDS))
OF_HEADING = (
    *(f"under {part}" for part in SECTIONS),
    *(f"closed: under {part}" for part in SECTIONS),
    *(f"abstract: under {part}" for part in FOUND),
    *(f"{what}: under {part}" for what in ("cover", "missing", "names") for part in FOUND),
)
NAMES = (*OF_DOCUMENT, *OF_WORDS, *OF_FORM, *OF_PLACE, *OF_ROLE, *OF_KIND, *OF_HEADING)

_AS_SHARES = tuple(NAMES.index(name) for name in ("bm25", "centre", "centre per word", "document centre"))
"""Columns that count as shares of their greatest value."""
_ABSTRACT = 5
"""Sentences: with fewer, the place of a sentence says little."""
_CLOSED = tuple(ROLE_NAMES.index(name) for name in ("finding", "conclusion", "negation"))
_RESULT = tuple(ROLE_NAMES.index(name) for name in ("finding", "comparison", "conclusion"))
_DEFINES = re.compile(
    r"\W*(?:\([^)]{1,60}\)\W*)?(?:,|is|are|was|were|refers)\s+(?:(?:generally|currently|considered|also|usually|"
    r"commonly|often|primarily|mainly|to|defined as)\s+)*(?:an?|the|one of)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Sentence:
    """One sentence, with the question's terms that it, its title and its neighbours have."""

    text: str
    terms: list[str]
    found: frozenset[str]
    held: frozenset[str]
    title: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]


def features(asked: Asked, candidates: Sequence[Candidate]) -> Matrix:
    """One row per sentence of all candidates, in order; candidates come in the order of the search.

    Returns:
        Array of shape (sentences, len(NAMES)).
    """
    pool = Pool(asked, candidates)
    rows = [row for number in range(len(candidates)) for row in _document(pool, number)]
    matrix = np.array(rows, dtype=np.float64).reshape(len(rows), len(NAMES))
    if len(rows):
        matrix[:, NAMES.index("best cover share")] = matrix[:, NAMES.index("cover")]
        for column in (*_AS_SHARES, NAMES.index("best cover share")):
            matrix[:, column] /= matrix[:, column].max() or 1.0
    return matrix


def _document(pool: Pool, number: int) -> list[list[float]]:
    candidate, stems = pool.candidates[number], pool.sentences[number]
    title = pool.wanted.intersection(pool.titles[number])
    sets = [frozenset(terms) for terms in stems]
    held = [pool.wanted & found for found in sets]
    empty: frozenset[str] = frozenset()
    sentences = [
        _Sentence(text, terms, found, own, title, before, after)
        for text, terms, found, own, before, after in zip(
            candidate.sentences, stems, sets, held, [empty, *held], [*held[1:], empty], strict=False
        )
    ]
    shared = _of_document(pool, number, title, held)
    bm25 = [pool.bm25(s.terms, s.held) for s in sentences]
    best = max(bm25, default=0.0) or 1.0
    same = frozenset(pool.titles[number])
    rows = []
    for place, (sentence, score) in enumerate(zip(sentences, bm25, strict=True)):
        role = roles(sentence.text)
        rows.append(
            [
                *shared,
                *_of_words(pool, sentence, score, best, same),
                *_of_form(pool, number, sentence),
                *_of_place(role, place, len(sentences)),
                *role,
                *(role[column] if "closed" in pool.asked.kinds else 0.0 for column in _CLOSED),
                *_of_kind(pool.asked, sentence.text),
                *_of_heading(pool, sentence, candidate.heading(place)),
            ]
        )
    return rows


def _of_document(pool: Pool, number: int, title: frozenset[str], held: Sequence[frozenset[str]]) -> list[float]:
    asked, candidate = pool.asked, pool.candidates[number]
    body = pool.wanted & pool.bodies[number]
    stems = [*pool.titles[number], *(term for terms in pool.sentences[number] for term in terms)]
    missing, names = pool.missing(body), pool.of_names(body)
    return [
        pool.cover(title),
        pool.cover(body),
        words.densest(pool.wanted, stems, 25),
        len(asked.pairs.intersection(pairwise(stems))) / max(len(asked.pairs), 1),
        math.log(number + 1),
        float(number == 0),
        candidate.by_words,
        candidate.by_meaning,
        float(candidate.by_meaning > 0),
        pool.of_centre(pool.bodies[number], number),
        math.log1p(len(stems)),
        pool.of_centre(set(pool.titles[number]), number),
        float(not title),
        float(asked.rarest in title),
        float(asked.rarest in body),
        missing,
        names,
        names - pool.best_names,
        pool.weakest_part(body),
        float(pool.key in body),
        float(pool.second in body),
        float(pool.key in title),
        max((pool.cover(own | title) for own in held), default=0.0),
        missing if "closed" in asked.kinds else 0.0,
        asked.claim * missing,
        asked.claim * math.log(number + 1),
        asked.claim * candidate.by_words,
    ]


def _of_words(pool: Pool, sentence: _Sentence, bm25: float, best: float, same: frozenset[str]) -> list[float]:
    asked, held = pool.asked, sentence.held
    titled, cover = held | sentence.title, pool.cover(held)
    missing, rare = pool.missing(titled), pool.rare_cover(titled)
    order = [t for t in sentence.terms if t in pool.wanted]
    apart = {(one, other) for n, one in enumerate(order) for other in order[n + 1 : n + 3]}
    return [
        cover,
        len(held) / max(len(pool.wanted), 1),
        len(held),
        pool.of_names(held),
        float(asked.rarest in held),
        float(asked.rarest in sentence.title | sentence.before | sentence.after),
        pool.cover(titled),
        pool.cover(held | sentence.before),
        pool.cover(titled | sentence.before),
        len(asked.pairs.intersection(pairwise(sentence.terms))) / max(len(asked.pairs), 1),
        len(asked.near & apart) / max(len(asked.near), 1),
        pool.heaviest_missing(held),
        pool.missing(held),
        pool.weakest_part(held),
        float(pool.key in held),
        pool.rare_cover(held),
        bm25,
        bm25 / best,
        0.0,  # set once all are known
        pool.of_names(titled),
        missing,
        float(missing == 0),
        pool.weakest_part(titled),
        float(pool.second in titled),
        rare,
        missing if "closed" in asked.kinds else 0.0,
        asked.claim * rare,
        asked.claim * cover,
        words.coverage(asked.options, sentence.found) if asked.options else 0.0,
        float(sentence.found == same),
    ]


def _of_form(pool: Pool, number: int, sentence: _Sentence) -> list[float]:
    text, terms, found = sentence.text, sentence.terms, sentence.found
    centre, defines = pool.of_centre(found, number), float(_defines(text, pool.key or pool.asked.rarest))
    places = [n for n, term in enumerate(terms) if term in pool.wanted]
    return [
        centre,
        centre / math.sqrt(len(found) + 3),
        math.log1p(len(found) - len(sentence.held)),
        math.log1p(len(terms)),
        float(len(terms) < 4),
        float(len(terms) > 35),
        float(NOT_PROSE.search(text) is not None),
        float(bool(terms) and terms[0] in pool.wanted),
        math.log1p(places[0]) if places else 3.0,
        len(sentence.held) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0,
        defines,
        defines if "definition" in pool.asked.kinds else 0.0,
        float(any(c.isdigit() for c in text)),
    ]


def _defines(text: str, subject: str) -> bool:
    """Whether a text says what a subject is, as far as its form tells."""
    start = text.lower().find(subject) if subject else -1
    if start < 0:
        return False
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "-"):
        end += 1
    return _DEFINES.match(text, end, end + 120) is not None


def _of_place(role: Sequence[float], place: int, count: int) -> list[float]:
    """Where a sentence stands; zeros for the "abstract" ones in a shorter text."""
    here = [place / max(count - 1, 1), float(place == 0), float(place == count - 1)]
    if count < _ABSTRACT:
        return [*here, 0.0, 0.0, 0.0, 0.0]
    return [*here, *here, max(role[column] for column in _RESULT)]


def _of_kind(asked: Asked, text: str) -> list[float]:
    """For each kind, whether it is asked and held; then for each, whether it is asked and not held."""
    held = {kind: form.search(text) is not None for kind, form in HOLDS.items() if kind in asked.kinds}
    return [*(float(held.get(kind, False)) for kind in HOLDS), *(float(not held.get(kind, True)) for kind in HOLDS)]


def _of_heading(pool: Pool, sentence: _Sentence, heading: str | None) -> list[float]:
    """The part of the paper that the heading names, by itself, and with what the question asks and the sentence has."""
    named = parts(heading)
    closed, abstract = float("closed" in pool.asked.kinds), named[0]
    found = [named[SECTIONS.index(part)] for part in FOUND]
    titled = sentence.held | sentence.title
    having = (pool.cover(sentence.held), pool.missing(titled), pool.of_names(sentence.held))
    crossed = (h * n for h in having for n in found)
    return [*named, *(closed * n for n in named), *(abstract * n for n in found), *crossed]
