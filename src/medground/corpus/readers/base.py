"""The contract of a reader: one input goes in, a stream of items comes out, and reading can go on from any item.

A reader never holds a whole file in memory, never resolves XML entities, and never raises for one bad record: it
yields a `BadDocument` in its place. It raises `BadDocument` when the input as a whole is not what it claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from medground.document import Document
from medground.errors import BadDocument


@dataclass(frozen=True)
class Deleted:
    """A record saying that these documents no longer exist (MEDLINE's DeleteCitation)."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Retracts:
    """A record saying that these documents are retracted (a retraction notice's CommentsCorrections)."""

    ids: tuple[str, ...]


Item = Document | Deleted | Retracts | BadDocument


@dataclass(frozen=True)
class Input:
    """One thing to read: a file, a folder of texts, a package's data.

    Attributes:
        name: how messages name it, such as a file's path.
        reader: name of the reader, kept in the manifest.
        fingerprint: changes when the content does (size and modification time, or a version).
        read: `read(skip)` yields items from number `skip` on, 0 first; the order never changes. Raises BadDocument.
        size: bytes to read, for progress, or None.
        license: licence note for the manifest, or None.
    """

    name: str
    reader: str
    fingerprint: str
    read: Callable[[int], Iterator[Item]]
    size: int | None = None
    license: str | None = None
