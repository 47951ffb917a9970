"""Numbers and letters that are part of a name: type 1, hepatitis C, trisomy 7, stage IIb, HPV-16, third generation."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from medground.language import words
from medground.language.pattern import verbose_pattern
from medground.language.predicate_words import ALL_VERBS
from medground.language.quantities import unit_at

_NUMERALS = {numeral: n for n, numeral in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}
_COUNTED = {word: n for n, word in enumerate(("one", "two", "three", "four", "five", "six"), start=1)}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_VALUE = (
    rf"(?:\d{{1,3}}[A-Ha-h]?|[IVX]{{1,4}}[a-cA-C]?|[ivx]{{2,4}}|[A-Z]\d{{0,2}}|{'|'.join(_COUNTED)})(?![\w%]|[.,]\d)"
)
_TYPED = verbose_pattern(
    rf"""
    \b(?P<word>[A-Za-z]{{2,}}?)(?:[\s-]|(?=\d))(?P<values>{_VALUE}
    (?:(?:\s?(?:,\s?and|,\s?or|,|/|&|-|–)\s?|\s(?:and|or|to)\s){_VALUE})*)|
    \b(?P<ordinal>(?i:{"|".join(_ORDINALS)}))[\s-](?P<what>[A-Za-z]{{2,}})(?:[\s-](?P<head>[A-Za-z]{{2,}}))?
    """,
    0,
)
_NO_NAME = words.FUNCTION_WORDS | ALL_VERBS | {"age", "aged", "ages"}
_BEFORE = re.compile(r"([A-Za-z]{3,}),? $")
_ONE = re.compile(_VALUE)
_RANGE = re.compile(r"\s?(?:-|–|\bto\b)\s?")
_FEW = 12
"""Steps of a range that is written out."""


@dataclass(frozen=True)
class Typed:
    """A number or letter in a name: of `hepatitis C` the word `hepatitis`, as a stem, and `c`.

    Attributes:
        said: the words of the text.
        word: the stem of what is of this type.
        value: a number or a letter, with what follows it: `2`, `2a`, `c`, `b12`.
        head: behind an ordinal, the stem of what is of this type: that of sequencing in `third generation sequencing`.
        before: in front of `type`, the same: that of ataxia in `ataxia type 50`, which others call `ataxia 50`.
    """

    said: str
    word: str
    value: str
    head: str = ""
    before: str = ""

    def stands_in(self, text: str) -> bool | None:
        """Whether a text has the word with this value, or a kind of it; None if it has the word with no value."""
        held = types_in(text)
        values = held.get(self.word, held.get(self.before))
        if values is None:
            return None
        return any(_is_kind_of(value, self.value) for value in values) and (
            not self.head or self.head in words.terms(text)
        )


def mistyped(asked: Iterable[Typed], texts: Sequence[str]) -> list[str]:
    """The types that are asked for where texts have the same word with other values only, as they are said."""
    by_word = defaultdict[str, list[Typed]](list)
    for name in asked:
        by_word[name.word].append(name)
    lost = list[str]()
    for alike in by_word.values():
        stands = [name.stands_in(text) for name in alike for text in texts]
        if False in stands and True not in stands:
            lost.append(alike[0].said)
    return lost


@lru_cache(maxsize=8192)
def types_in(text: str) -> Mapping[str, frozenset[str]]:
    """The values that a text has of each word, by its stem: of `hepatitis B and C` b and c."""
    found = defaultdict[str, set[str]](set)
    for name in typed(text):
        found[name.word].add(name.value)
    return {word: frozenset(values) for word, values in found.items()}


def typed(text: str) -> Iterator[Typed]:
    """The numbers and letters of a text that are part of a name, in order; what is measured or counted is not."""
    for found in _TYPED.finditer(text):
        word = found["word"] or found["what"]
        stem = words.stem(word.lower())
        if (
            word.lower() in _NO_NAME
            or (unit_at(f" {word}", 0)[0] and not word.isupper())
            or unit_at(text, found.end())[0]
            or (found["values"] == "I" and _begins_clause(text[found.end() :]))
        ):
            continue
        if found["ordinal"]:
            head = (found["head"] or "").lower()
            is_named = head and stem != "line" and head not in words.FUNCTION_WORDS  # a line is of any treatment
            of_it = words.stem(head) if is_named else ""
            yield Typed(found[0], stem, str(_ORDINALS[found["ordinal"].lower()]), of_it)
            continue
        before = stem == "type" and _BEFORE.search(text[: found.start()])
        named = words.stem(before[1].lower()) if before else ""
        for value in _each(found["values"]):
            yield Typed(found[0], stem, value, before=named)


def _begins_clause(behind: str) -> bool:
    """Whether a verb of the first person follows, so that `I` is who speaks: `the disease I have`."""
    word = re.match(r"\s+(was\b|[a-z']+\b(?<!s))", behind)
    return word is not None and word[1] in _NO_NAME


def has_types_of(name: str, text: str) -> bool:
    """Whether a text has each number of a name with its word; of a letter, that it has no other one is enough."""
    held = types_in(text)
    return all(
        any(_is_kind_of(value, wanted) for value in held[word]) if word in held else not wanted[0].isdigit()
        for word, values in types_in(name).items()
        for wanted in values
    )


def _each(values: str) -> Iterator[str]:
    """Each value of a list, and what lies between the ends of a range."""
    last, end = "", 0
    for found in _ONE.finditer(values):
        value = _value(found[0])
        if last.isdigit() and value.isdigit() and _RANGE.fullmatch(values[end : found.start()]):
            yield from map(str, list(range(int(last) + 1, int(value)))[:_FEW])
        yield value
        last, end = value, found.end()


def _value(said: str) -> str:
    plain = said.lower()
    for end in (len(plain), len(plain) - 1):  # IIb
        if number := _NUMERALS.get(plain[:end]) or _COUNTED.get(plain[:end]):
            return f"{number}{plain[end:]}"
    return plain.lstrip("0") or "0"


def _is_kind_of(value: str, other: str) -> bool:
    """Whether one type is another or a kind of it: 2a of 2, D3 of D, but not 16 of 1."""
    rest = value.removeprefix(other)
    return value.startswith(other) and (not rest or rest[0].isdigit() != other[-1].isdigit())
