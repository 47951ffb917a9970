"""What PubMed is asked: a query that finds too little is widened, and what it lacks is added."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from medground.language.mesh_terms import POOR, Named, alternatives
from medground.pubmed.characters import fold
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.values import query as nodes
from medground.values.query import FieldName, Query, all_of, any_of, leaves
from medground.values.question import Question

# Widen a query that finds too little. Not in the paper, where 54.1 % of the failures are such queries (appendix J).


@dataclass(frozen=True)
class PubMedQuery:
    """A query in PubMed's syntax and as a tree."""

    text: str
    tree: Query


_LIMITS: frozenset[FieldName] = frozenset(
    ["language", "publication_type", "subset", "kind", "year", "retraction", "journal"]
)
"""Fields that limit a search but do not name its subject."""


Count = Callable[[PubMedQuery], Awaitable[int]]
"""Counts the documents that a query finds."""


def as_pubmed(tree: Query) -> PubMedQuery:
    """A tree with its text in PubMed's syntax."""
    return PubMedQuery(to_pubmed(tree), tree)


async def relaxed(query: PubMedQuery, count: Count, enough: int) -> PubMedQuery:
    """The narrowest of the wider queries (`ladder`) that finds `enough` documents; the widest if none does.

    Each step of the ladder finds all that the one before it finds, so a binary search decides: a query with n parts
    takes about log2(n) counts. Leading headings that find nothing at all, as in records without MeSH, are searched by
    their names too; leading parts that still find nothing are left out. If the widest finds too little, the headings
    above its own in the MeSH tree join it, step by step.
    """
    parts = _subjects(query.tree)
    steps = [query, *map(as_pubmed, ladder(query.tree))]
    low, high = 0, len(steps) - 1  # the answer lies in low..high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if await count(steps[middle]) >= enough else (middle + 1, high)
    found = await count(steps[low])
    if low == len(steps) - 1 and (empty := await _empty(parts, count)):
        whole = list(conjuncts(query.tree))
        said = [joined(part, by_name) if part in empty and _names_subject(part) else part for part in whole]
        if said == whole and len(parts) > 1 and found >= enough:
            said = [part for part in whole if part not in empty]
        if said != whole:
            return await relaxed(as_pubmed(all_of(said)), count, enough)
    return steps[low] if found >= enough else await _risen(steps[low], count, enough)


async def _empty(parts: Sequence[Query], count: Count) -> list[Query]:
    """The leading parts that find nothing on their own."""
    found: list[Query] = []
    for part in parts:
        if await count(as_pubmed(part)):
            break
        found.append(part)
    return found


def ladder(tree: Query) -> list[Query]:
    """Ever wider queries, without the query itself.

    Parts that name no subject (Humans, years, "not reviews") go first. Then fewer and fewer leading parts are
    required, and at least one of the others, so that no subject of the query is lost; at last any part will do.
    """
    parts = _subjects(tree)
    fewer = [all_of([*parts[:required], any_of(parts[required:])]) for required in range(len(parts) - 1, 0, -1)]
    steps = [*fewer, any_of(parts)] if len(parts) > 1 else parts
    return [step for step in steps if step != tree]


async def _risen(query: PubMedQuery, count: Count, enough: int) -> PubMedQuery:
    """The query with the headings above its own in the MeSH tree, until it finds `enough` or no longer gains."""
    found = await count(query)
    while found < enough and (tree := joined(query.tree, _one_up)) != query.tree:
        wider = as_pubmed(tree)
        gained = await count(wider)
        if gained <= found:
            break
        query, found = wider, gained
    return query


def _one_up(one: nodes.Mesh, heading: Heading) -> Sequence[Query]:
    """The heading above a heading; none for the top ones."""
    parents = [p for p in vocabulary().parents(heading) if any("." in t for t in p.trees)]
    return [one.replace(heading=parents[0].name)] if parents else []


def by_name(one: nodes.Mesh, heading: Heading) -> Sequence[Query]:
    """The names of a heading in title or abstract."""
    names = dict.fromkeys(name.casefold() for name in (heading.name, *heading.entry_terms) if "," not in name)
    return [normalize(f'"{name}"[tiab]').query for name in names]


def joined(tree: Query, more: Callable[[nodes.Mesh, Heading], Sequence[Query]]) -> Query:
    """The same tree with each heading OR more."""
    if isinstance(tree, nodes.Mesh) and tree.heading and (heading := vocabulary().find(tree.heading)):
        return any_of([tree, *more(tree, heading)])
    if isinstance(tree, nodes.And):
        return all_of([joined(part, more) for part in tree.parts])
    if not isinstance(tree, nodes.Or):
        return tree
    return any_of(list(dict.fromkeys(alternatives_in(joined(part, more) for part in tree.parts))))


def alternatives_in(parts: Iterable[Query]) -> Iterator[Query]:
    """The parts, and the parts of those that are alternatives."""
    for part in parts:
        yield from part.parts if isinstance(part, nodes.Or) else (part,)


def _subjects(tree: Query) -> list[Query]:
    """The AND-parts that name a subject, each once, in order; all parts if none does, as the rest match anything."""
    parts = list(dict.fromkeys(conjuncts(tree)))
    return [part for part in parts if _names_subject(part)] or parts


def _names_subject(tree: Query) -> bool:
    match tree:
        case nodes.Or() if headings := [part for part in tree.parts if isinstance(part, nodes.Mesh)]:
            return any(map(_names_subject, headings))  # the words next to a heading are its names
        case nodes.And() | nodes.Or():
            return any(map(_names_subject, tree.parts))
        case nodes.Mesh():
            return tree.heading is not None and tree.heading.casefold() not in POOR
        case nodes.Term() | nodes.Phrase() | nodes.Near() | nodes.Words():
            return tree.field not in _LIMITS
        case _:
            return False


def same(one: Query, other: Query) -> bool:
    """Whether two trees ask for the same, but for the order of their parts and needless brackets."""
    return _unordered(one) == _unordered(other)


def _unordered(tree: Query) -> object:
    if isinstance(tree, nodes.Or):
        return "or", frozenset(map(_unordered, alternatives_in(alternatives_in(tree.parts))))
    return ("and", frozenset(map(_unordered, tree.parts))) if isinstance(tree, nodes.And) else tree


def conjuncts(tree: Query) -> Sequence[Query]:
    """The parts of a tree that must all match."""
    return tree.parts if isinstance(tree, nodes.And) else (tree,)


def headings_of(tree: Query) -> list[str]:
    """The MeSH headings in a tree, in order, including those under NOT."""
    return [leave.heading for leave in leaves(tree) if isinstance(leave, nodes.Mesh) and leave.heading]


# Add what a question names and its query lacks. Not in the paper, where 29.3 % of the failures lack a concept.


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
    said = nodes.Phrase(text=named.words.casefold(), field="title_abstract")
    return any_of([nodes.Mesh(heading=named.heading), said]) if named.heading else said


def _covers(tree: Query, named: Named) -> bool:
    """Whether a tree asks for something, by its heading, a narrower one, or any of its names."""
    said = {fold(text) for text in texts_of(tree)}
    if not named.heading:
        wanted = fold(named.words)
        return any(f" {wanted} " in f" {text} " for text in said)
    heading = vocabulary().heading(named.heading)
    asked = filter(None, map(vocabulary().find, headings_of(tree)))
    upper = {above.name for one in asked for above in (one, *vocabulary().ancestors(one))}
    return named.heading in upper or not said.isdisjoint(map(fold, (named.words, heading.name, *heading.entry_terms)))


def texts_of(tree: Query) -> list[str]:
    """The words that a tree asks for, without those under NOT."""
    if isinstance(tree, (nodes.And, nodes.Or)):
        return [text for part in tree.parts for text in texts_of(part)]
    if isinstance(tree, nodes.Term):
        return [tree.value]
    return [tree.text] if isinstance(tree, nodes.Phrase | nodes.Near | nodes.Words) else []
