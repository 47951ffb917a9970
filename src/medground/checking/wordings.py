"""The other names of a thing, by the vocabulary that has them: what an absence must be looked for under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from medground.errors import ConfigError
from medground.graph.vocabularies.hpo import Hpo
from medground.language import words
from medground.language.subject import subjects
from medground.pubmed.mesh import vocabulary

_PEOPLE = frozenset(words.terms("patients participants people subjects individuals persons groups arms"))
"""Stems that do not tell one thing from another."""


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
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Its other names by vocabulary; without the extra "starter" there is no HPO."""
        whole, whole_heading = frozenset(words.terms(self.thing)), vocabulary().find(self.thing)
        parts = [one for one in subjects(self.thing) if frozenset(words.terms(one.said)) == whole]
        mesh = [name for one in parts for name in (one.heading, *one.names) if name]
        mesh += [whole_heading.name, *whole_heading.entry_terms] if whole_heading else []
        phenotypes = [name for key in (whole, *map(_key, mesh)) for name in _phenotypes().get(key, ())]
        held = {"MeSH": _others(mesh, self.thing), "HPO": _others(phenotypes, self.thing)}
        return {vocabulary: found for vocabulary, found in held.items() if found}

    @cached_property
    def keys(self) -> frozenset[frozenset[str]]:
        """The stems of each other name."""
        return frozenset(key for names in self.names.values() for key in map(_key, names) if key)

    def __str__(self) -> str:
        """For people: `fever (MeSH: Fevers, Pyrexia; HPO: Hyperthermia)`."""
        told = "; ".join(f"{vocabulary}: {', '.join(names)}" for vocabulary, names in self.names.items())
        return f"{self.thing} ({told})" if told else f"{self.thing} (in neither MeSH nor HPO)"


@lru_cache(maxsize=256)
def wordings_of(thing: str) -> Wordings:
    """The wordings of a thing. Raises BadDocument: the installed HPO is damaged."""
    return Wordings(thing)


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
