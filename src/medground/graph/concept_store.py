"""The concept graph in a single SQLite file, and opening a graph file of either layout."""

import re
import sqlite3
from pathlib import Path

from medground.errors import SnapshotCorrupt
from medground.graph.base import NEAREST, Graph, GraphSize, Named, StatedRow
from medground.graph.names import name_key, nearest
from medground.graph.pages import Predicate, document_id, stated
from medground.graph.relation import StatedAt
from medground.graph.store import GraphStore
from medground.home.files import tables
from medground.values.graph import ConceptEntry, Neighbour

FORM = "concepts 1"
"""How the graph file is laid out; `meta` says so."""
_BY_ID = "SELECT c.number, c.id, c.name FROM ids i JOIN concepts c ON c.number = i.concept WHERE i.id = ?"
_SQL = tables("graph", "statements")["concept_store"]
_BY_KEY: str = _SQL["by_key"]
_DEFINITIONS = "SELECT part, start, end, text FROM rows WHERE concept = ? AND relation IS NULL ORDER BY position"
_RELATIONS: str = _SQL["relations"]
_NAMES_OF = "SELECT text FROM names WHERE concept = ? AND scope != 'xref' ORDER BY number"
_NEIGHBOURS: str = _SQL["neighbours"]
_SEARCH = "SELECT text FROM search WHERE search MATCH ? ORDER BY rank LIMIT 200"
_WORD = re.compile(r"\w+")
_SCOPES = (("name",), ("exact", "abbreviation", "xref"), ("related", "narrow", "broad"))


class ConceptStore(Graph):
    """The graph of any vocabularies, built by `Draft` and `GraphPages`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        self._predicates = {
            number: (name, Predicate(forward, inverse))
            for number, name, forward, inverse in self._rows("SELECT number, name, forward, inverse FROM predicates")
        }

    def _fits(self) -> bool:
        return self.meta.get("form") == FORM

    @property
    def size(self) -> GraphSize:
        return GraphSize(*(int(self.meta[key]) for key in GraphSize._fields))

    def named(self, term: str) -> Named:
        """The concepts that a term names: by id, else by preferred name and synonym, else by a looser synonym."""
        if rows := self._rows(_BY_ID, term.strip()):
            return Named(tuple((row[1], row[2]) for row in rows), "id")
        key = name_key(term)
        rows = self._rows(_BY_KEY, key) if key else []
        # MOG and MOGS are two genes: a symbol has no plural.
        found = [row for row in rows if not row[3].isupper() or row[3].casefold() == term.strip().casefold()]
        for scopes in _SCOPES:
            first = dict.fromkeys((row[0], row[1]) for row in found if row[2] in scopes)
            if first:
                # What vocabularies without a concept of this very name call by it as an exact synonym comes last.
                prefixes = {concept.partition(":")[0] for concept, _ in first}
                others = dict.fromkeys((row[0], row[1]) for row in found if row[2] in _SCOPES[1])
                elsewhere = (other for other in others if other[0].partition(":")[0] not in prefixes)
                return Named((*first, *elsewhere), scopes[0])
        return Named()

    def rows(self, concept_id: str) -> list[StatedRow]:
        known = self._rows(_BY_ID, concept_id)
        if not known:
            return []
        number, concept, name = known[0]
        lines = [
            StatedRow(StatedAt(document_id(concept, part), start, end), text, text, "definition")
            for part, start, end, text in self._rows(_DEFINITIONS, number)
        ]
        for part, start, end, back, predicate, details, other in self._rows(_RELATIONS, number):
            group, wording = self._predicates[predicate]
            subject, thing = (other, name) if back else (name, other)
            text = stated(wording, subject, thing, (details,) if details else (), back=bool(back))
            place = StatedAt(document_id(concept, part), start, end)
            lines.append(StatedRow(place, text, text, f"{group}:{back}"))
        return lines

    def entry(self, concept_id: str, name: str) -> ConceptEntry:
        known = self._rows(_BY_ID, concept_id)
        if not known:
            return ConceptEntry(concept_id, name)
        number = known[0][0]
        names = dict.fromkeys(row[0] for row in self._rows(_NAMES_OF, number))
        above, below = (
            tuple(Neighbour(*row) for row in self._rows(_NEIGHBOURS.format(own=own, other=other), number))
            for own, other in (("subject", "object"), ("object", "subject"))
        )
        return ConceptEntry(concept_id, name, tuple(text for text in names if text != name), above, below)

    def nearest(self, term: str) -> tuple[str, ...]:
        """The stored names closest to a term, by full-text search over all names."""
        asked = [word for word in _WORD.findall(term) if len(word) > 1]
        whole = " OR ".join(f'"{word}"' for word in asked)
        begun = " OR ".join(f'"{word[: max(3, len(word) // 2)]}"*' for word in asked)
        names = [row[0] for query in (whole, begun) if query for row in self._rows(_SEARCH, query)]
        return nearest(term, names, NEAREST)


def open_graph(path: Path) -> Graph:
    """Open a graph file of either layout. Raises SnapshotCorrupt: the file does not exist or is not a graph."""
    try:
        return ConceptStore.open(path)
    except SnapshotCorrupt:
        return GraphStore.open(path)
