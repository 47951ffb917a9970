"""Open a graph file of either layout: stored facts of the starter corpus, or concepts of any vocabulary."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from medground.errors import SnapshotCorrupt
from medground.graph.concepts.store import ConceptStore
from medground.graph.concepts.writing import FORM
from medground.graph.file import Graph, connect
from medground.graph.store import GraphStore


def open_graph(path: Path) -> Graph:
    """Open a graph file.

    Raises:
        SnapshotCorrupt: the file does not exist or is not a graph.
    """
    try:
        with contextlib.closing(connect(path)) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'form'").fetchone()
    except sqlite3.DatabaseError as error:
        raise SnapshotCorrupt(f"{path} cannot be read as a graph ({error}); rebuild the corpus") from None
    return ConceptStore.open(path) if row == (FORM,) else GraphStore.open(path)
