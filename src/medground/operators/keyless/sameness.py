"""Whether two phrases name the same thing: the same treatment, exposure or outcome. Unsure means no.

Two phrases are the same if one of their items has the same words, or the same MeSH heading under other names, or the
words of the other with more detail before the same last word (`blood pressure`, `systolic blood pressure`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medground.text import words

if TYPE_CHECKING:
    from medground.pubmed.mesh import Heading

RARE = 5.6
"""Weight of a word that names something by itself, such as a drug."""
LEAST_WORDS = 2
"""Minimum words that a phrase shares with a more detailed one, unless it is one rare word."""
LONGEST_NAME = 4
"""Maximum words of a MeSH name that is looked for."""
SHORTEST_NAME = 5
"""Minimum letters of a single word that is looked up in MeSH; shorter ones are abbreviations of many things."""

_HEAD = re.compile(
    r"^(?:(?:an?|the|any|all|its|their|both|overall|total|mean|of|or|and|either|significant|in|on) )*(?:[\w-]+ )?"
    r"(?:use|usage|intake|consumption|administration|addition|exposure|treatment|therapy|supplementation|injections?|infusion|"
    r"presence|history|receipt|risks?|rates?|incidence|prevalence|frequency|levels?|likelihood|development|occurrence|"
    r"onset|amount|number|odds|probability|chance|degree|extent|management|severity|concentrations?|changes?|"
    r"differences?|increases?|reductions?|decreases?|improvements?|proportion|patients|subjects|people|persons|"
    r"individuals|participants|women|men|treated|given) (?:of|with|to|by|in|for|receiving|taking|treated|given) ",
    re.IGNORECASE,
)
"""`the risk of`, `treatment with`: what comes before the name of a thing."""
_END = re.compile(
    r"[;:]|\b(?:in|among|for|after|during|at|compared|than|versus|vs|by|from|within|when|over|with|on|without|under|"
    r"following|because|due|through|via|who|which|that|as|before|until|throughout|across|using|independently|"
    r"irrespective|regardless|beyond|between|was|were|is|are|to)\b",
    re.IGNORECASE,
)
"""Where the name of a thing ends; what follows says in whom, when or compared with what."""
_LIST = re.compile(r",|\b(?:and|or|nor)\b", re.IGNORECASE)
_TOGETHER = re.compile(r",|&|\band\b", re.IGNORECASE)
_PEOPLE = re.compile(r"\b(?:in|among|for|on)\b", re.IGNORECASE)
_REFERS = re.compile(r"\b(?:this|these|those|that|such|it|they|we|its|their|our)\b", re.IGNORECASE)
"""What it names is said in another sentence."""
_DOSE = re.compile(r"\b(?:high|low|single|fixed|standard)[- ]dose\b|\bdos(?:es?|age|ing)\b", re.IGNORECASE)
_CONTRARY_WORDS = "non anti ex former never high low short long acute chronic early late new old pre post sub without"
_CONTRARY = frozenset(words.stem(word) for word in _CONTRARY_WORDS.split())
"""Words of detail that may name the contrary: smokers, non-smokers."""
_COMBINED = re.compile(r"\b(?:plus|combin\w+|add(?:ed|ition|ing)|adjunct\w*|together|co-\w+)\b|\+", re.IGNORECASE)
"""A treatment given with another is not the treatment alone."""
_GENERIC_WORDS = """
    administration adult adults analysis children clinical concentration concentrations conclusion consumption
    current daily data development effect effects elderly examination exposure frequency future general group
    groups human humans incidence intake intervention intravenous level levels likelihood mean men new
    occurrence onset oral overall paediatric patient patients pediatric people population prevalence program
    programme rate regular respectively results risk significant significantly studies study subjects
    subsequent supplement supplementation supplements therapy total training treated treatment treatments
    trial use whole women
"""
_GENERIC = frozenset(words.stem(word) for word in _GENERIC_WORDS.split())
"""Words that do not tell two treatments or outcomes apart."""


@dataclass(frozen=True)
class _Item:
    """One thing that a phrase names: as written, its stems, and with MeSH headings for their names."""

    text: str
    stems: tuple[str, ...]
    mapped: frozenset[str]


def same_cause(one: str, other: str) -> str | None:
    """The treatment or exposure that two phrases share, as the first one names it; None if they may differ.

    All that is given together must be the same. Rare names decide, whatever dose or route is written around them.
    """
    if bool(_COMBINED.search(one)) != bool(_COMBINED.search(other)):
        return None
    mine, theirs = list(_items(one)), list(_items(other))
    names = _rare(one)
    if names or _rare(other):
        said = {stem for item in (*mine, *theirs) for stem in item.stems}
        return ", ".join(names.values()) if names.keys() == _rare(other).keys() <= said else None
    if _TOGETHER.search(one) or _TOGETHER.search(other):
        whole = all(_first(item, theirs) for item in mine) and all(_first(item, mine) for item in theirs)
        return ", ".join(item.text for item in mine) or None if whole else None
    return _shared(mine, theirs)


def same_outcome(one: str, other: str) -> str | None:
    """The outcome that two phrases share, as the first one names it; None if they may differ. One of a list will do."""
    return _shared(list(_items(one)), list(_items(other)))


def same_disease(one: str, other: str) -> bool:
    """Whether two texts may be about the same disease: one names none, or they name one that is the same or wider."""
    mine, theirs = (_diseases(text) for text in (one, other))
    return not mine or not theirs or any(_within(a, b) or _within(b, a) for a in mine for b in theirs)


def _shared(mine: list[_Item], theirs: list[_Item]) -> str | None:
    return next((item.text for item in mine if _first(item, theirs)), None)


def _first(item: _Item, others: list[_Item]) -> bool:
    return any(_same(item, other) for other in others)


def _same(one: _Item, other: _Item) -> bool:
    if one.mapped == other.mapped or set(one.stems) == set(other.stems):
        return True
    short, long = sorted((one.stems, other.stems), key=lambda stems: len(set(stems)))
    enough = len(set(short)) >= LEAST_WORDS or words.weight(short[-1]) >= RARE
    return enough and set(short) < set(long) and short[-1] == long[-1] and _CONTRARY.isdisjoint(set(long) - set(short))


def _items(phrase: str) -> Iterator[_Item]:
    for part in _LIST.split(_named(phrase)):
        text = " ".join(_END.split(_named(_DOSE.sub(" ", part)), maxsplit=1)[0].split())
        stems = tuple(stem for stem in _stems(text) if stem not in _GENERIC)
        mapped = frozenset(stem for stem in _mapped(text) if stem not in _GENERIC)
        if stems and mapped and not _REFERS.search(text):
            yield _Item(text, stems, mapped)


def _named(phrase: str) -> str:
    phrase = phrase.strip()
    while (head := _HEAD.match(phrase)) is not None:
        phrase = phrase[head.end() :]
    return phrase


def _rare(phrase: str) -> dict[str, str]:
    """Rare words of a phrase by their stems, without those of the people or the disease that follow."""
    tokens = [t for t in words.tokens(_PEOPLE.split(phrase, maxsplit=1)[0]) if t.isalpha() and len(t) >= SHORTEST_NAME]
    found = {words.stem(token): token for token in tokens if token not in words.FUNCTION_WORDS}
    return {stem: token for stem, token in found.items() if words.weight(stem) >= RARE and stem not in _GENERIC}


def _stems(text: str) -> list[str]:
    """As `words.terms`, with single letters: vitamin D is not vitamin E."""
    return [words.stem(t) for t in words.tokens(text) if t not in words.FUNCTION_WORDS]


def _mapped(text: str) -> Iterator[str]:
    for word, heading in _read(text):
        yield from _stems(heading.name if heading else word)


def _diseases(text: str) -> frozenset[tuple[str, ...]]:
    """Tree numbers of the diseases that a text names."""
    headings = (heading for _, heading in _read(text) if heading is not None)
    return frozenset(h.trees for h in headings if any(tree.startswith(("C", "F03")) for tree in h.trees))


def _read(text: str) -> Iterator[tuple[str, Heading | None]]:
    """The words of a text in order, or the MeSH headings that they name, the longest names first."""
    from medground.pubmed.mesh import vocabulary  # slow to open

    tokens = re.findall(r"[\w'’+/-]+", text)
    start = 0
    while start < len(tokens):
        ends = range(min(start + LONGEST_NAME, len(tokens)), start, -1)
        names = ((end, " ".join(tokens[start:end])) for end in ends)
        found = ((end, vocabulary().find(name)) for end, name in names if len(name) >= SHORTEST_NAME)
        first = start
        start, heading = next(((end, h) for end, h in found if h is not None), (start + 1, None))
        yield tokens[first], heading


def _within(narrow: tuple[str, ...], wide: tuple[str, ...]) -> bool:
    return any(low == up or low.startswith(f"{up}.") for low in narrow for up in wide)
