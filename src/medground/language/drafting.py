"""A PubMed query for a question without a model: the headings that it names, the most specific joined with AND."""

import re
from collections.abc import Sequence

from medground.language import words
from medground.language.mesh_terms import alternatives, mentions
from medground.language.pattern import verbose_pattern
from medground.pubmed.characters import STOPWORDS, fold
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading

OPENING = verbose_pattern(
    r"""
    (?:^|[:,.]\ *)(?:which|who|whom|whose|where|when|list|name|describe|give|tell|explain|define|mention|
    compare|please|provide|suggest)\b|\b(?:what|how|why|can\ u|thanks)\b
    """
)
"""How questions and orders begin."""
CORE = 2
"""Concepts joined with AND in a first draft; more of them find little (54.1 % of the paper's failures)."""

_MARKS = re.compile(r'"|[^\w\s]{3,}')
_WORDS = 40
_LETTERS = 500
"""Maximum words, and characters, of a question that become its query if it names no heading."""


def propose(question: str) -> list[tuple[str, str]]:
    """Headings with the reason for each (Eq. 1), for a question in plain words (`Asked.plain`)."""
    return [(m.heading, f"the question says {m.words!r}") for m in mentions(question)]


def select(question: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """Candidates that no narrower candidate covers, most specific first (Eq. 2)."""
    headings = [h for h in (vocabulary().find(c) for c in candidates) if h is not None]
    kept = [h for h in headings if not is_covered(h, headings)]
    kept.sort(key=lambda h: -max((tree.count(".") for tree in h.trees), default=0))
    named = [(c, found.name if (found := vocabulary().find(c)) else "") for c in candidates]
    return tuple(candidate for heading in kept for candidate, name in named if name == heading.name)


def draft(question: str, headings: Sequence[str], core: int = CORE) -> str:
    """The most specific concepts joined with AND, each with its names; without any, its plain words (Eq. 3)."""
    concepts = [[_group(question, name) for name in group] for group in _concepts(question, headings)[:core]]
    groups = [group[0] if len(group) == 1 else f"({' OR '.join(group)})" for group in concepts]
    return " AND ".join(groups) if groups else _of_words(question) or question[:_LETTERS]


def _concepts(question: str, headings: Sequence[str]) -> list[list[str]]:
    """The headings in order, those that the question names as alternatives together."""
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


def _group(question: str, name: str) -> str:
    said = [m.words for m in mentions(question) if m.heading == name]
    names = {fold(n): n for n in (name, *said)}
    texts = [f'"{_quotable(n)}"[tiab]' for n in names.values()]
    return f'("{_quotable(name)}"[mesh] OR {" OR ".join(texts)})'


def _quotable(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split())


def _of_words(question: str) -> str:
    """The rarest word of a question that names no heading, with one of the others."""
    rarest_first = sorted(plain_words(question)[:_WORDS], key=lambda word: -words.weight(words.stem(word)))
    first, *others = [f'"{word}"[tiab]' for word in rarest_first] or [""]
    return f"{first} AND ({' OR '.join(others)})" if others else first


def plain_words(question: str) -> list[str]:
    """The words of a question that say what it is about, in their order."""
    asked = words.topic(question)
    said = [w for w in dict.fromkeys(words.tokens(question)) if w.isalnum() and words.stem(w) in asked]
    return [w for w in said if w not in STOPWORDS and not w.isdigit()]


def is_covered(heading: Heading, others: Sequence[Heading]) -> bool:
    """Whether another heading is below this one in a tree of MeSH."""
    lower = (tree for other in others if other.name != heading.name for tree in other.trees)
    return any(tree.startswith(f"{above}.") for tree in lower for above in heading.trees)
