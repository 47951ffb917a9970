"""Open a graph file of either form: stored facts of the starter corpus, or concepts of any vocabulary."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from medground.graph.concepts.store import ConceptStore
from medground.graph.concepts.writing import FORM
from medground.graph.store import GraphStore


def open_graph(path: Path) -> GraphStore | ConceptStore:
    """Open a graph file.

    Raises:
        SnapshotCorrupt: the file does not exist or is not a graph.
    """
    return ConceptStore.open(path) if _form(path) == FORM else GraphStore.open(path)


def _form(path: Path) -> str:
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'form'").fetchone()
    except sqlite3.DatabaseError:
        return ""
    return str(row[0]) if row else ""
