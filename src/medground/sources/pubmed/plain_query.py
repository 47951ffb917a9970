"""The query for plain words: their concepts, and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from medground.language import words
from medground.language.drafting import OPENING, draft, plain_words, propose, select
from medground.language.genes import gene_names
from medground.language.mesh_terms import POOR, spoken
from medground.language.people_words import in_plain_words
from medground.language.predicate_words import ALL_VERBS
from medground.language.requests import latest, stated
from medground.pubmed.characters import forms
from medground.pubmed.mesh import vocabulary
from medground.pubmed.normalize import normalize
from medground.pubmed.translate import standard_mapper
from medground.sources.pubmed.query import (
    PubMedQuery,
    alternatives_in,
    as_pubmed,
    by_name,
    conjuncts,
    joined,
    texts_of,
    with_named,
)
from medground.values import query as nodes
from medground.values.query import Query, all_of, any_of

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
    plain, subjects, others = _concepts(text)
    options = [one for part in _concepts(also)[1:] for one in part if one not in subjects] if also else []
    parts = [*subjects, *others, *([any_of(options)] if options else [])]
    telling = {word: _in_text(word) for word in plain_words(plain)}
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
    if isinstance(part, nodes.Or) and not any(
        isinstance(one, nodes.Mesh | nodes.PublicationType) for one in part.parts
    ):
        return " or ".join(map(spoken_part, part.parts))
    return (texts_of(part) or [""])[-1]


def _concepts(question: str) -> tuple[str, Sequence[Query], Sequence[Query]]:
    """A question in plain words; its subjects (rare names, the most specific concepts); and one of the other telling
    words, and aspects."""
    wording = in_plain_words(question)
    plain = wording.asked
    text = OPENING.sub(" ", plain, count=1) if OPENING.match(plain) else plain
    headings = select(text, [heading for heading, _ in propose(text)])
    parts = with_named(text, conjuncts(normalize(draft(text, headings)).query) if headings else ())
    aspects = [*_aspects(text)]
    known = {stem for part in (*parts, *aspects) for said in texts_of(part) for stem in words.terms(said)}
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
    return plain, [_with_names(part, wording.changed) for part in subjects], [*some, *aspects]


def _rarity(part: Query) -> float:
    return max(map(words.weight, words.terms(spoken_part(part))), default=0.0)


def _with_names(part: Query, typed: Mapping[str, str]) -> Query:
    """A concept with the other names of its headings, or a gene with its other symbols, and what was typed for it
    (`typed`: each with what it means); what is said of it comes last.
    """
    said = spoken_part(part)
    of_it = [name for name, meant in typed.items() if f" {said.casefold()} " in f" {meant.casefold()} "]
    more = (name.casefold() for name in (*gene_names(said), *of_it))
    symbols = [nodes.Phrase(text=name, field="title_abstract") for name in more]
    others = dict.fromkeys([*alternatives_in([joined(part, by_name)]), *symbols])
    own = [other for other in others if texts_of(other) == [said]]
    return any_of([*(other for other in others if other not in own), *own]) if len(others) > 1 and own else part


def _aspects(text: str) -> Iterator[Query]:
    """What a question asks of its subject: a subheading (therapy), a publication type (reviews), a species."""
    _, translations = standard_mapper().map(spoken(text) or "?")
    for translation in translations:
        for one in alternatives_in([translation.query]):
            heading = vocabulary().find(one.heading) if isinstance(one, nodes.Mesh) and one.heading else None
            is_organism = heading is not None and any(tree.startswith("B01") for tree in heading.trees)
            is_aspect = isinstance(one, nodes.PublicationType) or (isinstance(one, nodes.Mesh) and not one.heading)
            if is_aspect or (heading is not None and is_organism and heading.name.casefold() in POOR):
                yield any_of([one, _in_text(translation.source.casefold())])
                break


def _in_text(said: str) -> Query:
    """Words in title or abstract, one also in its other forms: PubMed does not know that they are one."""
    known = [form for form in forms(said) if form in vocabulary().words]
    if not known and said.endswith("s") and not said.endswith("ses") and words.stem(said) == words.stem(said[:-1]):
        known = [f"{said[:-3]}y" if said.endswith("ies") else said[:-1]]
    return any_of([nodes.Phrase(text=form, field="title_abstract") for form in (*known, said)])
