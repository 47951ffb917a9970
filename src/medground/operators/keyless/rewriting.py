"""Rewriting without a model: the names that MeSH has for what a question names, and abbreviations spelt out.

An abbreviation is spelt out as the passages that were found spell it out, "long form (LF)".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.operators.keyless.searching import Mention, mentions
from medground.pubmed.mesh import fold
from medground.text import words

_ABBREVIATION = re.compile(r"\b(?=[^\W_]*[A-Z][^\W_]*[A-Z])[A-Za-z][A-Za-z0-9-]{1,9}(?<!s)\b")
"""Two capitals at least, as in `MI`, `tPA` and `COX-2`."""
_REACH = 100
"""Characters before the parenthesis in which the long form stands."""
_NAMES = 2
"""Most other names of one heading: each adds words that may lead away."""
_LONGEST = 6
"""Words of a name; longer ones are indexers' definitions, not what authors write."""


def rewrite(question: str, found: Sequence[str], most: int) -> str:
    """The question, and after it in parentheses long forms of its abbreviations and names of the headings it names.

    Only names that bring a new word are added. The question itself is returned when there is none.

    Args:
        question: the question asked.
        found: texts that its search found.
        most: characters that the result may have; names that do not fit are left out.
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
    """What the found texts say that each abbreviation of the question stands for."""
    forms = []
    for short in dict.fromkeys(_ABBREVIATION.findall(question)):
        before = re.compile(rf"([^()\n.;:]{{1,{_REACH}}}) \({re.escape(short)}s?[);,]")
        spelt = (_spelt_out(short, match[1]) for text in found for match in before.finditer(text))
        forms += list(filter(None, spelt))[:1]
    return forms


def _spelt_out(short: str, before: str) -> str | None:
    """The last words of `before` whose letters make the abbreviation, read from the end; None when they do not.

    The first letter of the abbreviation begins a word; the others stand in order.
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
    """The heading as it is spoken, then other names in other words, those first whose rarest word is least rare."""
    said = set(words.terms(mention.words))
    others = {_spoken(name): words.terms(_spoken(name)) for name in mention.heading.entry_terms}
    usable = {n: stems for n, stems in others.items() if stems and len(stems) <= _LONGEST and not said & set(stems)}
    plain = sorted(usable, key=lambda n: (max(map(words.weight, usable[n])), n.casefold()))
    return [_spoken(mention.heading.name), *plain[:_NAMES]]


def _spoken(name: str) -> str:
    """`Pulmonary Disease, Chronic Obstructive` as authors write it."""
    before, comma, after = name.partition(", ")
    return f"{after} {before}" if comma and "," not in after else name


def _only_as_abbreviation(mention: Mention) -> bool:
    """Whether MeSH has these words in capitals only, and the question does not: `aids` is not `AIDS`."""
    forms = [n for n in (mention.heading.name, *mention.heading.entry_terms) if fold(n) == fold(mention.words)]
    return bool(forms) and all(form.isupper() for form in forms) and not mention.words.isupper()
