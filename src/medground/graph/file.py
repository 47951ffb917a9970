"""A graph's SQLite file: read-only, from several threads."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from medground.errors import SnapshotCorrupt


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that nobody writes to any more.

    Raises:
        SnapshotCorrupt: the file does not exist or cannot be read.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        return sqlite3.connect(uri, uri=True, check_same_thread=False)
    except sqlite3.DatabaseError as error:
        raise SnapshotCorrupt(f"{path} cannot be read as a graph ({error}); rebuild the corpus") from None
