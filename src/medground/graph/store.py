"""The graph in a single SQLite file, read-only once written."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice, takewhile
from typing import Any, get_args

from rapidfuzz import fuzz, process

from medground.graph.base import NEAREST, Graph, GraphSize, Named, StatedRow
from medground.graph.names import FULL, NUMBER_LOST, name_key, nearest, spelling
from medground.graph.relation import Concept, ConceptKind, Relation, StatedAt, by_frequency, frequency, line, sentence
from medground.graph.vocabularies.hpo import LICENSE
from medground.home.files import tables
from medground.values.graph import ConceptEntry, Neighbour

ID = re.compile(r"(?i)(?:HP|OMIM|ORPHA|DECIPHER|NCBIGene):\w+")
_KINDS: tuple[ConceptKind, ...] = get_args(ConceptKind)
_UNKNOWN = -1
_ALIKE = 300
"""Names compared with a text that no concept has."""
_SQL = tables("graph", "statements")["store"]
_BY_ID: str = _SQL["by_id"]
_BY_IDS = "SELECT id, name, kind, definition FROM concepts WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
_BY_NAME: str = _SQL["by_name"]
_PHENOTYPES: str = _SQL["phenotypes"]
_BEGUN: str = _SQL["begun"]
_OF_TYPE = re.compile(r"(?:,? |-)(?:type )?(?:\d|[IVX]+\b)|, (?!.*\b(?:and|with)\b)| due to | complex$")
"""Follows the name of a disease in those of its types."""
_BEGINNING = 3
"""First letters of a name that every spelling of it has."""
_KEYS = "SELECT DISTINCT key FROM names WHERE key IN (SELECT value FROM json_each(?))"
_NAMES = "SELECT text FROM names"
_NAMES_OF: str = _SQL["names_of"]
_DEFINITIONS = "SELECT definition FROM concepts WHERE definition != ''"
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_RELATION: str = _SQL["relation"]
_AT_PLACE = f"{_RELATION} WHERE s.id = ? AND r.start = ? AND r.end = ?"
_OF_SUBJECTS = "r.subject IN (SELECT c.number FROM json_each(?) j JOIN concepts c ON c.id = j.value)"
_OF_OBJECTS = "r.object IN (SELECT c.number FROM json_each(?) j JOIN concepts c ON c.id = j.value)"
_COUNTS: str = _SQL["counts"]
_NEIGHBOURS: str = _SQL["neighbours"]
_SIZE: str = _SQL["size"]
_KIN: str = _SQL["kin"]


class GraphStore(Graph):
    """The graph of the starter corpus: relations as stored facts, found by name, and worded when they are asked for."""

    default_licence = LICENSE

    def _fits(self) -> bool:
        return "name" in self.meta and "form" not in self.meta

    def find(self, text: str, *kinds: ConceptKind) -> tuple[Concept, ...]:
        """Concepts of these kinds that the text as a whole names unambiguously; empty if there are none.

        An id names its concept. A phenotype is found by its name, or else by an exact synonym. A disease is found by
        its full name, together with entries that add a number to it, or else as a family ("Ehlers-Danlos syndrome").
        """
        wanted = json.dumps(kinds)
        if ID.fullmatch(text.strip()):
            return tuple(Concept(*row) for row in self._rows(_BY_ID, text.strip(), wanted))
        named = [(Concept(*row[:4]), *row[4:]) for row in self._rows(_BY_NAME, name_key(text), wanted)]
        chosen: dict[str, Concept] = {}
        for kind in kinds:
            of_kind = [entry for entry in named if entry[0].kind == kind]
            if kind == "gene":  # MOG and MOGS are two genes: a symbol has no plural
                of_kind = [entry for entry in of_kind if entry[3].casefold() == text.strip().casefold()]
            chosen |= {c.id: c for c in (_diseases(of_kind) if kind == "disease" else _terms(of_kind, text))}
        return tuple(chosen.values())

    def family(self, name: str) -> tuple[Concept, ...]:
        """All diseases of this name, with its types: "Alport syndrome, X-linked", "Alport syndrome 3, dominant"."""
        same = self._rows(_BY_NAME, name_key(name), json.dumps(["disease"]))
        begun = (row for row in self._rows(_BEGUN, f"{name}%") if _OF_TYPE.match(row[1], len(name)))
        return tuple(dict.fromkeys(Concept(*row[:4]) for row in (*same, *begun)))

    def find_weakly(self, text: str, *kinds: ConceptKind) -> tuple[Concept, ...]:
        """The one concept with this related synonym; empty if there is none, or more than one."""
        rows = self._rows(_BY_NAME, name_key(text), json.dumps(kinds))
        concepts = dict.fromkeys(Concept(*row[:4]) for row in rows if row[4] == "related")
        return tuple(concepts) if len(concepts) == 1 else ()

    def find_longer(self, text: str) -> tuple[Concept, ...]:
        """The one phenotype with a name that begins with these words; empty if there is none, or more than one."""
        said, beginning = spelling(text), text[:_BEGINNING].casefold()
        if len(said) < 2:
            return ()
        first = bisect_left(self._phenotypes, (beginning,))
        alike = takewhile(lambda row: row[0].startswith(beginning), islice(self._phenotypes, first, None))
        begun = [word[:2] for word in said]  # finding out how a name is spelled is the slow part
        likely = (row for row in alike if all(part in row[0] for part in begun))
        longer = {concept_id for name, concept_id in likely if spelling(name)[: len(said)] == said}
        return tuple(self.concepts(longer)) if len(longer) == 1 else ()

    def named_after(self, word: str) -> tuple[Concept, ...]:
        """The one disease, or the entries of one, whose name begins with this word; empty if several begin so."""
        rows = self._rows(_BEGUN, f"{word} %")
        found = dict.fromkeys(Concept(*row[:4]) for row in rows)
        return tuple(found) if len({name_key(one.name) for one in found}) == 1 else ()

    def known_keys(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that a name of the graph has."""
        return {row[0] for row in self._rows(_KEYS, json.dumps(list(keys)))}

    @cached_property
    def words(self) -> Mapping[str, int]:
        """Every word of every name and definition, in lower case, with the number of names that have it."""
        counts = Counter(word for name in self._names for word in {*_WORDS.findall(name.casefold())})
        defined = {word for row in self._rows(_DEFINITIONS) for word in _WORDS.findall(row[0].casefold())}
        return dict.fromkeys(defined, 0) | counts

    def relations(
        self, *, subjects: Iterable[str] | None = None, objects: Iterable[str] | None = None, predicate: str = ""
    ) -> list[Relation]:
        """Relations of these subjects, of these objects, or between both; with one predicate or any."""
        given = [(ids, where) for ids, where in ((subjects, _OF_SUBJECTS), (objects, _OF_OBJECTS)) if ids is not None]
        where = " AND ".join([*(clause for _, clause in given), "(? = '' OR r.predicate = ?)"])
        values = [json.dumps(list(ids)) for ids, _ in given]
        rows = self._rows(f"{_RELATION} WHERE {where} ORDER BY r.number", *values, predicate, predicate)
        return [_relation(row) for row in rows]

    def counts(self, objects: Iterable[str]) -> dict[str, int]:
        """How many relations each of these objects has: a rare one is specific."""
        return dict(self._rows(_COUNTS, json.dumps(list(objects))))

    def stated_at(self, place: StatedAt) -> Relation | None:
        """The relation that a document states at a location."""
        rows = self._rows(_AT_PLACE, place.document_id, place.start, place.end)
        return _relation(rows[0]) if rows else None

    def ancestors(self, concept_id: str) -> set[str]:
        """Ids of all ancestors of a term, without the term itself."""
        return self._walk(concept_id, "child", "parent")

    def descendants(self, concept_id: str) -> set[str]:
        """Ids of all descendants of a term, without the term itself."""
        return self._walk(concept_id, "parent", "child")

    def kin(self, concept_id: str) -> list[tuple[Concept, Concept]]:
        """Its parents and its children, as (child, parent), parents first."""
        return [(Concept(*row[:4]), Concept(*row[4:])) for row in self._rows(_NEIGHBOURS, concept_id)]

    @cached_property
    def _names(self) -> list[str]:
        return [row[0] for row in self._rows(_NAMES)]

    @cached_property
    def _phenotypes(self) -> list[tuple[str, str]]:
        return self._rows(_PHENOTYPES)

    @property
    def size(self) -> GraphSize:
        return GraphSize(*self._rows(_SIZE)[0])

    def concepts(self, ids: Iterable[str]) -> list[Concept]:
        """Concepts by id; unknown ids are omitted."""
        rows = self._rows(_BY_IDS, json.dumps(list(ids)))
        return [Concept(*row) for row in rows]

    def named(self, term: str) -> Named:
        """The concepts that a term names: by id, name or exact synonym, else the one with this related synonym."""
        if found := self.find(term, *_KINDS):
            own = "name" if name_key(term) == name_key(found[0].name) else "exact"
            by = "id" if term.strip().casefold() == found[0].id.casefold() else own
            return Named(tuple((concept.id, concept.name) for concept in found), by)
        weakly = self.find_weakly(term, *_KINDS)
        return Named(tuple((concept.id, concept.name) for concept in weakly), "related")

    def rows(self, concept_id: str) -> list[StatedRow]:
        """The definition, the relations that the concept's document states, and those that others state of it."""
        own = sorted(self.relations(subjects=[concept_id]), key=lambda relation: by_frequency(relation)[0])
        rows = [_row(relation) for relation in own]
        for child, parent in self.kin(concept_id):
            stated = f"{parent.label}."
            place = StatedAt(child.id, 0, _UNKNOWN)
            rows.append(StatedRow(place, stated, f"{child.name} is a kind of {stated}", "is_a"))
        others = self.relations(objects=[concept_id])
        return rows + [_row(relation) for relation in others if relation.predicate != "definition"]

    def entry(self, concept_id: str, name: str) -> ConceptEntry:
        """A concept with its synonyms and its neighbours in the ontology."""
        kin = self.kin(concept_id)
        names = dict.fromkeys(row[0] for row in self._rows(_NAMES_OF, concept_id))
        return ConceptEntry(
            concept_id,
            name,
            synonyms=tuple(text for text in names if text != name),
            above=tuple(Neighbour(up.id, up.name) for down, up in kin if down.id == concept_id),
            below=tuple(Neighbour(down.id, down.name) for down, up in kin if up.id == concept_id),
        )

    def nearest(self, term: str) -> tuple[str, ...]:
        """The stored names closest to a term."""
        alike = process.extract(term, self._names, scorer=fuzz.WRatio, processor=str.casefold, limit=_ALIKE)
        return nearest(term, (name for name, *_ in alike), NEAREST)

    def _walk(self, start: str, source: str, target: str) -> set[str]:
        rows = self._rows(_KIN.replace("{source}", source).replace("{target}", target), start)
        return {row[0] for row in rows} - {start}


_Named = tuple[Concept, str, int, str]
"""A concept with the scope, the level and the text of the name that matched."""


def _terms(named: list[_Named], text: str) -> list[Concept]:
    """Concepts with this name, else those with this exact synonym, else the only one with this abbreviation."""
    for scope in ("name", "exact"):
        if found := [concept for concept, s, _, _ in named if s == scope]:
            return found
    short = [concept for concept, s, _, stored in named if s == "abbreviation" and stored == text.strip()]
    return short if len(short) == 1 else []


def _diseases(named: list[_Named]) -> list[Concept]:
    full = any(level == FULL for _, _, level, _ in named)
    return [concept for concept, _, level, _ in named if not full or level <= NUMBER_LOST]


def _row(relation: Relation) -> StatedRow:
    place = relation.place or StatedAt(relation.subject.id, 0, _UNKNOWN)
    ranked = relation.subject.definition if relation.predicate == "definition" else sentence(relation)
    return StatedRow(place, line(relation), ranked, relation.predicate)


def _relation(row: tuple[Any, ...]) -> Relation:
    subject, predicate, thing, rest = Concept(*row[:4]), row[4], Concept(*row[5:9]), row[9:]
    stored, negated, sex, onset, modifiers, references, start, end = rest
    return Relation(
        subject=subject,
        predicate=predicate,
        object=thing,
        frequency=frequency(stored),
        negated=bool(negated),
        sex=sex,
        onset=onset,
        modifiers=tuple(modifiers.split("\n")) if modifiers else (),
        references=tuple(references.split("\n")) if references else (),
        place=StatedAt(subject.id, start, end),
    )
