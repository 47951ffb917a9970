"""Rewriting without a model: adds MeSH names of what a question mentions, and spells out abbreviations.

The long form of an abbreviation comes from the passages that were found, "long form (LF)".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.operators.keyless.searching import Mention, mentions
from medground.pubmed.mesh import fold
from medground.text import words

_ABBREVIATION = re.compile(r"\b(?=[^\W_]*[A-Z][^\W_]*[A-Z])[A-Za-z][A-Za-z0-9-]{1,9}(?<!s)\b")
"""At least two capitals, as in `MI`, `tPA` and `COX-2`."""
_REACH = 100
"""Characters before the parenthesis that are searched for the long form."""
_NAMES = 2
"""Maximum other names per heading: each adds words that may lead off topic."""
_LONGEST = 6
"""Maximum words of a name; longer ones are indexers' definitions, not what authors write."""


def rewrite(question: str, found: Sequence[str], most: int) -> str:
    """The question followed by long forms of its abbreviations and names of its MeSH headings, in parentheses.

    Only names with a new word are added. If there are none, the question is returned unchanged.

    Args:
        question: the question asked.
        found: texts that its search found.
        most: maximum characters of the result; names that do not fit are left out.
    """
    known = set(words.terms(question))
    added: list[str] = []
    for name in [*_long_forms(question, found), *_headings(question)]:
        fresh = set(words.terms(name)) - known
        if fresh and len(question) + len("; ".join([*added, name])) + 3 <= most:
            added.append(name)
            known |= fresh
    return f"{question} ({'; '.join(added)})" if added else question


def _long_forms(question: str, found: Sequence[str]) -> list[str]:
    """The long form that the found texts give for each abbreviation of the question."""
    forms = []
    for short in dict.fromkeys(_ABBREVIATION.findall(question)):
        before = re.compile(rf"([^()\n.;:]{{1,{_REACH}}}) \({re.escape(short)}s?[);,]")
        spelt = (_spelt_out(short, match[1]) for text in found for match in before.finditer(text))
        forms += list(filter(None, spelt))[:1]
    return forms


def _spelt_out(short: str, before: str) -> str | None:
    """The last words of `before` whose letters spell the abbreviation, matched from the end; None if they do not.

    The first letter of the abbreviation must begin a word; the others may be anywhere, in order.
    """
    text, place = before.casefold(), len(before)
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    for number in range(len(letters) - 1, -1, -1):
        place = text.rfind(letters[number], 0, place)
        while number == 0 and place > 0 and text[place - 1].isalnum():
            place = text.rfind(letters[number], 0, place)
        if place < 0:
            return None
    spelt = before[place:].strip()
    return spelt if len(spelt.split()) <= len(letters) + 2 and len(spelt) > len(short) else None


def _headings(question: str) -> list[str]:
    named = [mention for mention in mentions(question) if not _only_as_abbreviation(mention)]
    return [name for mention in named for name in _names(mention)]


def _names(mention: Mention) -> list[str]:
    """The heading in natural word order, then names in other words, the most common words first."""
    said = set(words.terms(mention.words))
    others = {_spoken(name): words.terms(_spoken(name)) for name in mention.heading.entry_terms}
    usable = {n: stems for n, stems in others.items() if stems and len(stems) <= _LONGEST and not said & set(stems)}
    plain = sorted(usable, key=lambda n: (max(map(words.weight, usable[n])), n.casefold()))
    return [_spoken(mention.heading.name), *plain[:_NAMES]]


def _spoken(name: str) -> str:
    """`Pulmonary Disease, Chronic Obstructive` in natural word order."""
    before, comma, after = name.partition(", ")
    return f"{after} {before}" if comma and "," not in after else name


def _only_as_abbreviation(mention: Mention) -> bool:
    """Whether MeSH has these words only in capitals and the question does not: `aids` is not `AIDS`."""
    forms = [n for n in (mention.heading.name, *mention.heading.entry_terms) if fold(n) == fold(mention.words)]
    return bool(forms) and all(form.isupper() for form in forms) and not mention.words.isupper()
