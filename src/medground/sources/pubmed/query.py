"""What PubMed is asked: a query that finds too little is widened, what it lacks is added; plain words become one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from medground.language import words
from medground.language.dates import latest, stated
from medground.language.drafting import OPENING, draft, plain_words, propose, select
from medground.language.genes import gene_names
from medground.language.mesh_terms import POOR, Named, alternatives, spoken
from medground.language.predicate_words import ALL_VERBS
from medground.language.question_reading import reading_of
from medground.pubmed.characters import fold, forms
from medground.pubmed.mesh import vocabulary
from medground.pubmed.mesh_table import Heading
from medground.pubmed.normalize import normalize
from medground.pubmed.printer import to_pubmed
from medground.pubmed.translate import standard_mapper
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
        said = [_joined(part, _by_name) if part in empty and _names_subject(part) else part for part in whole]
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
    while found < enough and (tree := _joined(query.tree, _one_up)) != query.tree:
        wider = as_pubmed(tree)
        gained = await count(wider)
        if gained <= found:
            break
        query, found = wider, gained
    return query


def _one_up(one: nodes.Mesh, heading: Heading) -> Sequence[Query]:
    """The heading above a heading; none for the top ones."""
    parents = [p for p in vocabulary().parents(heading) if any("." in t for t in p.trees)]
    return [one.model_copy(update={"heading": parents[0].name})] if parents else []


def _by_name(one: nodes.Mesh, heading: Heading) -> Sequence[Query]:
    """The names of a heading in title or abstract."""
    names = dict.fromkeys(name.casefold() for name in (heading.name, *heading.entry_terms) if "," not in name)
    return [normalize(f'"{name}"[tiab]').query for name in names]


def _joined(tree: Query, more: Callable[[nodes.Mesh, Heading], Sequence[Query]]) -> Query:
    """The same tree with each heading OR more."""
    if isinstance(tree, nodes.Mesh) and tree.heading and (heading := vocabulary().find(tree.heading)):
        return any_of([tree, *more(tree, heading)])
    if isinstance(tree, nodes.And):
        return all_of([_joined(part, more) for part in tree.parts])
    if not isinstance(tree, nodes.Or):
        return tree
    return any_of(list(dict.fromkeys(_alternatives(_joined(part, more) for part in tree.parts))))


def _alternatives(parts: Iterable[Query]) -> Iterator[Query]:
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
        return "or", frozenset(map(_unordered, _alternatives(_alternatives(tree.parts))))
    return ("and", frozenset(map(_unordered, tree.parts))) if isinstance(tree, nodes.And) else tree


def conjuncts(tree: Query) -> Sequence[Query]:
    """The parts of a tree that must all match."""
    return tree.parts if isinstance(tree, nodes.And) else (tree,)


def headings_of(tree: Query) -> list[str]:
    """The MeSH headings in a tree, in order, including those under NOT."""
    return [one.heading for one in leaves(tree) if isinstance(one, nodes.Mesh) and one.heading]


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


# A query for plain words: their concepts, as PubMed Reasoner's planner writes them, and nothing else.

_TELLING = 3.0
"""Least weight of a word without a heading that a record should hold."""
_REQUIRED = 2
"""Words that must be there where nothing else is named."""
_VERBS = frozenset(map(words.stem, ALL_VERBS))
NOTHING = nodes.Phrase(text="")
"""The query of a question that names nothing."""


@dataclass(frozen=True)
class PlainAsked:
    """A query for plain words, the most needed concepts first, and what the words say about dates and order.

    `wider` find all records on its rare names, and on any of its concepts. `notes` are what an answer says about dates
    and order.
    """

    query: PubMedQuery
    wider: tuple[PubMedQuery, ...]
    years: nodes.Range | None = None
    newest: bool = False
    notes: tuple[str, ...] = ()


def plain_asked(text: str, also: str, year: int | None) -> PlainAsked:
    """The query for a question and its options, of which any concept will do.

    `year` is the present one; None where the question has limits of its own, and those of its words do not count.
    """
    limit, newest = None if year is None else stated(text, year), latest(text)
    notes = [limit.note] if limit else []
    notes += [f"the latest publications come first, because the question says {newest!r}"] if newest else []
    for said in (limit.said if limit else "", newest):
        text = text.replace(said, " ", 1) if said else text
    subjects, others = _concepts(text)
    options = [one for part in _concepts(also) for one in part if one not in subjects] if also else []
    parts = [*subjects, *others, *([any_of(options)] if options else [])]
    telling = {word: _in_text(word) for word in plain_words(reading_of(text).plain)}
    anything = any_of([*dict.fromkeys([*parts, *telling.values()])]) if parts else NOTHING

    def on(needed: Sequence[Query]) -> Query:
        """The records on any of some subjects, those first that say more of the question's words."""
        named = {stem for part in needed for one in texts_of(part) for stem in words.terms(one)} - _VERBS
        said = [one for word, one in telling.items() if words.stem(word) in named]
        return all_of([any_of([*dict.fromkeys([*needed, *said])]), anything])

    # a rare name is what the question is about; only then will any of its concepts do
    rare = [part for part in subjects if _rarity(part) >= words.MOST]
    wider = [as_pubmed(on(each)) for each in (rare, subjects) if each and len(parts) > 1]
    years = nodes.Range(low=limit.first, high=limit.last) if limit else None
    tree = all_of(parts) if parts else NOTHING
    return PlainAsked(as_pubmed(tree), tuple(dict.fromkeys(wider)), years, bool(newest), tuple(notes))


def spoken_part(part: Query) -> str:
    """A concept as the question says it."""
    if isinstance(part, nodes.Or) and not any(isinstance(one, nodes.Mesh) for one in part.parts):
        return " or ".join(map(spoken_part, part.parts))
    return (texts_of(part) or [""])[-1]


def _concepts(text: str) -> tuple[Sequence[Query], Sequence[Query]]:
    """The subjects (rare names, the most specific concepts); and one of the other telling words, and aspects."""
    plain = reading_of(text).plain
    text = OPENING.sub(" ", plain, count=1) if OPENING.match(plain) else plain
    headings = select(text, [heading for heading, _ in propose(text)])
    parts = with_named(text, conjuncts(normalize(draft(text, headings)).query) if headings else ())
    known = {stem for part in parts for said in texts_of(part) for stem in words.terms(said)}
    left = [word for word in plain_words(text) if words.stem(word) not in known]
    weights = {word: words.weight(words.stem(word)) for word in left}
    ranked = sorted(weights, key=lambda word: -weights[word])
    rare = [word for word in ranked if weights[word] >= words.MOST]
    no_verbs = [word for word in ranked if words.stem(word) not in _VERBS]
    others = [word for word in no_verbs if _TELLING <= weights[word] < words.MOST]
    if not parts and not rare:
        telling = no_verbs or ranked
        rare, others = telling[:_REQUIRED], telling[_REQUIRED:]
    some = [any_of(list(map(_in_text, others)))] if others else []
    subjects = sorted([*map(_in_text, rare), *parts], key=_rarity, reverse=True)
    return [*map(_with_names, subjects)], [*some, *_aspects(text)]


def _rarity(part: Query) -> float:
    return max(map(words.weight, words.terms(spoken_part(part))), default=0.0)


def _with_names(part: Query) -> Query:
    """A concept with the other names of its headings, or a gene with its other symbols; what was said comes last."""
    said = nodes.Phrase(text=spoken_part(part), field="title_abstract")
    symbols = [nodes.Phrase(text=name.casefold(), field="title_abstract") for name in gene_names(said.text)]
    others = dict.fromkeys([*_alternatives([_joined(part, _by_name)]), *symbols])
    return any_of([*(one for one in others if one != said), said]) if len(others) > 1 and said in others else part


def _aspects(text: str) -> Iterator[Query]:
    """What a question asks of its subject: a subheading (therapy), a publication type (reviews), a species."""
    _, translations = standard_mapper().map(spoken(text) or "?")
    for translation in translations:
        for one in _alternatives([translation.query]):
            heading = vocabulary().find(one.heading) if isinstance(one, nodes.Mesh) and one.heading else None
            is_organism = heading is not None and any(tree.startswith("B01") for tree in heading.trees)
            is_aspect = isinstance(one, nodes.PublicationType) or (isinstance(one, nodes.Mesh) and not one.heading)
            if is_aspect or (heading is not None and is_organism and heading.name.casefold() in POOR):
                yield any_of([one, _in_text(translation.source.casefold())])
                break


def _in_text(said: str) -> Query:
    """Words in title or abstract, one also in its other forms: PubMed does not know that they are one."""
    known = [form for form in forms(said) if form in vocabulary().words]
    return any_of([nodes.Phrase(text=form, field="title_abstract") for form in (*known, said)])
