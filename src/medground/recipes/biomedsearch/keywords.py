"""Keywords of a sub-question without a model (Eq. 2): what it names, other names of it, and its dimension's word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from medground.language import words
from medground.pubmed.characters import fold
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.recipes.biomedsearch.question_names import Thing, matching, things
from medground.recipes.biomedsearch.subjects import about, perturbation
from medground.recipes.biomedsearch.subquestions import DIMENSIONS, DraftedKeyword, KeywordedQuestion
from medground.sources.proteins.genes import genes_in
from medground.values.research_plan import Tool

MOST_SYNONYMS = 4
_COMMON = 27
"""Abstracts, of the 8,135 that were counted, with a word that is not a rare name."""
_LOSS = ("knock-out", "mutant", "null", "deficient", "loss of function", "deletion", "mutation")


def keywords(question: str, text: str, dimension: str, most: int) -> list[DraftedKeyword]:
    """What a sub-question says of what its question names, the subject first, then the word of its dimension."""
    said = text.casefold()
    found = [word for one in _salient(question) if _says(said, one) for word in _words(one, said)]
    chosen = found[:most]
    view = DIMENSIONS.get(dimension)
    if view and view.keyword and len(chosen) < most:
        chosen.append(DraftedKeyword(name=view.keyword, dimension=view.fine, synonyms=view.synonyms))
    return chosen or [DraftedKeyword(name=" ".join(text.rstrip("?").split()[:6]), dimension="term of the question")]


def named_keywords(question: str) -> list[DraftedKeyword]:
    """Everything that a question names, the most salient first."""
    return [word for one in _salient(question) for word in _words(one, question.casefold())]


def is_named(word: DraftedKeyword, names: Iterable[str]) -> bool:
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


def _words(one: Thing, said: str) -> Iterator[DraftedKeyword]:
    """The keywords of a thing: a gene and what is done to it are two."""
    if one.kind != "gene":
        yield DraftedKeyword(name=one.words, dimension=one.dimension, synonyms=synonyms_of(one))
        return
    yield DraftedKeyword(name=one.core, dimension=one.dimension, synonyms=_names(one.heading, one.core))
    rest = " ".join(part for part in one.words.replace(one.core, " ").split())
    done = perturbation(rest)
    if done and done.casefold() in said:
        others = tuple(other for other in _LOSS if other != done.casefold())
        yield DraftedKeyword(name=done, dimension="gene perturbation", synonyms=others)
    elif len(rest) > 2 and rest.casefold() in said:
        yield DraftedKeyword(name=rest, dimension="term of the question")


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


def names_protein(name: str) -> bool:
    """Whether a keyword names a gene or a protein; a common word such as `milk` may be a symbol as well."""
    found = genes_in(name)
    return any(not one.name.islower() or words.abstracts_with(words.stem(one.name)) < _COMMON for one in found)


_WEB = matching("on the web")
_OF_SUBJECT, _IN_WHOM, _NARROWER, _BETWEEN = 0.8, 0.5, 0.9, 0.6
"""Weights of edges: subject before its dimension, population before subject, broader before narrower heading, and one
dimension before another."""


def tools_of(question: str, subs: Sequence[KeywordedQuestion], tools: Sequence[Tool]) -> dict[str, tuple[Tool, ...]]:
    """The tools of each keyword: literature for all, proteins for genes, the web for what MeSH lacks.

    The web is searched for the question's own part too: for the keyword of the sub-question nearest to the question
    that fewest others have.
    """
    names = tuple(dict.fromkeys(name for sub in subs for name in sub.keywords))
    genes = {one.core.casefold() for one in things(question) if one.kind == "gene"}
    web = {name for name in names if name.casefold() not in genes and _is_unknown(name)}
    if subs:
        nearest = max(subs, key=lambda sub: words.coverage(words.terms(question), words.terms(sub.text)))
        counts = {name: sum(name in sub.keywords for sub in subs) for name in nearest.keywords}
        web |= {min(nearest.keywords, key=lambda name: counts[name])} if nearest.keywords else set()
    wanted: dict[str, set[Tool]] = {name: {"literature"} for name in names}
    for name in names:
        wanted[name] |= {"protein"} if name.casefold() in genes or names_protein(name) else set()
        wanted[name] |= {"web"} if name in web else set()
    return {name: tuple(tool for tool in tools if tool in chosen) for name, chosen in wanted.items()}


def tools_of_text(text: str, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools of a sub-question without keywords."""
    found = things(text)
    protein = any(one.kind == "gene" for one in found) or names_protein(text)
    web = bool(_WEB.search(text)) or any(one.kind != "gene" and _is_unknown(one.words) for one in found)
    wanted = {"literature", *(["protein"] if protein else []), *(["web"] if web else [])}
    return tuple(tool for tool in tools if tool in wanted)


def edges(question: str, subs: Sequence[KeywordedQuestion]) -> list[tuple[str, str, float]]:
    """What comes before what, with a weight: population, subject, its dimensions, the general before the specific."""
    found = about(question)
    if found is None:
        return []
    names = tuple(dict.fromkeys(name for sub in subs for name in sub.keywords))
    wanted = {found.subject.words.casefold(), found.subject.core.casefold()}
    subject = next((name for name in names if name.casefold() in wanted), None)
    whom = {one.words.casefold() for one in found.things if one.kind in ("population", "organism", "place")}
    made: dict[tuple[str, str], float] = {}
    for before, after, weight in (*_narrower(names), *_of_subject(subject, names, whom), *_of_dimensions(subs)):
        if before != after and (after, before) not in made:
            made.setdefault((before, after), weight)
    return [(before, after, weight) for (before, after), weight in made.items()]


def _is_unknown(name: str) -> bool:
    """Whether neither MeSH nor the counted words of abstracts have a name of one word."""
    if vocabulary().find(name) is not None or len(name.split()) > 1:
        return False
    said = [word for word in words.tokens(name) if len(word) > 4]
    return bool(said) and not any(words.abstracts_with(words.stem(word)) or vocabulary().find(word) for word in said)


def _narrower(names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    headings = {name: heading for name in names if (heading := vocabulary().find(name)) is not None}
    for upper, lower in permutations(headings, 2):
        trees = ((up, low) for up in headings[upper].trees for low in headings[lower].trees)
        if any(low.startswith(f"{up}.") for up, low in trees):
            yield upper, lower, _NARROWER


def _of_subject(subject: str | None, names: Sequence[str], whom: set[str]) -> Iterator[tuple[str, str, float]]:
    for name in names if subject is not None else ():
        if name.casefold() in whom:
            yield name, str(subject), _IN_WHOM
        elif name != subject:
            yield str(subject), name, _OF_SUBJECT


def _of_dimensions(subs: Sequence[KeywordedQuestion]) -> Iterator[tuple[str, str, float]]:
    """From the word of each dimension to those of the dimensions that come after it."""
    word = {sub.dimension: view.keyword for sub in subs if (view := DIMENSIONS.get(sub.dimension)) and view.keyword}
    there = {name for sub in subs for name in sub.keywords}
    for later, name in word.items():
        for earlier in DIMENSIONS[later].after:
            if earlier in word and {word[earlier], name} <= there:
                yield word[earlier], name, _BETWEEN
