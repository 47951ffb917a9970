"""The features of sentences, for the model in `model.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from medground.home.files import tables
from medground.language import kinds, words
from medground.language.quoting.pool import FOUND, Candidate, Pool, Wanted, asked, parts
from medground.language.quoting.pool import NAMES as SECTIONS
from medground.language.word_lists import forms
from medground.language.word_vectors import Nearness

Matrix = NDArray[np.float64]

Row = dict[str, float]

ROLES = forms("roles")
"""What a sentence does in its paper."""
_SMALL = [re.compile(form.pattern.removeprefix("(?i)")) for form in ROLES.values()]
"""The same for small letters, which is twice as fast."""

HOLDS = forms("holds")
"""By kind of question (`question_kinds.KINDS`): whether a sentence holds something of the kind."""

_HEADED = forms("features")["headed"]
_PRINTED = forms("features")["printed"]
_HINTS: list[str] = tables("language", "hints")["printed"]["around"]
"""What `_PRINTED` finds has one of these in small letters: looking for them first is faster."""


def is_printed_around(text: str) -> bool:
    """Whether it is front matter, a reference, a legend or a link: not quoted, except where nothing else is there."""
    small = text.lower()
    found = any(hint in small for hint in _HINTS) and _PRINTED.search(text)
    return bool(found or _HEADED.match(text))


_ABSTRACT = 5
"""Sentences: with fewer, the place of a sentence says little."""
_CLOSED = tuple(list(ROLES).index(name) for name in ("finding", "conclusion", "negation"))
_RESULT = tuple(list(ROLES).index(name) for name in ("finding", "comparison", "conclusion"))
_DEFINES = forms("features")["defines"]


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


def features(asked: Wanted, candidates: Sequence[Candidate]) -> Matrix:
    """One row per sentence of all candidates, in order; candidates come in the order of the search.

    Returns:
        Array of shape (sentences, len(NAMES)).
    """
    pool = Pool(asked, candidates)
    meant = _Meant(pool)
    rows = [row for number in range(len(candidates)) for row in _document(pool, number, meant)]
    matrix = np.array(rows, dtype=np.float64).reshape(len(rows), len(NAMES))
    if len(rows):
        matrix[:, NAMES.index("best cover share")] = matrix[:, NAMES.index("cover")]
        for name in ("bm25", "centre", "centre per word", "document centre", "best cover share"):
            column = NAMES.index(name)
            matrix[:, column] /= matrix[:, column].max() or 1.0  # a share of the greatest value
    return matrix


def _document(pool: Pool, number: int, meant: _Meant) -> Iterator[list[float]]:
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
    shared = _of_document(pool, number, title, held).values()
    bm25 = [pool.bm25(s.terms, s.held) for s in sentences]
    best = max(bm25, default=0.0) or 1.0
    same = frozenset(pool.titles[number])
    meanings = _of_meaning(pool, number, meant)
    for place, (sentence, score) in enumerate(zip(sentences, bm25, strict=True)):
        small = sentence.text.lower()
        role = [float(form.search(small) is not None) for form in _SMALL]
        yield [
            *shared,
            *_of_words(pool, sentence, score, best, same).values(),
            *_of_form(pool, number, sentence).values(),
            *_of_place(role, place, len(sentences)),
            *role,
            *(role[column] if "closed" in pool.asked.kinds else 0.0 for column in _CLOSED),
            *_of_kind(pool.asked, sentence.text),
            *_of_heading(pool, sentence, candidate.heading(place)),
            *meanings[place].values(),
        ]


def _of_document(pool: Pool, number: int, title: frozenset[str], held: Sequence[frozenset[str]]) -> Row:
    asked, candidate = pool.asked, pool.candidates[number]
    body = pool.wanted & pool.bodies[number]
    stems = [*pool.titles[number], *(term for terms in pool.sentences[number] for term in terms)]
    missing, names = pool.missing(body), pool.of_names(body)
    return {
        "title cover": pool.cover(title),
        "document cover": pool.cover(body),
        "document window": words.densest(pool.wanted, stems, 25),
        "document pairs": len(asked.pairs.intersection(pairwise(stems))) / max(len(asked.pairs), 1),
        "rank": math.log(number + 1),
        "first rank": float(number == 0),
        "by words": candidate.by_words,
        "by meaning": candidate.by_meaning,
        "meaning known": float(candidate.by_meaning > 0),
        "document centre": pool.of_centre(pool.bodies[number], number),
        "size of document": math.log1p(len(stems)),
        "title centre": pool.of_centre(set(pool.titles[number]), number),
        "only title": float(not title),
        "rarest in title": float(asked.rarest in title),
        "rarest in document": float(asked.rarest in body),
        "document: missing": missing,
        "document: names": names,
        "document: names lost": names - pool.best_names,
        "document: weakest part": pool.weakest_part(body),
        "document: key": float(pool.key in body),
        "document: second key": float(pool.second in body),
        "title: key": float(pool.key in title),
        "document: best sentence": max((pool.cover(own | title) for own in held), default=0.0),
        "closed: document: missing": missing if "closed" in asked.kinds else 0.0,
        "claim: document: missing": asked.claim * missing,
        "claim: rank": asked.claim * math.log(number + 1),
        "claim: by words": asked.claim * candidate.by_words,
    }


def _of_words(pool: Pool, sentence: _Sentence, bm25: float, best: float, same: frozenset[str]) -> Row:
    asked, held = pool.asked, sentence.held
    titled, cover = held | sentence.title, pool.cover(held)
    missing, rare = pool.missing(titled), pool.rare_cover(titled)
    order = [t for t in sentence.terms if t in pool.wanted]
    apart = {(one, other) for n, one in enumerate(order) for other in order[n + 1 : n + 3]}
    return {
        "cover": cover,
        "cover plain": len(held) / max(len(pool.wanted), 1),
        "covered terms": len(held),
        "cover of names": pool.of_names(held),
        "rarest here": float(asked.rarest in held),
        "rarest near": float(asked.rarest in sentence.title | sentence.before | sentence.after),
        "cover with title": pool.cover(titled),
        "cover with before": pool.cover(held | sentence.before),
        "cover with title and before": pool.cover(titled | sentence.before),
        "pairs": len(asked.pairs.intersection(pairwise(sentence.terms))) / max(len(asked.pairs), 1),
        "pairs apart": len(asked.near & apart) / max(len(asked.near), 1),
        "heaviest missing": pool.heaviest_missing(held),
        "missing": pool.missing(held),
        "weakest part": pool.weakest_part(held),
        "key": float(pool.key in held),
        "pool cover": pool.rare_cover(held),
        "bm25": bm25,
        "best of document": bm25 / best,
        "best cover share": 0.0,  # set once all are known
        "with title: names": pool.of_names(titled),
        "with title: missing": missing,
        "with title: all": float(missing == 0),
        "with title: weakest part": pool.weakest_part(titled),
        "with title: second key": float(pool.second in titled),
        "with title: pool cover": rare,
        "closed: with title: missing": missing if "closed" in asked.kinds else 0.0,
        "claim: with title: pool cover": asked.claim * rare,
        "claim: cover": asked.claim * cover,
        "options": words.coverage(asked.options, sentence.found) if asked.options else 0.0,
        "title same": float(sentence.found == same),
    }


def _of_form(pool: Pool, number: int, sentence: _Sentence) -> Row:
    text, terms, found = sentence.text, sentence.terms, sentence.found
    centre, defines = pool.of_centre(found, number), float(_defines(text, pool.key or pool.asked.rarest))
    places = [n for n, term in enumerate(terms) if term in pool.wanted]
    return {
        "centre": centre,
        "centre per word": centre / math.sqrt(len(found) + 3),
        "new words": math.log1p(len(found) - len(sentence.held)),
        "log length": math.log1p(len(terms)),
        "short": float(len(terms) < 4),
        "long": float(len(terms) > 35),
        "not prose": float(is_printed_around(text)),
        "starts with question's word": float(bool(terms) and terms[0] in pool.wanted),
        "subject late": math.log1p(places[0]) if places else 3.0,
        "tight": len(sentence.held) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0,
        "defines": defines,
        "asked: defines": defines if "definition" in pool.asked.kinds else 0.0,
        "digits": float(any(map(str.isdigit, text))),
    }


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


def _of_kind(asked: Wanted, text: str) -> list[float]:
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


_NEARS = ("near cover", "near cover with title", "near weakest", "near weakest with title")
"""How near the words of a sentence come to those of the question, and with its title."""


class _Meant:
    """What a question means: the kinds asked for, its things by their stems, and how near words come to its own."""

    def __init__(self, pool: Pool) -> None:
        asked = pool.asked.reading
        self.kinds = kinds.asked(asked.without_things(asked.plain))
        self.things = [frozenset(words.terms(one.said)) for one in asked.subjects]
        self.names = frozenset(stem for one in asked.deciding for stem in words.terms(one.said))
        self.nearness = Nearness(pool.asked.terms, (stem for body in pool.bodies for stem in body))
        self.weights = np.array(pool.asked.weights) / pool.total


def _of_meaning(pool: Pool, number: int, meant: _Meant) -> list[Row]:
    """For each sentence, how well what it and its title tell fits what is asked, and how near its words come."""
    asked, candidate, titled = pool.asked.reading, pool.candidates[number], pool.titles[number]
    wanted, things, nearness, weights = meant.kinds, meant.things, meant.nearness, meant.weights
    title = kinds.asked(asked.without_things(candidate.title))
    fits = [float(wanted[:-1] @ kinds.told(words.stems(text), meant.names)[:-1]) for text in candidate.sentences]
    over = float(wanted[:-1] @ title[:-1]) if candidate.title else 0.0
    against = float((1 - wanted[-1]) * title[:-1].sum()) - over if candidate.title else 0.0
    found = pool.sentences[number]
    near_title = nearness(titled)
    near = np.array([nearness(stems) for stems in found]).reshape(len(found), len(weights))
    both = np.maximum(near, near_title)
    columns = (near @ weights, both @ weights, near.min(axis=1, initial=1.0), both.min(axis=1, initial=1.0))
    rows: list[Row] = []
    for place, (stems, text, *nears) in enumerate(zip(found, candidate.sentences, *map(list, columns), strict=True)):
        said = frozenset((*stems, *titled))
        share = sum(map(said.issuperset, things)) / len(things) if things else 0.0
        rows.append(
            {
                "is defined": float(asked.is_defined_in(text)),
                "asks": float(text.rstrip().endswith("?")),
                "kind": fits[place],
                "kind: title": over,
                "kind: title of another": against,
                "kind: things": fits[place] * share,
                "kind: title, things": over * share,
                "kind: title and here": over * fits[place],
                "kind around": max(fits[max(place - 1, 0) : place + 2]),
                "kind: definition, first": float(wanted[kinds.DEFINITION] * (place == 0)),
                **dict(zip(_NEARS, map(float, nears), strict=True)),
            }
        )
    return rows


_NOTHING = Pool(asked(""), [Candidate("", [""])])
_EMPTY = _Sentence("", [], *[frozenset[str]()] * 5)
NAMES = (
    *_of_document(_NOTHING, 0, frozenset(), ()),
    *_of_words(_NOTHING, _EMPTY, 0.0, 1.0, frozenset()),
    *_of_form(_NOTHING, 0, _EMPTY),
    *("place", "first", "last", "abstract: place", "abstract: first", "abstract: last", "abstract: result"),
    *(f"role {name}" for name in ROLES),
    *("closed: finding", "closed: conclusion", "closed: negation"),
    *(f"asked {how}held: {kind}" for how in ("and ", "and not ") for kind in HOLDS),
    *(f"{where}under {part}" for where in ("", "closed: ") for part in SECTIONS),
    *(f"{what}: under {part}" for what in ("abstract", "cover", "missing", "names") for part in FOUND),
    *_of_meaning(_NOTHING, 0, _Meant(_NOTHING))[0],
)
"""The features, in the order of the columns."""
