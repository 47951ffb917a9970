"""A plan of sources without a model: research and one more source, with queries by the names of the question.

It makes at most half of the lookups that asking every source takes, one for each source, and one for stored records
where the question is for these. Measured, no order of sources by the type of question found more than this one
(`docs/benchmarks.md`).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from medground.language import words
from medground.language.mesh_terms import Named, named
from medground.language.word_lists import word_lists
from medground.pubmed.mesh import vocabulary
from medground.values.document import SourceKind

_WORDS = 40
"""Most words of a query. A case is cut to what it asks and what it names."""
_NAMES = 6
"""Most names of a query by terms."""

_LISTS = word_lists("research_words")
_FILLER = re.compile(rf"\b(?:{'|'.join(sorted(_LISTS['filler'], reverse=True))}|\[[a-z ]+\])(?!\w)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_ASPECTS = {
    name.removeprefix("aspect "): re.compile(rf"\b(?:{'|'.join(asked)})\b", re.IGNORECASE)
    for name, asked in _LISTS.items()
    if name.startswith("aspect ")
}


def by_words(question: str) -> str:
    """The question without its filler. Of a case: what it asks, and what it names."""
    said = " ".join(question.split())
    plain = _plain(said)
    if len(plain.split()) <= _WORDS:
        return plain
    asked = _asked(said)
    names = [one.words for one in _best_names(said, 2 * _NAMES) if one.words.casefold() not in asked.casefold()]
    rest = plain.split() if not names and len(asked.split()) < _WORDS // 2 else []
    return " ".join(" ".join([asked, *names, *rest]).split()[:_WORDS])


def by_terms(question: str) -> str:
    """What the question names, by its heading where the heading says it in other words, and the aspect asked for.

    Empty if it names nothing.
    """
    said = " ".join(question.split())
    found = _best_names(said, _NAMES)
    if not found:
        return ""
    aspects = [name for name, asked in _ASPECTS.items() if asked.search(said)]
    names = [_both(one) for one in sorted(found, key=lambda one: one.start)]
    return " ".join(dict.fromkeys(" ".join([*names, *aspects[:2]]).split()))


def graph_terms(question: str) -> tuple[str, ...]:
    """The names of a question to look up in a graph, the most specific first, at most three."""
    return tuple(dict.fromkeys(_term(one) for one in _best_names(" ".join(question.split()), 3)))


def _asked(text: str) -> str:
    """The sentence that asks: the last one with a question mark, else the last one that says something."""
    sentences = [(one, _plain(one)) for one in _SENTENCE.split(text)]
    telling = [(one, plain) for one, plain in sentences if len(words.terms(plain)) > 1] or sentences
    return next((plain for one, plain in reversed(telling) if one.rstrip().endswith("?")), telling[-1][1])


def _plain(text: str) -> str:
    kept = _FILLER.sub(" ", text)
    plain = " ".join(kept.replace(";", ",").split()).strip(" ,:?!.-")
    return plain or " ".join(text.replace(";", ",").split())


@lru_cache(maxsize=512)
def _best_names(text: str, most: int) -> list[Named]:
    """What a text names, without populations: names of diseases and drugs first, then the most specific."""
    candidates = [one for one in named(text) if one.kind != "population" and _is_telling(one)]
    ranked = sorted(candidates, key=lambda one: (-_specific(one), one.start))
    return ranked[:most]


def _specific(one: Named) -> float:
    heading = vocabulary().find(one.heading) if one.heading else None
    rarest = max((words.weight(term) for term in words.terms(one.words)), default=0.0)
    return rarest + (
        _SUBJECT if heading is None or any(t.startswith(("C", "D", "F03")) for t in heading.trees) else 0.0
    )


_UNIT = re.compile(
    r"[\d.,/+-]*(?:\d+[a-z]?|/)?(?:min|mcl|mm3?|dl|kg|mg|ml|hg|year|month|week|day|hour)s?(?:-old)?|s\d|.*\d+/\w+|name|email|.*/",
    re.IGNORECASE,
)
"""Names by their writing that are none: measures, ages, heart sounds, addresses."""
_EMPTY = frozenset(["Diagnosis", "Pharmaceutical Preparations", "Solutions", "Motion", "Light"])
_SUBJECTS = ("A", "B", "C", "D", "E", "F03", "G", "J02")
"""Branches of MeSH whose headings name what a biomedical question is about: not people, places, or human affairs."""


def _is_telling(one: Named) -> bool:
    """Whether a name is worth a query of its own: no unit, no address, no everyday thing."""
    if not one.heading:
        return not _UNIT.fullmatch(one.words)
    heading = vocabulary().find(one.heading)
    return one.heading not in _EMPTY and (heading is None or any(tree.startswith(_SUBJECTS) for tree in heading.trees))


_SUBJECT = 2.0
"""What a disease, a drug, a mental disorder or a name without a heading is worth beside the weight of its rarest word,
which is at most 7."""


def _both(one: Named) -> str:
    """The words of a name; its heading too, if that shares no word with them."""
    if not one.heading or set(words.terms(one.heading)) & set(words.terms(one.words)):
        return one.words
    return f"{one.words} {one.heading.split(',')[0]}"


def _term(one: Named) -> str:
    """How a graph is asked for it: by its heading, unless that is written backwards (`Diabetes Mellitus, Type 2`)."""
    return one.heading if one.heading and "," not in one.heading else one.words.replace(",", " ")


Form = Literal["words", "terms", "concept"]
"""How a query is made: `words`, the question without its filler; `terms`, its names; `concept`, a graph's term."""

_ORDER: tuple[SourceKind, ...] = ("research", "book", "guideline", "wiki", "graph", "web", "protein")
_DISEASE_PARTS, _DISEASE = ("|".join(sorted(_LISTS[name])) for name in ("parts of a disease", "names of diseases"))
_FEATURES = re.compile(
    rf"^\W*(?:what|which|list|name|how)\b[^.]{{0,80}}\b(?:{_DISEASE_PARTS})\b[^.]{{0,30}}\b(?:of|for|to|in|with|cause\w*|"
    rf"are|is|associated|related|underl\w+|responsible)\b|\b(?:is|are) [^.]{{1,80}} (?:inherited|hereditary)\b|"
    rf"\b(?:is|are) [^.]{{1,60}} (?:a |an )?(?:symptoms?|signs?|features?|manifestations?) of\b[^.]*|"
    rf"^\W*(?:what|which) causes? [^.]{{1,60}}(?:{_DISEASE})\b",
    re.IGNORECASE,
)
"""Signs, genes, inheritance or onset of a named disease: what a graph has relations for."""
_LONG = 45
"""Words of a question; beyond them it tells a case."""


class Sought(NamedTuple):
    """A query for a source; `term` only of a graph."""

    source: str
    text: str
    term: str = ""

    def __str__(self) -> str:
        return f"{self.term} , {self.text}" if self.term else self.text


def plan(question: str, sources: Sequence[tuple[str, SourceKind]], *, options: Sequence[str] = ()) -> list[Sought]:
    """The queries of a plan, best first: at most half as many as asking every source would take, and at least one.

    One for stored records comes beside these where such a question is asked.
    """
    most = max(1, lookups_of_all(question, sources) // 2) + _asks_for_records(question, options)
    return list(islice(ladder(question, sources, options=options), most))


def lookups_of_all(question: str, sources: Sequence[tuple[str, SourceKind]]) -> int:
    """How many lookups asking every source takes at least: one for each, none for a graph where nothing is named."""
    terms = graph_terms(question)
    return sum(1 for _, kind in sources if kind != "graph" or terms)


def ladder(
    question: str, sources: Sequence[tuple[str, SourceKind]], *, options: Sequence[str] = ()
) -> Iterator[Sought]:
    """Every different query that is worth trying, best first: records where they are asked for, research, the rest."""
    said: set[tuple[str, str, str]] = set()
    kinds = dict.fromkeys(("graph", *_ORDER) if _asks_for_records(question, options) else _ORDER)
    steps: list[tuple[SourceKind, Form]] = [(kind, "concept" if kind == "graph" else "words") for kind in kinds]
    steps += [(kind, "terms") for kind in kinds if kind != "graph"]
    for part in (slice(0, 1), slice(1, None)):  # further terms of a graph come after everything else
        for kind, form in steps:
            for name in (name for name, its in sources if its == kind):
                for query in _queries(question, name, form)[part]:
                    key = (name, query.term.casefold(), query.text.casefold())
                    if key not in said:
                        said.add(key)
                        yield query


def _asks_for_records(question: str, options: Sequence[str]) -> bool:
    """Whether stored records answer it. They come first, and beside the others: a record takes no text's place."""
    said = " ".join(question.split())
    return not options and len(said.split()) <= _LONG and _FEATURES.search(said) is not None


def _queries(question: str, source: str, form: Form) -> list[Sought]:
    if form == "concept":
        return [Sought(source, by_words(question), term) for term in graph_terms(question)]
    text = by_terms(question) if form == "terms" else by_words(question)
    return [Sought(source, text)] if text else []


Past = tuple[Sequence[tuple[str, str]], int, Sequence[str]]
"""The queries of an earlier plan, each with its source; its points; the sources that had nothing."""


def improved(
    question: str,
    sources: Sequence[tuple[str, SourceKind]],
    past: Sequence[Past],
    siblings: int,
    *,
    options: Sequence[str] = (),
) -> list[Sought]:
    """The next plan: the queries of the best one that found something, and the next ones that were not tried.

    The first plan is that of `plan`. Every later one goes on along the ladder by as many queries, so that each reaches
    a source or a wording that no earlier one had; at its end the best plan comes again. `siblings` is the number of
    plans that were made from the same feedback.
    """
    first = plan(question, sources, options=options)
    best = max(past, key=lambda one: one[1], default=None)
    if best is None and not siblings:
        return first
    rungs = list(ladder(question, sources, options=options))
    rest = [one for one in rungs if one not in first]
    begin = (max(len(past) - 1, 0) + siblings) * len(first)
    kept = [one for one in rungs if best and (one.source, str(one)) in best[0] and one.source not in best[2]]
    added = [one for one in rest[begin : begin + len(first)] if one not in kept]
    return [*kept, *added] or first
