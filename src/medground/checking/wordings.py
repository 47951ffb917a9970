"""The other names of a thing, by the vocabulary that has them: what an absence must be looked for under."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from medground.errors import ConfigError
from medground.graph.vocabularies.hpo import Hpo
from medground.language import words
from medground.language.pattern import verbose_pattern
from medground.language.subject import subjects
from medground.pubmed.mesh import vocabulary

_PEOPLE = frozenset(words.terms("patients participants people subjects individuals persons groups arms"))
"""Stems that do not tell one thing from another."""
_TREATED = frozenset(words.terms("treated enrolled included randomised"))
"""Stems that do not tell the people of a trial from others."""
_TAIL = verbose_pattern(
    r"""
    \s+(?:among|in|of|with)\s+(?:(?!(?:among|in|of|with)\b)[\w-]+\s+){0,4}?(?:patients?|participants|people|subjects|
    individuals|persons|groups?|arms?|child(?:ren)?|infants|newborns|neonates|adolescents|adults|wom[ae]n|m[ae]n|boys|
    girls|elderly)\b.*$
    """
)
_RARE, _OFTEN = 4, 4
"""Least weight of a word that stands for another one, and how often at least it does so in names of HPO."""


@dataclass(frozen=True)
class Wordings:
    """A thing as a text names it, with its names in MeSH and HPO."""

    thing: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems that name it."""
        named = frozenset(words.terms(self.thing))
        return named - _PEOPLE or named

    @cached_property
    def core(self) -> str:
        """It without the people in whom it is, unless it has names with them: `seizures` of `seizures in men`."""
        return self.thing if _names(self.thing) else _TAIL.sub("", self.thing)

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The other names of its core by vocabulary; without the extra "starter" there is no HPO."""
        return _names(self.core)

    @cached_property
    def keys(self) -> frozenset[frozenset[str]]:
        """The stems of each other name, with those of the people."""
        people = _key(self.thing) - _key(self.core) - _PEOPLE - _TREATED
        return frozenset(key | people for key in _keys(self.names))

    @cached_property
    def akin(self) -> frozenset[frozenset[str]]:
        """The stems of its core's names, and of words that HPO often says instead: a text with one of them comes near.

        So of seizures, `convulsion`, as in `febrile convulsion`.
        """
        own = _key(self.core)
        said = Counter(
            stems - key
            for key, names in _phenotypes().items()
            if frozenset() < own < key
            for stems in {*map(_key, names)}
            if key - stems == own
        )
        often = (stems for stems, count in said.items() if count >= _OFTEN and len(stems) == 1)
        return frozenset(_keys(self.names).union(one for one in often if words.weight(*one) >= _RARE))

    def __str__(self) -> str:
        """For people: `fever (MeSH: Fevers, Pyrexia; HPO: Hyperthermia)`."""
        parts = [f"{vocabulary}: {', '.join(names)}" for vocabulary, names in self.names.items()]
        parts = parts or ["in neither MeSH nor HPO" if _phenotypes() else "not in MeSH"]
        return f"{self.thing} ({'; '.join(parts)})"


@lru_cache(maxsize=256)
def wordings_of(thing: str) -> Wordings:
    """The wordings of a thing. Raises BadDocument: the installed HPO is damaged."""
    return Wordings(thing)


@lru_cache(maxsize=256)
def _names(thing: str) -> Mapping[str, tuple[str, ...]]:
    """The other names of a thing by vocabulary."""
    whole, whole_heading = _key(thing), vocabulary().find(thing)
    parts = [subject for subject in subjects(thing) if _key(subject.said) == whole]
    mesh = [name for part in parts for name in (part.heading, *part.names) if name]
    mesh += [whole_heading.name, *whole_heading.entry_terms] if whole_heading else []
    phenotypes = [name for key in (whole, *map(_key, mesh)) for name in _phenotypes().get(key, ())]
    held = {"MeSH": _others(mesh, thing), "HPO": _others(phenotypes, thing)}
    return {vocabulary: found for vocabulary, found in held.items() if found}


def _keys(names: Mapping[str, tuple[str, ...]]) -> set[frozenset[str]]:
    return {key for held in names.values() for key in map(_key, held) if key}


def _key(name: str) -> frozenset[str]:
    return frozenset(words.terms(name))


def _others(names: list[str], thing: str) -> tuple[str, ...]:
    """Names without those that are inverted or written in nearly the same way as the thing or another one."""
    found: dict[str, str] = {}
    for name in names:
        folded = " ".join(words.tokens(name)).removesuffix("s")
        if "," not in name and folded != " ".join(words.tokens(thing)).removesuffix("s"):
            found.setdefault(folded, name)
    return tuple(found.values())


@cache
def _phenotypes() -> Mapping[frozenset[str], tuple[str, ...]]:
    """The names of each phenotype of HPO, by the stems of each of them."""

    def named() -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
        for term in Hpo.open().terms.values():
            names = (term.concept.name, *(synonym.text for synonym in term.synonyms if synonym.scope == "exact"))
            yield from ((_key(name), names) for name in names)

    try:
        return dict(named())
    except ConfigError:
        return {}
