"""The contract of a reader: it turns one input into a stream of items, and can resume at any item.

A reader never holds a whole file in memory, never resolves XML entities, and never raises for a single bad record: it
yields a `BadDocument` instead. It raises `BadDocument` if the input as a whole is not what it claims to be.
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


@dataclass(frozen=True)
class Reading:
    """How far a long document has been read, in pages; the document itself comes later."""

    done: int
    total: int


@dataclass(frozen=True)
class Note:
    """What the reader of a file tells its user, in one line: ids that it made, fields that it kept as metadata."""

    text: str


Item = Document | Deleted | Retracts | Reading | BadDocument | Note


@dataclass(frozen=True)
class Input:
    """One input: a file, a folder of texts, or a package's data.

    Attributes:
        name: its name in messages, such as a file's path.
        reader: name of the reader, kept in the manifest.
        fingerprint: changes when the content does (size and modification time, or a version).
        read: `read(skip)` yields items from number `skip`, counting from 0, always in the same order. Raises
            BadDocument.
        license: licence note for the manifest, or None.
        folder: the folder in which it was found, or None if the user named it.
        refused: why it cannot be read, if that was seen before reading.
    """

    name: str
    reader: str
    fingerprint: str
    read: Callable[[int], Iterator[Item]]
    license: str | None = None
    folder: str | None = None
    refused: BadDocument | None = None
