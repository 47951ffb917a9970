"""A plan of sources without a model: research and one more source, with queries by the names of the question.

It makes at most half of the lookups that asking every source takes, one for each source, and one for stored records
where the question is for these. Measured, no order of sources by the type of question found more than this one
(`docs/measurements/search.md`).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

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


def graph_terms(question: str) -> tuple[str, ...]:
    """The names of a question to look up in a graph, the most specific first, at most three."""
    return tuple(dict.fromkeys(_term(one) for one in _best_names(" ".join(question.split()), 3)))


def _asked(text: str) -> str:
    """The sentence that asks: the last one with a question mark, else the last one."""
    sentences = _SENTENCE.split(text)
    return _plain(next((one for one in reversed(sentences) if one.endswith("?")), sentences[-1]))


def _plain(text: str) -> str:
    kept = _FILLER.sub(" ", text)
    plain = " ".join(kept.replace(";", ",").split()).strip(" ,:?!.-")
    return plain or " ".join(text.replace(";", ",").split())


@lru_cache(maxsize=512)
def _best_names(text: str, most: int) -> list[Named]:
    """What a text names, without populations: names of diseases and drugs first, then the most specific."""
    candidates = [one for one in named(text) if one.kind != "population" and _is_telling(one)]
    ranked = sorted(candidates, key=lambda candidate: (-_specific(candidate), candidate.start))
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


def _term(one: Named) -> str:
    """How a graph is asked for it: by its heading, unless that is written backwards (`Diabetes Mellitus, Type 2`)."""
    return one.heading if one.heading and "," not in one.heading else one.words.replace(",", " ")


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

    One for stored records comes before these where such a question is asked.
    """
    records = _asks_for_records(question, options)
    most = max(1, lookups_of_all(question, sources) // 2) + records
    kinds = dict.fromkeys(("graph", *_ORDER) if records else _ORDER)
    asked = (_query(question, name, kind) for kind in kinds for name, its in sources if its == kind)
    return list(filter(None, asked))[:most]


def lookups_of_all(question: str, sources: Sequence[tuple[str, SourceKind]]) -> int:
    """How many lookups asking every source takes at least: one for each, none for a graph where nothing is named."""
    terms = graph_terms(question)
    return sum(1 for _, kind in sources if kind != "graph" or terms)


def _asks_for_records(question: str, options: Sequence[str]) -> bool:
    """Whether stored records answer it. They come first, and beside the others: a record takes no text's place."""
    said = " ".join(question.split())
    return not options and len(said.split()) <= _LONG and _FEATURES.search(said) is not None


def _query(question: str, source: str, kind: SourceKind) -> Sought | None:
    """The question without its filler; of a graph about the first thing that it names, if it names one."""
    text = by_words(question)
    if kind != "graph":
        return Sought(source, text) if text else None
    terms = graph_terms(question)
    return Sought(source, text, terms[0]) if terms else None
