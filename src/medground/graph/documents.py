"""The graph as documents: one per disease and one per term, with one line per stored relation."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from medground.document import Document, Section
from medground.graph.hpo import LICENSE, Disease, Hpo, Term
from medground.graph.relation import Concept, Name, Predicate, Relation, StatedAt
from medground.graph.wording import line

SHOWN = 5
"""Diseases listed in a phenotype's document, most frequent first; the document of each disease has the others."""

_COURSE: tuple[tuple[str, Predicate], ...] = (
    ("Inheritance", "inheritance"),
    ("Onset and course", "course"),
    ("Clinical modifiers", "modifier"),
    ("Medical history", "history"),
)
_PAGES = "https://hpo.jax.org/browse"


@dataclass(frozen=True, slots=True)
class Page:
    """A document, the concept that it describes, and the relations that it states, each with its location."""

    document: Document
    concept: Concept
    names: tuple[Name, ...]
    relations: tuple[Relation, ...]


def pages(hpo: Hpo) -> Iterator[Page]:
    """Every page of a release, diseases first; the order never changes.

    Raises:
        BadDocument: a data file is not what it claims to be.
    """
    seen: dict[str, _Seen] = {}
    for disease in hpo.diseases():
        for relation in disease.relations:
            if relation.predicate == "feature" and not relation.excluded:
                seen.setdefault(relation.object.id, _Seen()).add(relation)
        yield disease_page(disease, hpo.name)
    for term in hpo.terms.values():
        parents = [hpo.terms[parent].concept for parent in term.parents if parent in hpo.terms]
        yield term_page(term, parents, seen.get(term.concept.id, _Seen()), hpo.name)


@dataclass(slots=True)
class _Seen:
    """The diseases with a phenotype: how many, and those where it is most frequent."""

    total: int = 0
    best: list[tuple[float, str, str]] = field(default_factory=list)

    def add(self, relation: Relation) -> None:
        self.total += 1
        share = relation.frequency
        order = (share.least if share is not None else -1.0, relation.subject.id)
        if len(self.best) == SHOWN and order < self.best[0][:2]:
            return
        entry = f"{relation.subject.label}: {share.words if share is not None else 'frequency not recorded'}."
        (heapq.heappush if len(self.best) < SHOWN else heapq.heappushpop)(self.best, (*order, entry))

    def lines(self) -> list[str]:
        shown = [entry for _, _, entry in sorted(self.best, key=lambda found: (-found[0], found[1]))]
        more = self.total - len(shown)
        return [*shown, f"{more:,} more diseases are recorded, each in its own document."] if more else shown


def disease_page(disease: Disease, graph: str) -> Page:
    """The page of a disease."""
    text = _Text(f"{disease.concept.label} is a disease of {graph}.")
    text.lines("Synonyms", [name.text for name in disease.synonyms])
    present: dict[Predicate, list[Relation]] = {}
    absent = []
    for relation in disease.relations:
        if relation.excluded:
            absent.append(relation)
        else:
            present.setdefault(relation.predicate, []).append(relation)
    text.relations("Clinical features", present.get("feature", []))
    text.section("Clinical features")
    for heading, predicate in _COURSE:
        text.relations(heading, present.get(predicate, []))
    text.section("Inheritance, onset, course")
    text.relations("Genes", present.get("gene", []))
    text.section("Genes")
    text.relations("Excluded or not observed", absent)
    text.section("Excluded features")
    return text.page(disease.concept, disease.synonyms, f"{_PAGES}/disease/{disease.concept.id}")


def term_page(term: Term, parents: Sequence[Concept], seen: _Seen, graph: str) -> Page:
    """The page of a term: its definition, its parents, and the diseases with it."""
    what = "phenotype" if term.concept.kind == "phenotype" else "modifier"
    text = _Text(f"{term.concept.label} is a {what} of {graph}.")
    if term.concept.definition:
        text.relations("Definition", [Relation(term.concept, "definition", term.concept)])
    text.lines("Synonyms", [name.text for name in term.synonyms])
    text.lines("Is a kind of", [f"{parent.label}." for parent in parents])
    text.section("Definition")
    text.lines("Diseases", seen.lines())
    text.section("Diseases")
    return text.page(term.concept, term.synonyms, f"{_PAGES}/term/{term.concept.id}")


class _Text:
    """Builds a text line by line and records the locations of its sections and relations.

    A section covers everything since the previous one, headings included, so that a page is cut into few passages.
    """

    def __init__(self, opening: str) -> None:
        self._lines = [opening]
        self._length = len(opening)
        self._sections: list[Section] = []
        self._relations: list[Relation] = []

    def lines(self, heading: str, lines: Sequence[str]) -> list[tuple[int, int]]:
        """Add a heading and its lines, if there are any. Returns the locations of the lines."""
        if not lines:
            return []
        head = self._length + len(heading) + 3  # a blank line, the heading and its colon
        _, *ends = accumulate((len(text) + 1 for text in lines), initial=head)
        self._lines += ["", f"{heading}:", *lines]
        self._length = ends[-1]
        return [(end - len(text), end) for text, end in zip(lines, ends, strict=True)]

    def relations(self, heading: str, relations: Sequence[Relation]) -> None:
        """Add a heading and its relations, one per line."""
        if not relations:
            return
        about = relations[0].subject.id
        places = self.lines(heading, [line(relation) for relation in relations])
        self._relations += [
            Relation(*relation[:-1], StatedAt(about, start, end))  # `_replace` is five times slower
            for relation, (start, end) in zip(relations, places, strict=True)
        ]

    def section(self, label: str) -> None:
        """End a section here, unless nothing was added since the last one."""
        start = self._sections[-1].end if self._sections else 0
        if self._length > start:
            self._sections.append(Section(label=label, start=start, end=self._length))

    def page(self, concept: Concept, synonyms: tuple[Name, ...], url: str) -> Page:
        """The page of a concept as written so far: its document, its names and its relations."""
        prefix, _, number = concept.id.partition(":")
        document = Document(
            id=concept.id,
            title=concept.name,
            text="\n".join(self._lines),
            sections=tuple(self._sections),
            kind="graph",
            language="eng",
            identifiers={prefix.lower(): number},
            references=tuple(dict.fromkeys(ref for r in self._relations for ref in r.references)),
            url=url,
            license=LICENSE,
        )
        return Page(document, concept, (Name(concept.name, "name"), *synonyms), tuple(self._relations))
