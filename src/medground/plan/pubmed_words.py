"""What PubMed is asked for plain words: their concepts, as PubMed Reasoner's planner writes them, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medground.operators.keyless.drafting import OPENING, draft, plain_words, propose, select
from medground.plan.concepts import texts_of, with_named
from medground.plan.dates import latest, stated
from medground.plan.relax import PubMedQuery, as_pubmed, conjuncts
from medground.pubmed.normalize import normalize
from medground.query import Mesh, Or, Phrase, Query, Range, all_of, any_of
from medground.text import words
from medground.text.clause import is_plural
from medground.text.predicate_words import ALL_VERBS

_TELLING = 3.0
"""Least weight of a word without a heading that a record should hold."""
_SHORT = 3
"""Letters of a word too short to be cut to its singular."""
_REQUIRED = 2
"""Words that must be there where nothing else is named."""
NOTHING = Phrase(text="")
"""The query of a question that names nothing."""


@dataclass(frozen=True)
class PlainAsked:
    """A query for plain words, and what the words say about dates and order.

    Attributes:
        query: the concepts, the most needed first.
        years: the years of publication that the words state, or None.
        newest: whether the words ask for the latest publications.
        notes: what an answer says about years and order.
    """

    query: PubMedQuery
    years: Range | None = None
    newest: bool = False
    notes: tuple[str, ...] = ()


def plain_asked(text: str, also: str, year: int | None) -> PlainAsked:
    """The query for a question.

    Args:
        text: the question.
        also: options, of which any concept will do.
        year: the present one; None where the question has limits of its own, and those of its words do not count.
    """
    limit, newest = None if year is None else stated(text, year), latest(text)
    notes = [limit.note] if limit else []
    notes += [f"the latest publications come first, because the question says {newest!r}"] if newest else []
    for said in (limit.said if limit else "", newest):
        text = text.replace(said, " ", 1) if said else text
    parts = _concepts(text)
    options = [one for one in (_concepts(also) if also else ()) if one not in parts]
    tree = all_of([*parts, *([any_of(options)] if options else [])]) if parts or options else NOTHING
    return PlainAsked(
        as_pubmed(tree), Range(low=limit.first, high=limit.last) if limit else None, bool(newest), tuple(notes)
    )


def spoken_part(part: Query) -> str:
    """A concept as the question says it."""
    if isinstance(part, Or) and not any(isinstance(one, Mesh) for one in part.parts):
        return " or ".join(map(spoken_part, part.parts))
    return (texts_of(part) or [""])[-1]


def _concepts(text: str) -> Sequence[Query]:
    """The parts of the query: rare names, the most specific concepts, and one of the other telling words."""
    text = OPENING.sub(" ", text, count=1) if OPENING.match(text) else text
    headings = select(text, [heading for heading, _ in propose(text)])
    parts = with_named(text, conjuncts(normalize(draft(text, headings)).query) if headings else ())
    known = {stem for part in parts for said in texts_of(part) for stem in words.terms(said)}
    left = [word for word in plain_words(text) if words.stem(word) not in known]
    weights = {word: words.weight(words.stem(word)) for word in left}
    ranked = sorted(weights, key=lambda word: -weights[word])
    rare = [word for word in ranked if weights[word] >= words.MOST]
    others = [word for word in ranked if _TELLING <= weights[word] < words.MOST and not _is_verb(word)]
    if not parts and not rare:
        plain = [word for word in ranked if not _is_verb(word)] or ranked
        rare, others = plain[:_REQUIRED], plain[_REQUIRED:]
    some = [any_of(list(map(_in_text, others)))] if others else []
    return (*sorted([*map(_in_text, rare), *parts], key=_rarity, reverse=True), *some)


def _rarity(part: Query) -> float:
    return max(map(words.weight, words.terms(spoken_part(part))), default=0.0)


def _in_text(word: str) -> Query:
    """A word in title or abstract, a plural also in the singular: PubMed does not know that they are one."""
    singular = f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    forms = (singular, word) if is_plural(word) and len(word) > _SHORT else (word,)
    return any_of([Phrase(text=form, field="title_abstract") for form in forms])


_VERBS = frozenset(map(words.stem, ALL_VERBS))


def _is_verb(word: str) -> bool:
    return words.stem(word) in _VERBS
