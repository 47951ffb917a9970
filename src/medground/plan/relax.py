"""Widen a query that finds too little, and add concepts of the question that it lacks. Not in the paper.

54.1 % of the paper's failures were queries that found too little, 29.3 % queries that lacked a concept of the question
(its appendix on failures). Rules fix both here, without a model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from medground.operators.keyless.searching import POOR, mentions
from medground.plan.mesh import PubMedQuery
from medground.pubmed.mesh import fold, vocabulary
from medground.pubmed.printer import to_pubmed
from medground.query import And, FieldName, Mesh, Near, Not, Or, Phrase, Query, Term, Words, all_of, any_of
from medground.question import Question

MOST_PARTS = 5
"""Most AND-parts that are compared with each other, which takes up to ten searches."""

MOST_COUNTED = 12
"""Most parts that are counted on their own; each count is a search."""

_LIMITS: frozenset[FieldName] = frozenset(
    ["language", "publication_type", "subset", "kind", "year", "retraction", "journal"]
)
"""Fields that limit a search but do not name its subject."""

Count = Callable[[PubMedQuery], Awaitable[int]]
"""Counts the documents that a query finds."""


def as_pubmed(tree: Query) -> PubMedQuery:
    """A tree with its text in PubMed's syntax."""
    return PubMedQuery(to_pubmed(tree), tree)


def missing_concepts(question: Question, query: PubMedQuery) -> list[str]:
    """Headings that term mapping finds in the question and that no part of the query covers."""
    present = set(headings_of(query.tree))
    upper = {a.name for name in present if (h := vocabulary().find(name)) for a in vocabulary().ancestors(h)}
    said = set(map(fold, _texts_of(query.tree)))
    return [
        m.heading.name
        for m in mentions(question.text)
        if m.heading.name not in present | upper
        and said.isdisjoint(map(fold, (m.words, m.heading.name, *m.heading.entry_terms)))
    ]


def with_concepts(question: Question, query: PubMedQuery) -> PubMedQuery:
    """The query AND one more group, which any of the missing concepts satisfies; unchanged if none is missing."""
    missing = missing_concepts(question, query)
    if not missing:
        return query
    said = {m.heading.name: m.words for m in mentions(question.text)}
    names = [Mesh(heading=name) for name in missing]
    words = [Phrase(text=said[name].casefold(), field="title_abstract") for name in missing]
    return as_pubmed(all_of([*_conjuncts(query.tree), any_of([*names, *words])]))


async def relaxed(query: PubMedQuery, count: Count, enough: int) -> PubMedQuery:
    """Widen the query until it finds `enough` documents.

    AND-parts are dropped one by one: the one whose removal finds just enough, so that the most specific parts stay;
    if no removal finds enough, the one that gains most. The last part that names a subject stays; if it finds too
    little, its headings move up the MeSH tree step by step. A query with many parts first loses those that name no
    subject or find the least on their own, without counting the combinations, which bounds the number of searches.
    """
    query = await _shortened(query, count)
    found = await count(query)
    while found < enough and (wider := _wider(query.tree)):
        counted = [(await count(candidate), candidate) for candidate in wider]
        sufficing = [entry for entry in counted if entry[0] >= enough]
        if len(counted) > 1 and not any(entry[0] for entry in counted):  # drop the part that finds least alone
            counted = [counted[await _rarest(query.tree, count)]]
        pick = min(sufficing, key=lambda e: e[0]) if sufficing else max(counted, key=lambda e: e[0])
        if pick[0] <= found and not isinstance(query.tree, And):
            break
        found, query = pick
    return query


async def _rarest(tree: Query, count: Count) -> int:
    """Among the droppable parts, the index of the one that finds least on its own; the first of equals."""
    parts = _conjuncts(tree)
    alone = [await count(as_pubmed(parts[i])) for i in _droppable(parts)]
    return alone.index(min(alone))


async def _shortened(query: PubMedQuery, count: Count) -> PubMedQuery:
    parts = _conjuncts(query.tree)
    if len(parts) <= MOST_PARTS or await count(query):
        return query
    parts = list(dict.fromkeys(parts))[:MOST_COUNTED]  # weak models repeat the same part
    alone = [await count(as_pubmed(part)) for part in parts]
    kept = sorted(sorted(range(len(parts)), key=lambda i: (not _names_subject(parts[i]), -alone[i]))[:MOST_PARTS])
    return as_pubmed(all_of([parts[i] for i in kept]))


def _wider(tree: Query) -> list[PubMedQuery]:
    parts = _conjuncts(tree)
    if len(parts) > 1:
        return [as_pubmed(all_of([p for j, p in enumerate(parts) if j != i])) for i in _droppable(parts)]
    risen = _risen(tree)
    return [as_pubmed(risen)] if risen != tree else []


def _risen(tree: Query) -> Query:
    """The same tree with each heading one step up in MeSH; top headings stay."""
    if isinstance(tree, Mesh) and tree.heading and (heading := vocabulary().find(tree.heading)):
        parents = [p for p in vocabulary().parents(heading) if any("." in t for t in p.trees)]
        return tree.model_copy(update={"heading": parents[0].name}) if parents else tree
    if isinstance(tree, (And, Or)):
        return tree.model_copy(update={"parts": tuple(_risen(part) for part in tree.parts)})
    return tree


def _droppable(parts: Sequence[Query]) -> list[int]:
    """Indices of the parts that can be dropped so that the rest still names a subject; all if no part names one.

    "Humans", a range of years or "not reviews" must not be left alone, because they match anything.
    """
    subjects = [i for i, part in enumerate(parts) if _names_subject(part)]
    return [i for i in range(len(parts)) if subjects != [i]]


def _names_subject(tree: Query) -> bool:
    match tree:
        case And() | Or():
            return any(map(_names_subject, tree.parts))
        case Mesh():
            return tree.heading is not None and tree.heading.casefold() not in POOR
        case Term() | Phrase() | Near() | Words():
            return tree.field not in _LIMITS
        case _:
            return False


def _texts_of(tree: Query) -> list[str]:
    """The words that a tree asks for, without those under NOT."""
    if isinstance(tree, (And, Or)):
        return [text for part in tree.parts for text in _texts_of(part)]
    if isinstance(tree, Term):
        return [tree.value]
    return [tree.text] if isinstance(tree, Phrase | Near | Words) else []


def _conjuncts(tree: Query) -> list[Query]:
    return list(tree.parts) if isinstance(tree, And) else [tree]


def headings_of(tree: Query) -> list[str]:
    """The MeSH headings in a tree, in order, including those under NOT."""
    if isinstance(tree, Mesh):
        return [tree.heading] if tree.heading else []
    if isinstance(tree, (And, Or)):
        return [name for part in tree.parts for name in headings_of(part)]
    return [] if not isinstance(tree, Not) else headings_of(tree.part)
