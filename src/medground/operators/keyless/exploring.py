"""Exploring without a model: queries that leave out and add words, and a judgement from ids and words.

The judgement is not a reader's: it says whether a gold document was found or, where the set names none, whether most
content words of the gold answer occur in what was found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from medground.document import SourceKind
from medground.operators.keyless.mentions import mentions, spoken
from medground.text import words

SHARE = 0.6
"""Minimum share of the gold answer's content words, where no gold document is known."""
_LEAST = 2
"""Fewer content words say nothing, as in the gold answer "yes"."""

_FACETS: dict[SourceKind, tuple[str, ...]] = {
    "book": ("definition", "cause mechanism", "diagnosis", "treatment", "complications prognosis"),
    "guideline": ("recommendation", "treatment", "symptoms", "diagnosis test", "prevention risk"),
    "research": ("patients outcome", "risk association", "trial comparison", "effect", "results"),
    "wiki": ("overview", "causes", "treatment", "history", "symptoms"),
    "graph": ("definition", "is a", "symptoms", "treatment", "causes"),
    "protein": ("function", "interaction", "disease", "structure", "expression"),
    "web": ("overview", "causes", "treatment", "risk", "symptoms"),
}


def diverse(question: str, kind: SourceKind, most: int) -> list[tuple[str, str]]:
    """At most `most` different queries (term, text); the term is empty unless the source is a graph. At least one."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for term, text in _graph(question) if kind == "graph" else _texts(question, kind):
        key = frozenset(words.terms(f"{term} {text}")) or frozenset([term, text])
        if text.strip():
            found.setdefault(key, (term, text))
    return list(islice(found.values(), most)) or [("", question)]


def _texts(question: str, kind: SourceKind) -> Iterator[tuple[str, str]]:
    """The whole question, its concepts, and its concepts with what such a source tells of them, in turn."""
    content = _content(question)
    concepts = _concepts(question) or content
    yield "", " ".join(content) or question
    facets = list(_FACETS[kind])
    yield "", " ".join(concepts)
    rare = sorted(content, key=words.weight, reverse=True)[:3]
    for number, facet in enumerate(facets):
        yield "", f"{' '.join(concepts[:2] if number % 2 else rare)} {facet}"
    for concept in concepts:
        yield "", concept


def _graph(question: str) -> Iterator[tuple[str, str]]:
    """Each concept with the question's words, then with what a graph records of concepts."""
    content = " ".join(_content(question)) or question
    concepts = _concepts(question) or sorted(_content(question), key=words.weight, reverse=True)[:2]
    for concept in concepts:
        yield concept, content
    for facet in _FACETS["graph"]:
        for concept in concepts:
            yield concept, facet


def _content(question: str) -> list[str]:
    """The question's words that say what it is about, in order."""
    topic = words.topic(question)
    return [word for word in spoken(question).split() if any(term in topic for term in words.terms(word))]


def _concepts(question: str) -> list[str]:
    """The words that name a heading, as the question says them."""
    return list(dict.fromkeys(mention.words for mention in mentions(question)))


def supports(
    question: str,
    answer: str,
    gold: Collection[str],
    documents: Sequence[str | None],
    texts: Sequence[str],
) -> tuple[str, str]:
    """`yes`, `no`, or nothing where neither ids nor words can tell; and why."""
    if gold:
        found = [document for document in documents if document in gold]
        if found:
            return "yes", f"without a model: the gold document {found[0]} was found"
        return "no", "without a model: no gold document was found"
    wanted = frozenset(words.terms(answer)) - frozenset(words.terms(question))
    if len(wanted) < _LEAST:
        return "", "without a model: the gold answer has too few words to look for, and no gold document is known"
    there = frozenset(term for text in texts for term in words.terms(text))
    share = len(wanted & there) / len(wanted)
    said = "yes" if share >= SHARE else "no"
    return said, f"without a model: {share:.0%} of the gold answer's own content words occur in what was found"
