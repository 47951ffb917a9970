"""Searching without a model: MeSH terms by term mapping, and a critique based on the words of what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from medground.pubmed.mesh import Heading, fold, vocabulary
from medground.pubmed.stopwords import STOPWORDS
from medground.pubmed.translate import standard_mapper
from medground.query import Mesh, Or, Query
from medground.text import words

Judge = Callable[[str, Sequence[str], Sequence[str]], list[tuple[bool, str]]]
"""Question, headings, found texts -> a verdict and its reason for each heading."""

_POOR_NAMES = """
    adult|affect|aged|animals|association|cells|child|data|disease|female|goals|hospitals|humans|infant|male|men|methods|mice
    |middle aged|patients|persons|population|probability|rats|research|research design|risk|risk factors|role|safety
    |schools|standards|students|teaching|therapeutics|time|tissues|women|work|world health organization
"""
POOR = frozenset(name.strip() for name in _POOR_NAMES.split("|"))
"""Headings that say little about the subject of a question (check tags and words common to all studies)."""

_CORE = 2
"""Concepts joined with AND in a first draft; more of them find little (54.1 % of the paper's failures)."""

_ALIGNED = 0.34
"""Minimum share of the question's content words in the records about a term, averaged."""


@dataclass(frozen=True)
class Mention:
    """Words of a question that name a heading."""

    words: str
    heading: Heading


@lru_cache(maxsize=256)
def mentions(question: str) -> tuple[Mention, ...]:
    """The headings that a question names, in order, by automatic term mapping."""
    found: dict[str, Mention] = {}
    for said, name in mapped(question):
        if name and name.casefold() not in POOR:
            found.setdefault(name, Mention(said, vocabulary().heading(name)))
    return tuple(found.values())


def spoken(question: str) -> str:
    """The words of a question, separated by single spaces."""
    return " ".join(re.findall(r"[\w'’+/-]+", question))


def mapped(question: str) -> list[tuple[str, str]]:
    """The words that term mapping reads as one concept, in order, with the heading; it is empty if there is none."""
    plain = spoken(question)
    _, translations = standard_mapper().map(plain) if plain else (None, [])
    headings = [(t.source, vocabulary().find(_heading_of(t.query) or "")) for t in translations]
    return [(said, heading.name if heading else "") for said, heading in headings]


_WORDS = 40
_LETTERS = 500
"""Maximum words, and characters, of a question that become its query if it names no heading."""


def propose(question: str) -> list[tuple[str, str]]:
    """Headings with the reason for each (Eq. 1)."""
    return [(m.heading.name, f"the question says {m.words!r}") for m in mentions(question)]


def select(question: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """Candidates that no narrower candidate covers, most specific first (Eq. 2)."""
    headings = [h for h in (vocabulary().find(c) for c in candidates) if h is not None]
    kept = [h for h in headings if not _covered_by_another(h, headings)]
    names = {h.name for h in sorted(kept, key=_depth, reverse=True)}
    ordered = [h.name for h in sorted(kept, key=_depth, reverse=True)]
    return tuple(c for name in ordered for c in candidates if name in names and _name(c) == name)


def draft(question: str, headings: Sequence[str], core: int = _CORE) -> str:
    """The most specific concepts joined with AND, each with its names; without any, its words (Eq. 3)."""
    groups = [_any(question, group) for group in _concepts(question, headings)[:core]]
    return " AND ".join(groups) if groups else _of_words(question) or question[:_LETTERS]


def coverage(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a name of the heading appears in what was found (Eq. 6)."""
    folded = [f" {fold(text)} " for text in texts]
    counts = [sum(any(f" {n} " in text for n in _names(heading)) for text in folded) for heading in headings]
    return [(count > 0, f"named in {count} of {len(texts)} records") for count in counts]


def alignment(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether the records that name the heading share the question's words (Eq. 7)."""
    asked = words.topic(question)
    judged = []
    for heading in headings:
        about = [text for text in texts if any(f" {n} " in f" {fold(text)} " for n in _names(heading))]
        shares = [words.coverage(asked, words.terms(text)) for text in about]
        share = sum(shares) / len(shares) if shares else 0.0
        judged.append((share >= _ALIGNED, f"its records hold {share:.0%} of the question's words"))
    return judged


def redundancy(question: str, headings: Sequence[str], texts: Sequence[str]) -> list[tuple[bool, str]]:
    """Whether a narrower term of the query already covers it (Eq. 8)."""
    known = {name: vocabulary().find(name) for name in headings}
    present = [h for h in known.values() if h is not None]
    return [
        (True, "a narrower term covers it") if heading and _covered_by_another(heading, present) else (False, "")
        for heading in known.values()
    ]


def update(question: str, feedback: Sequence[tuple[str, bool, bool, bool]]) -> list[tuple[str, str]]:
    """Terms that are covered, aligned and not redundant, then new ones that the question names (Eq. 9)."""
    good = [heading for heading, covered, aligned, redundant in feedback if covered and aligned and not redundant]
    usable = [
        heading for heading, covered, _, redundant in feedback if covered and not redundant and heading not in good
    ]
    tried = {heading for heading, *_ in feedback}
    fresh = [m.heading.name for m in mentions(question) if m.heading.name not in tried]
    chosen = [*good, *usable, *fresh] or [heading for heading, *_ in feedback]
    return [(name, "kept" if name in tried else "the question names it") for name in chosen]


def refine(question: str, headings: Sequence[str], history: Sequence[tuple[str, int]]) -> str:
    """The next query: fewer ideas with AND if nothing was found, otherwise one more (Eq. 10)."""
    tried = {query for query, _ in history}
    starved = bool(history) and history[-1][1] == 0
    for core in (1, _CORE) if starved else (_CORE, _CORE + 1, 1):
        query = draft(question, headings, core)
        if query not in tried:
            return query
    return max(history, key=lambda entry: entry[1])[0] if history else draft(question, headings)


def unsupported(question: str, texts: Sequence[str]) -> list[str]:
    """Headings of the question that no text mentions: the gaps of a summary."""
    headings = [m.heading.name for m in mentions(question)]
    return [h for h, (found, _) in zip(headings, coverage(question, headings, texts), strict=True) if not found]


def _heading_of(query: Query) -> str | None:
    parts = query.parts if isinstance(query, Or) else (query,)
    return next((part.heading for part in parts if isinstance(part, Mesh) and part.heading), None)


def _concepts(question: str, headings: Sequence[str]) -> list[list[str]]:
    """The headings in order, those that the question names as alternatives together."""
    from medground.operators.keyless.naming import alternatives

    asked = [{one.heading for one in group} for group in alternatives(question)]
    found: list[list[str]] = []
    for heading in headings:
        group = next((g for g in asked if heading in g), {heading})
        together = next((f for f in found if not group.isdisjoint(f)), None)
        if together is None:
            found.append([heading])
        else:
            together.append(heading)
    return found


def _any(question: str, headings: Sequence[str]) -> str:
    groups = [_group(question, heading) for heading in headings]
    return groups[0] if len(groups) == 1 else f"({' OR '.join(groups)})"


def _group(question: str, name: str) -> str:
    said = [m.words for m in mentions(question) if m.heading.name == name]
    names = {fold(n): n for n in (name, *said)}
    texts = [f'"{_quotable(n)}"[tiab]' for n in names.values()]
    return f'("{_quotable(name)}"[mesh] OR {" OR ".join(texts)})'


def _quotable(text: str) -> str:
    return " ".join(text.replace('"', " ").split())


def _of_words(question: str) -> str:
    """The rarest word of a question that names no heading, with one of the others."""
    rarest_first = sorted(plain_words(question)[:_WORDS], key=lambda word: -words.weight(words.stem(word)))
    first, *others = [f'"{word}"[tiab]' for word in rarest_first] or [""]
    return f"{first} AND ({' OR '.join(others)})" if others else first


def plain_words(question: str) -> list[str]:
    asked = words.topic(question)
    said = [w for w in dict.fromkeys(words.tokens(question)) if w.isalnum() and words.stem(w) in asked]
    return [w for w in said if w not in STOPWORDS and not w.isdigit()]


@lru_cache(maxsize=1024)
def _names(heading: str) -> tuple[str, ...]:
    found = vocabulary().find(heading)
    names = (heading, *found.entry_terms) if found else (heading,)
    return tuple(dict.fromkeys(folded for n in names if len(folded := fold(n)) > 2))


def _name(candidate: str) -> str | None:
    found = vocabulary().find(candidate)
    return found.name if found else None


def _covered_by_another(heading: Heading, others: Sequence[Heading]) -> bool:
    return any(other.name != heading.name and _is_above(heading, other) for other in others)


def _is_above(upper: Heading, lower: Heading) -> bool:
    return any(low.startswith(up + ".") for up in upper.trees for low in lower.trees)


def _depth(heading: Heading) -> int:
    return max((tree.count(".") for tree in heading.trees), default=0)
