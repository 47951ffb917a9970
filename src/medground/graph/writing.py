"""Write the documents of a draft, and then the graph file that belongs to them."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

from medground.corpus.build import DEFAULT_LIMIT, build
from medground.corpus.embedder import Embedder
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.manifest import Manifest
from medground.corpus.readers.base import Input, Item, Note
from medground.errors import StorageFailed
from medground.graph.concept_store import FORM
from medground.graph.draft import Draft, fingerprint
from medground.graph.pages import Heading, Line, Predicate, Row, definition_lines, pages, stated
from medground.graph.vocabularies.base import Vocabulary
from medground.home.files import replacing, script, tables
from medground.values.document import Document
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress

_SHOWN = 60
"""Names in a concept's document; all of them are in the graph file."""
_ROWS: str = tables("graph", "statements")["writing"]["rows"]
_INSERT = "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_BATCH = 10_000
_COUNTS = {
    "concepts": "SELECT count(*) FROM concepts",
    "definitions": "SELECT count(DISTINCT concept) FROM draft.definitions",
    "relations": "SELECT count(*) FROM relations",
}


class GraphPages:
    """The documents of a draft, in the order of its concepts, and the graph file."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    @property
    def name(self) -> str:
        """Names and releases of the vocabularies."""
        return ", ".join(vocabulary.name for vocabulary in self._draft.vocabularies)

    def documents(self) -> Iterator[Document]:
        """Every document, always in the same order; the places of its lines are noted on the way.

        Raises BadDocument: a file of a vocabulary is not what it claims to be; StorageFailed: writing to disk failed.
        """
        self._draft.read()
        connection = self._draft.connection
        connection.executescript(_ROWS)
        predicates = {
            n: Predicate(f, i) for n, f, i in connection.execute("SELECT number, forward, inverse FROM predicates")
        }
        placed: list[tuple[object, ...]] = []
        names = connection.execute("SELECT number, id, name FROM concepts WHERE joined = number ORDER BY number")
        for number, concept, name in names:
            position = 0
            if len(placed) >= _BATCH:
                connection.executemany(_INSERT, placed)
                placed.clear()
            lines = chain(self._definitions(number), self._relations(number, name, predicates))
            for document, rows in pages(self._heading(number, concept, name), lines):
                placed += [(number, position + i, *_placed(row)) for i, row in enumerate(rows)]
                position += len(rows)
                yield document
        connection.executemany(_INSERT, placed)
        self._draft.set_state("placed", "yes")
        connection.commit()

    def save(self, path: Path) -> None:
        """Write the graph file; it appears under its name only when it is whole.

        Raises BadDocument: a file of a vocabulary is not what it claims to be; StorageFailed: writing to disk failed.
        """
        if self._draft.state("placed") is None:
            for _ in self.documents():
                pass
        self._draft.connection.commit()
        try:
            with replacing(path) as unfinished, contextlib.closing(sqlite3.connect(unfinished)) as target:
                target.execute("PRAGMA cache_size = -65536")
                target.execute("PRAGMA synchronous = OFF")
                target.execute("PRAGMA journal_mode = OFF")
                target.execute("ATTACH ? AS draft", (str(self._draft.path),))
                target.executescript(script("graph", "concepts"))
                with target:
                    for statement in script("graph", "copy").split(";"):
                        target.execute(statement)
                    target.executemany("INSERT INTO meta VALUES (?, ?)", self._meta(target))
                target.execute("DETACH draft")
        except (sqlite3.Error, OSError) as error:
            raise StorageFailed(f"cannot write {path} ({error}); free some space or choose another folder") from None

    def _meta(self, target: sqlite3.Connection) -> Iterator[tuple[str, str]]:
        yield "form", FORM
        yield "name", self.name
        yield "licence", "; ".join(dict.fromkeys(f"{v.name}: {v.licence}" for v in self._draft.vocabularies))
        yield "origin", "; ".join(dict.fromkeys(v.origin for v in self._draft.vocabularies))
        for key, counting in _COUNTS.items():
            yield key, str(target.execute(counting).fetchone()[0])

    def _heading(self, number: int, concept: str, name: str) -> Heading:
        execute = self._draft.connection.execute
        types = execute("SELECT type FROM types WHERE concept = ?", (number,))
        also = execute(
            "SELECT text FROM names WHERE concept = ? AND text != ? AND scope != 'xref' ORDER BY position LIMIT ?",
            (number, name, _SHOWN),
        )
        of = execute("SELECT DISTINCT vocabulary FROM concepts WHERE joined = ? ORDER BY vocabulary", (number,))
        vocabularies = [self._draft.vocabularies[row[0]] for row in of]
        return Heading(
            id=concept,
            name=name,
            types=tuple(row[0] for row in types),
            names=tuple(row[0] for row in also),
            vocabularies=tuple(dict.fromkeys(v.name for v in vocabularies)),
            licence="; ".join(dict.fromkeys(v.licence for v in vocabularies)),
        )

    def _definitions(self, number: int) -> Iterator[Line]:
        sql = "SELECT label, source, text FROM definitions WHERE concept = ? ORDER BY position"
        for label, source, text in self._draft.connection.execute(sql, (number,)).fetchall():
            yield from definition_lines(label, source, text)

    def _relations(self, number: int, name: str, predicates: dict[int, Predicate]) -> Iterator[Line]:
        sql = """SELECT r.number, r.predicate, c.name, r.details, s.back FROM stated s
                 JOIN relations r ON r.number = s.relation
                 JOIN concepts c ON c.number = CASE s.back WHEN 0 THEN r.object ELSE r.subject END
                 WHERE s.concept = ? ORDER BY s.back, r.number"""
        for relation, predicate, other, details, back in self._draft.connection.execute(sql, (number,)):
            subject, thing = (other, name) if back else (name, other)
            limits = (details,) if details else ()
            text = stated(predicates[predicate], subject, thing, limits, back=bool(back))
            yield Line(text, "inverse" if back else "relation", relation)


def _placed(row: Row) -> tuple[int, int, int, int | None, int, str]:
    line = row.line
    text = line.text if line.kind == "definition" else ""
    return row.part, row.start, row.end, line.relation, int(line.kind == "inverse"), text


# The graph as an ordinary corpus.


def build_graph(
    library: Library,
    name: str,
    vocabularies: Sequence[Vocabulary],
    *,
    embedder: Embedder | None = None,
    progress: Progress = no_progress,
    limit: int = DEFAULT_LIMIT,
    described: SourceDescription | None = None,
) -> Manifest:
    """Build a corpus of a graph from vocabularies, replacing any corpus with this name.

    Memory does not grow with the vocabularies. A build that was killed resumes with the first file that it had not
    finished, when it is started again with the same vocabularies: the draft lies next to the corpus, and is deleted
    once the build has succeeded.

    Raises UsageError: the name is invalid, or another process is building this corpus; BadDocument: a file is not what
    it claims to be, or a vocabulary has no concept; StorageFailed: writing to disk failed.
    """
    with contextlib.closing(Draft(draft_file(library, name), vocabularies, progress)) as draft:
        draft.read()
        pages = GraphPages(draft)
        licences = "; ".join(dict.fromkeys(f"{v.name}: {v.licence}" for v in vocabularies))
        items = partial(_items, pages, draft)
        manifest = build(
            library,
            name,
            [Input(pages.name, "graph", fingerprint(vocabularies), items, license=licences)],
            embedder=embedder,
            attachments={GRAPH_FILE: pages.save},
            progress=progress,
            limit=limit,
            strict=True,
            described=described,
        )
        draft.remove()
    return manifest


def _items(pages: GraphPages, draft: Draft, skip: int) -> Iterator[Item]:
    """The documents of a graph, then what is noted of its vocabularies; what is skipped is made all the same."""
    notes = (Note(text) for text in draft.notes())
    return islice(chain(pages.documents(), notes), skip, None)


def draft_file(library: Library, name: str) -> Path:
    """Where the draft of a corpus lies while it is built. Raises UsageError: the name is invalid."""
    folder = library.folder_of(name)
    return folder.with_name(f".{folder.name}.graph")
