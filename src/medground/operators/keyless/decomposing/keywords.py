"""Keywords of a sub-question without a model (Eq. 2): what it names, other names of it, and its dimension's word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from medground.operators.keyless.decomposing.dimensions import DIMENSIONS
from medground.operators.keyless.decomposing.subjects import about
from medground.operators.keyless.decomposing.things import Thing, perturbation, things
from medground.pubmed.mesh import Heading, fold
from medground.text import words

MOST_SYNONYMS = 4
_LOSS = ("knock-out", "mutant", "null", "deficient", "loss of function", "deletion", "mutation")


@dataclass(frozen=True)
class Drafted:
    """A keyword with its fine dimension (D') and other names."""

    name: str
    dimension: str
    synonyms: tuple[str, ...] = ()


def keywords(question: str, text: str, dimension: str, most: int) -> list[Drafted]:
    """What a sub-question says of what its question names, the subject first, then the word of its dimension."""
    said = text.casefold()
    found = [word for one in _salient(question) if _says(said, one) for word in _words(one, said)]
    chosen = found[:most]
    view = DIMENSIONS.get(dimension)
    if view and view.keyword and len(chosen) < most:
        chosen.append(Drafted(view.keyword, view.fine, view.synonyms))
    return chosen or [Drafted(" ".join(text.rstrip("?").split()[:6]), "term of the question")]


def named_keywords(question: str) -> list[Drafted]:
    """Everything that a question names, the most salient first."""
    return [word for one in _salient(question) for word in _words(one, question.casefold())]


def is_named(word: Drafted, names: Iterable[str]) -> bool:
    """Whether one of the names says a keyword, in its own words, within longer ones, or by another name of it."""
    wanted = [set(words.terms(name)) for name in (word.name, *word.synonyms)]
    known = [set(words.terms(name)) for name in names]
    return any(one <= other for one in wanted if one for other in known)


def _salient(question: str) -> list[Thing]:
    """The subject, what it bears on, then the rest in the order of the question, people and places last."""
    found = about(question)
    if found is None:
        return []
    first = [one for one in (found.subject, found.bears_on) if one is not None]
    rest = [one for one in things(question) if one not in first]
    return [*first, *sorted(rest, key=lambda one: one.kind in ("population", "place", "organism"))]


def _says(said: str, one: Thing) -> bool:
    name = (one.core if one.kind == "gene" else one.words).casefold()
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None


def _words(one: Thing, said: str) -> Iterator[Drafted]:
    """The keywords of a thing: a gene and what is done to it are two."""
    if one.kind != "gene":
        yield Drafted(one.words, one.dimension, synonyms_of(one))
        return
    yield Drafted(one.core, one.dimension, _names(one.heading, one.core))
    rest = " ".join(part for part in one.words.replace(one.core, " ").split())
    done = perturbation(rest)
    if done and done.casefold() in said:
        yield Drafted(done, "gene perturbation", tuple(other for other in _LOSS if other != done.casefold()))
    elif len(rest) > 2 and rest.casefold() in said:
        yield Drafted(rest, "term of the question")


def synonyms_of(one: Thing) -> tuple[str, ...]:
    """A few other names of a thing: what MeSH has of its words where that is its head, then MeSH's own names."""
    if one.core == one.words:
        return _names(one.heading, one.core)
    telling = " " in one.core or one.kind in ("disease", "finding", "drug", "procedure")
    if not telling or not one.words.endswith(one.core):
        return ()
    return (one.core, *_names(one.heading, one.core))[:MOST_SYNONYMS]


def _names(heading: Heading | None, said: str) -> tuple[str, ...]:
    """Names of a heading that a text would use: no inverted ones, none that differ by a plural or a hyphen alone."""
    if heading is None:
        return ()
    chosen, seen = list[str](), {_plain(said)}
    for name in sorted((heading.name, *heading.entry_terms), key=lambda name: (name != heading.name, len(name))):
        if "," in name or len(name) < 3 or _plain(name) in seen:
            continue
        seen.add(_plain(name))
        chosen.append(name)
    return tuple(chosen[:MOST_SYNONYMS])


def _plain(name: str) -> str:
    return " ".join(sorted(map(words.stem, fold(name).split())))
