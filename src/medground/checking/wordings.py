"""The other names of a thing, by the vocabulary that has them: what an absence must be looked for under."""

from __future__ import annotations

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
"""Least weight of a word that stands for another one, and least phenotypes in whose names it does."""


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
        """What it is without the people in whom it is: `seizures` of `seizures in children`."""
        return _TAIL.sub("", self.thing)

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The other names of it and of its core by vocabulary; without the extra "starter" there is no HPO."""
        found = [_names(one) for one in dict.fromkeys((self.thing, self.core))]
        return {
            name: told for name in ("MeSH", "HPO") if (told := tuple(n for one in found for n in one.get(name, ())))
        }

    @cached_property
    def keys(self) -> frozenset[frozenset[str]]:
        """The stems of each other name, with those of the people where it is a name of the core."""
        people = _key(self.thing) - _key(self.core) - _PEOPLE - _TREATED
        cores = {key | people for key in _keys(_names(self.core))}
        return frozenset(cores | _keys(_names(self.thing)))

    @cached_property
    def akin(self) -> frozenset[frozenset[str]]:
        """The stems of its core's names, and of words that stand for it in longer names: a text with one comes near."""
        return frozenset(_keys(_names(self.core)).union(map(_key, self.like)))

    @cached_property
    def like(self) -> tuple[str, ...]:
        """Words that HPO says instead of it in longer names, as `convulsion` in `febrile convulsion`."""
        own, found = _key(self.core), dict[str, tuple[str, set[tuple[str, ...]]]]()
        for key, names in _phenotypes().items():
            for other in names if own and own < key else ():
                said = [word for word in words.tokens(other) if _key(word) and not _key(word) <= key]
                if len(said) == 1 and key - _key(other) == own and words.weight(stem := words.stem(said[0])) >= _RARE:
                    found.setdefault(stem, (said[0], set()))[1].add(names)
        return tuple(word for word, held in found.values() if len(held) >= _OFTEN)

    def __str__(self) -> str:
        """For people: `fever (MeSH: Fevers, Pyrexia; HPO: Hyperthermia)`."""
        parts = [f"{vocabulary}: {', '.join(names)}" for vocabulary, names in self.names.items()]
        parts = parts or ["in neither MeSH nor HPO" if _phenotypes() else "not in MeSH"]
        parts += [f"alike: {', '.join(self.like)}"] if self.like else []
        return f"{self.thing} ({'; '.join(parts)})"


@lru_cache(maxsize=256)
def wordings_of(thing: str) -> Wordings:
    """The wordings of a thing. Raises BadDocument: the installed HPO is damaged."""
    return Wordings(thing)


@lru_cache(maxsize=256)
def _names(thing: str) -> Mapping[str, tuple[str, ...]]:
    """The other names of a thing by vocabulary."""
    whole, whole_heading = _key(thing), vocabulary().find(thing)
    parts = [one for one in subjects(thing) if _key(one.said) == whole]
    mesh = [name for one in parts for name in (one.heading, *one.names) if name]
    mesh += [whole_heading.name, *whole_heading.entry_terms] if whole_heading else []
    phenotypes = [name for key in (whole, *map(_key, mesh)) for name in _phenotypes().get(key, ())]
    return {"MeSH": _others(mesh, thing), "HPO": _others(phenotypes, thing)}


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
            names = (term.concept.name, *(one.text for one in term.synonyms if one.scope == "exact"))
            yield from ((_key(name), names) for name in names)

    try:
        return dict(named())
    except ConfigError:
        return {}
