"""What counts as evidence for a question: a gold paper, the words of the gold answer, the exact answer.

Words are a proxy: a passage that names the answer need not prove it. A gold paper is the stricter measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from medground.evaluate.base import Item
from medground.text import words

_DECIDED = frozenset({"yes", "no", "maybe"})
_LONGEST = 12
"""Most words of an option that is looked for letter by letter; longer ones are never repeated as they are."""


@dataclass(frozen=True)
class Gold:
    """What to find.

    Attributes:
        documents: ids of the gold papers; empty if the set names none.
        terms: distinct stems of the gold answer that the question does not give away, sorted; empty for yes and no.
        exact: for each part of the exact answer, its names as words between single spaces.
    """

    documents: frozenset[str]
    terms: tuple[str, ...]
    exact: tuple[tuple[str, ...], ...]

    @property
    def any(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.documents or self.terms or self.exact)


@dataclass(frozen=True)
class Seen:
    """What a passage holds of a gold answer: bit n is the n-th term, or the n-th part of the exact answer."""

    terms: int
    exact: int


def gold_of(item: Item) -> Gold:
    """What to find for an item."""
    options = {option.letter: option.text for option in item.question.options}
    chosen = [options[letter] for letter in item.gold if letter in options]
    answer = item.reference or " ".join(chosen)
    given = set(words.terms(item.question.text))
    own = sorted(set(words.terms(answer)) - given) if answer.strip().lower() not in _DECIDED else []
    return Gold(frozenset(item.documents), tuple(own), tuple(_exact(item, chosen)))


def seen_in(text: str, gold: Gold) -> Seen:
    """What a passage holds; `text` is its title and text."""
    present = set(words.terms(text))
    plain = _plain(text)
    return Seen(
        terms=sum(1 << n for n, term in enumerate(gold.terms) if term in present),
        exact=sum(1 << n for n, names in enumerate(gold.exact) if any(f" {name} " in plain for name in names)),
    )


def covered(gold: Gold, terms: int) -> float | None:
    """Share, by weight, of the answer's own words that are in `terms`; None if it has none."""
    if not gold.terms:
        return None
    return words.coverage(gold.terms, (term for n, term in enumerate(gold.terms) if terms >> n & 1))


def named(gold: Gold, exact: int) -> float | None:
    """Share of the parts of the exact answer that are in `exact`; None if there is none."""
    return exact.bit_count() / len(gold.exact) if gold.exact else None


def _exact(item: Item, chosen: list[str]) -> Iterator[tuple[str, ...]]:
    """The parts of BioASQ's exact answer with their synonyms; of a question with options, the correct one."""
    for part in _parts(item.extra.get("exact", chosen)):
        names = tuple(name for name in (_plain(one).strip() for one in part) if name and name not in _DECIDED)
        if names and any(len(name.split()) <= _LONGEST for name in names):
            yield names


def _parts(exact: Any) -> list[list[str]]:
    """BioASQ's `[["a", "synonym of a"], ["b"]]`, `["a"]` or `a`, as parts with their names."""
    parts = exact if isinstance(exact, list) else [exact]
    return [[str(name) for name in part] if isinstance(part, list) else [str(part)] for part in parts]


def _plain(text: str) -> str:
    """Its words in lower case between single spaces, with one at each end."""
    return f" {' '.join(words.tokens(text))} "
