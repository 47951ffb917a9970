"""Add what a question names and its query lacks. Not in the paper, where 29.3 % of the failures lack a concept.

Source of the figure: PubMed Reasoner, appendix J.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.operators.keyless.naming import Named, alternatives
from medground.plan.relax import PubMedQuery, as_pubmed, conjuncts, headings_of
from medground.pubmed.mesh import Heading, fold, vocabulary
from medground.query import And, Mesh, Near, Or, Phrase, Query, Term, Words, all_of, any_of
from medground.question import Question


def missing_concepts(question: Question, query: PubMedQuery) -> list[str]:
    """What the question names and no part of the query covers: headings, and words that have no heading."""
    groups = alternatives(question.text)
    return [one.heading or one.words for group in groups for one in group if not _covers(query.tree, one)]


def with_concepts(question: Question, query: PubMedQuery) -> PubMedQuery:
    """The query with everything that the question names; unchanged if nothing is missing."""
    parts = tuple(conjuncts(query.tree))
    whole = with_named(question.text, parts)
    return query if whole == parts else as_pubmed(all_of(whole))


def with_named(text: str, given: Sequence[Query]) -> tuple[Query, ...]:
    """The parts of a query, which must all match, with everything that a text names.

    Names without a heading come first, because they are the subject; abbreviations and populations come last, each as
    a part of its own. Other missing concepts are one part, which any of them satisfies. An alternative ("AIDS or
    diabetes") joins the part that has the other one.
    """
    parts = list(given)
    names: list[Query] = []
    concepts: list[Query] = []
    others: list[Query] = []
    for group in alternatives(text):
        missing = [one for one in group if not any(_covers(part, one) for part in given)]
        if not missing:
            continue
        place = next((n for n, part in enumerate(parts) if any(_covers(part, one) for one in group)), None)
        if place is not None:
            parts[place] = any_of([parts[place], *map(_asked, missing)])
        elif missing[0].kind == "concept":
            concepts += map(_asked, missing)
        else:
            (names if missing[0].kind == "name" else others).append(any_of([*map(_asked, missing)]))
    return (*names, *parts, *([any_of(concepts)] if concepts else []), *others)


def _asked(named: Named) -> Query:
    said = Phrase(text=named.words.casefold(), field="title_abstract")
    return any_of([Mesh(heading=named.heading), said]) if named.heading else said


def _covers(tree: Query, named: Named) -> bool:
    """Whether a tree asks for something, by its heading, a narrower one, or any of its names."""
    said = {fold(text) for text in texts_of(tree)}
    if not named.heading:
        wanted = fold(named.words)
        return any(f" {wanted} " in f" {text} " for text in said)
    heading = vocabulary().heading(named.heading)
    upper = {above.name for name in headings_of(tree) for above in _with_ancestors(name)}
    return named.heading in upper or not said.isdisjoint(map(fold, (named.words, heading.name, *heading.entry_terms)))


def _with_ancestors(name: str) -> Sequence[Heading]:
    heading = vocabulary().find(name)
    return [] if heading is None else [heading, *vocabulary().ancestors(heading)]


def texts_of(tree: Query) -> list[str]:
    """The words that a tree asks for, without those under NOT."""
    if isinstance(tree, (And, Or)):
        return [text for part in tree.parts for text in texts_of(part)]
    if isinstance(tree, Term):
        return [tree.value]
    return [tree.text] if isinstance(tree, Phrase | Near | Words) else []
