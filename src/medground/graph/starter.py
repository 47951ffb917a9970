"""The HPO release as the starter corpus: its documents, and the graph file that belongs to them."""

import contextlib
import heapq
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from medground.corpus.build import build
from medground.corpus.library import GRAPH_FILE, STARTER, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input
from medground.errors import StorageFailed
from medground.graph.names import FULL, disease_keys, name_key
from medground.graph.relation import Concept, Name, Predicate, Relation, StatedAt, line
from medground.graph.vocabularies.hpo import LICENSE, Disease, Hpo
from medground.graph.vocabularies.obo import Term
from medground.home.files import script
from medground.values.document import Document, Section
from medground.values.grouping import grouped
from medground.values.steps import Progress, no_progress

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

    Raises BadDocument: a data file is not what it claims to be.
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
    present = grouped((one.predicate, one) for one in disease.relations if not one.excluded)
    text.relations("Clinical features", present.get("feature", []))
    text.section("Clinical features")
    for heading, predicate in _COURSE:
        text.relations(heading, present.get(predicate, []))
    text.section("Inheritance, onset, course")
    text.relations("Genes", present.get("gene", []))
    text.section("Genes")
    text.relations("Excluded or not observed", [one for one in disease.relations if one.excluded])
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


class GraphWriter:
    """Builds a graph file from pages; `save` writes it. The graph is held in memory, about 40 MB.

    The file belongs with the documents of the same pages: it stores the location of each relation in them.
    """

    def __init__(self, hpo: Hpo) -> None:
        self._hpo = hpo
        self._numbers: dict[str, int] = {}
        self._pages: set[str] = set()
        # The build reads in one thread and may save in another, but never at the same time.
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(script("graph", "facts"))
        self._connection.execute("INSERT INTO meta VALUES ('name', ?)", (hpo.name,))
        # A relation may refer to a term before the page of that term is added, so the terms are numbered first.
        self._add_concepts(term.concept for term in hpo.terms.values())

    def add(self, page: Page) -> None:
        """Add a page; one that was already added is ignored."""
        if page.concept.id in self._pages:
            return
        self._pages.add(page.concept.id)
        self._add_concepts([page.concept, *(relation.object for relation in page.relations)])
        number = self._numbers[page.concept.id]
        self._connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", _names(page, number))
        self._connection.executemany(
            "INSERT INTO relations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_row(relation, number, self._numbers[relation.object.id]) for relation in page.relations),
        )

    def save(self, path: Path) -> None:
        """Read the missing pages and write the file.

        Raises BadDocument: a data file is not what it claims to be; StorageFailed: writing to disk failed.
        """
        # Terms come last: if all of them were added, so was everything else.
        if not self._hpo.terms.keys() <= self._pages:
            for page in pages(self._hpo):
                self.add(page)
        numbers = self._numbers
        edges = ((numbers[i], numbers[p]) for i, term in self._hpo.terms.items() for p in term.parents if p in numbers)
        self._connection.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?)", edges)
        self._connection.executescript(script("graph", "facts_indexes"))
        self._connection.commit()
        path.unlink(missing_ok=True)
        try:
            with contextlib.closing(sqlite3.connect(path)) as target:
                self._connection.backup(target)
        except sqlite3.Error as error:
            raise StorageFailed(f"cannot write {path} ({error}); free some space or choose another folder") from None

    def close(self) -> None:
        """Free the memory. Safe to call twice."""
        self._connection.close()

    def _add_concepts(self, concepts: Iterable[Concept]) -> None:
        """Store the concepts that are new; a gene has no page, so its symbol is stored as its name here."""
        for concept in concepts:
            if concept.id in self._numbers:
                continue
            number = self._numbers[concept.id] = len(self._numbers) + 1
            row = (number, concept.id, concept.name, concept.kind, concept.definition)
            self._connection.execute("INSERT INTO concepts VALUES (?, ?, ?, ?, ?)", row)
            if concept.kind == "gene":
                name = (name_key(concept.name), number, "name", FULL, concept.name)
                self._connection.execute("INSERT INTO names VALUES (?, ?, ?, ?, ?)", name)


def _names(page: Page, number: int) -> Iterator[tuple[str, int, str, int, str]]:
    for name in page.names:
        keys = disease_keys(name.text) if page.concept.kind == "disease" else [(name_key(name.text), FULL)]
        for key, level in keys:
            if key:
                yield key, number, name.scope, level, name.text


def _row(relation: Relation, subject: int, thing: int) -> tuple[object, ...]:
    found, place = relation.frequency, relation.place
    return (
        subject,
        relation.predicate,
        thing,
        found.text if found else "",
        found.low if found else None,
        found.high if found else None,
        relation.negated,
        relation.sex,
        relation.onset,
        "\n".join(relation.modifiers),
        "\n".join(relation.references),
        place.start if place else 0,
        place.end if place else 0,
    )


# The release as an ordinary corpus.


def starter_input(release: Hpo | None, graph: GraphWriter | None = None) -> Input:
    """The documents of a release, by default the installed one: one per disease and one per term.

    If a `graph` is given, reading fills it too, so that the ontology is read only once.

    Raises ConfigError: the extra `starter` is not installed; BadDocument: the ontology file is not what it claims to
    be.
    """
    release = release or Hpo.open()

    def read(skip: int) -> Iterator[Document]:
        for number, page in enumerate(pages(release)):
            if graph is not None:
                graph.add(page)
            if number >= skip:
                yield page.document

    return Input(name=release.name, reader="hpo", fingerprint=release.fingerprint, read=read, license=LICENSE)


def build_starter(library: Library, progress: Progress = no_progress, release: Hpo | None = None) -> Manifest:
    """Build the corpus `starter`, replacing any existing one, by default from the installed release.

    Raises ConfigError: the extra `starter` is not installed; UsageError: another process is building it; BadDocument: a
    data file is not what it claims to be; StorageFailed: writing to disk failed.
    """
    release = release or Hpo.open()
    with contextlib.closing(GraphWriter(release)) as graph:
        source = starter_input(release, graph)
        return build(library, STARTER, [source], attachments={GRAPH_FILE: graph.save}, progress=progress)
