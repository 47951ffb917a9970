"""Papers from records of several databases: duplicates merged, and of each its abstract as one passage."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medground.answering.read.readable import is_less
from medground.corpus.chunk import region
from medground.corpus.retraction import why_aside
from medground.language import words
from medground.values.document import Document, Hit, Passage
from medground.values.query import Phrase, Query, Words, all_of, any_of
from medground.values.research_plan import ResearchPlan, SubQuestion

_LONGEST = 4000
"""Characters of a text that is an abstract as a whole. Of a longer one, the sections of its abstract are taken."""
_TITLE = 25
"""Letters of a title that tell a paper. Shorter ones, such as `Editorial`, are those of many."""


@dataclass(frozen=True)
class Paper:
    """A paper: its records, the one that is read first, and how it was found.

    The passage of the hit is its abstract, or what was found of it if it has none.
    """

    hit: Hit
    records: tuple[Document, ...]

    @property
    def key(self) -> str:
        """The key of its passage."""
        return self.hit.passage.key

    @property
    def text(self) -> str:
        """Title and abstract."""
        passage = self.hit.passage
        return passage.text if passage.text.startswith(passage.title) else f"{passage.title}\n{passage.text}"


def merged(hits: Sequence[Hit], documents: Mapping[str, Document]) -> list[Paper]:
    """The papers of these hits, in the order in which they are first found.

    Records are of one paper if they share a PMID, a PMC id or a DOI, or their titles have the same letters. Its fullest
    record is read, but no preprint of a paper; a retracted one stands for all, so that no database that has not heard
    of it yet hides it. Hits, at most one for each record, whose documents are not there are skipped.
    """
    groups: list[tuple[set[str], list[Hit]]] = []
    for hit in hits:
        if (document := documents.get(hit.passage.document_id)) is None:
            continue
        names = _names(document)
        same = [group for group in groups if not names.isdisjoint(group[0])]
        first, *others = same or [(set[str](), list[Hit]())]
        if not same:
            groups.append(first)
        for other in others:
            first[0].update(other[0])
            first[1].extend(other[1])
            groups.remove(other)
        first[0].update(names)
        first[1].append(hit)
    return [_paper(found, documents) for _, found in groups]


def _names(document: Document) -> set[str]:
    """What tells the paper: its ids, the id of the record, and its title."""
    letters = re.sub(r"[\W_]+", "", document.title.casefold())
    title = [f"title:{letters}"] if len(letters) >= _TITLE else []
    return {*document.paper, document.id, *title}


def _paper(hits: Sequence[Hit], documents: Mapping[str, Document]) -> Paper:
    first = {hit.passage.document_id: hit for hit in reversed(hits)}
    aside = next((hit for hit in hits if why_aside(hit.passage)), None)
    records = [documents[i] for i in first]  # the paper before its preprint, then that with most text and headings
    records.sort(key=lambda d: (d.text.strip() == d.title.strip(), *is_less(d), -len(d.text), -len(d.mesh), d.id))
    read = records[0]
    own = first[read.id]
    hit = aside or own.replace(passage=abstract_of(read) or own.passage)
    return Paper(hit, tuple(records))


def abstract_of(document: Document) -> Passage | None:
    """The abstract as one passage; None for a long text that has none."""
    sections = [section for section in document.sections if section.label.casefold().startswith("abstract")]
    if len(document.text) <= _LONGEST:
        start, end, label = 0, len(document.text), None
    elif sections:
        start, end, label = sections[0].start, min(sections[-1].end, sections[0].start + _LONGEST), "Abstract"
    else:
        return None
    return next(iter(region(document, start, end, label, _LONGEST)), None)


_MOST_NAMES = 6
"""Most names of earlier findings that sharpen a query: more would drown its own words."""


@dataclass(frozen=True)
class Asking:
    """The queries of a sub-question.

    Attributes:
        keywords: for each keyword, most salient first, the forms in which it may stand: its name, then its synonyms.
        tree: for services: all keywords, each in any form.
        salient: for services: the most salient keywords only; None where that is the same.
        words: for corpora, which rank by shared words: the sub-question, its keywords and names found earlier.
    """

    keywords: tuple[tuple[str, ...], ...]
    tree: Query
    salient: Query | None
    words: Words


def asking(
    one: SubQuestion, plan: ResearchPlan, names: Sequence[str], *, use_keywords: bool, most_salient: int
) -> Asking:
    """The queries of a sub-question.

    Of `names`, what earlier findings call the thing, one that shares its words with a keyword is a synonym of it, and
    any other an optional word. Without keywords the sub-question is searched by its own words.
    """
    new = list(dict.fromkeys(name for name in names if name.strip()))[:_MOST_NAMES]
    if not use_keywords or not one.keywords:
        own = Words(text=one.text)
        return Asking((), own, None, Words(text=" ".join([one.text, *new])))
    keywords = [[keyword.name, *keyword.synonyms] for keyword in plan.keywords_of(one)]
    optional: list[str] = []
    for name in new:
        owner = next((forms for forms in keywords if _shares(name, forms)), None)
        (optional if owner is None else owner).append(name)
    forms = tuple(tuple(dict.fromkeys(form.strip() for form in found)) for found in keywords)
    parts = [any_of([Phrase(text=form) for form in found]) for found in forms]
    spoken = dict.fromkeys([one.text, *(found[0] for found in forms), *optional])
    salient = all_of(parts[:most_salient]) if most_salient < len(parts) else None
    return Asking(forms, all_of(parts), salient, Words(text=" ".join(spoken)))


def _shares(name: str, forms: Sequence[str]) -> bool:
    """Whether all words of the name are in one of the forms, or the other way round."""
    own = set(words.terms(name))
    return any(own <= form or form <= own for text in forms if (form := set(words.terms(text))))


def coverage(keywords: Sequence[Sequence[str]], text: str) -> float:
    """The share of keywords that a text holds, 0 to 1; 1 if there are none (BioMedSearch, Eq. 3, Filter).

    A keyword is there if all word stems of one of its forms are, in any place.
    """
    found = set(words.terms(text))
    wanted = [
        forms for keyword in keywords if (forms := [set(terms) for form in keyword if (terms := words.terms(form))])
    ]
    return sum(any(form <= found for form in forms) for forms in wanted) / len(wanted) if wanted else 1.0
