"""The contract of a reader: it turns one input into a stream of items, and can resume at any item.

A reader never holds a whole file in memory, never resolves XML entities, and never raises for a single bad record: it
yields a `BadDocument` instead. It raises `BadDocument` if the input as a whole is not what it claims to be: it cannot
be read, is damaged, empty or longer than it may be. What makes a document, or a part of one, of a record raises
ValueError where a field is missing or wrong. Either says in one line what the first problem is, and what to do.
"""

import gzip
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar, cast

from medground.errors import BadDocument
from medground.home.apart import Limits, read_apart, told
from medground.home.registry import added
from medground.values.document import Document


@dataclass(frozen=True)
class Deleted:
    """A record saying that these documents no longer exist (MEDLINE's DeleteCitation)."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Retracts:
    """A record saying that these documents are retracted (a retraction notice's CommentsCorrections)."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class RawRecord:
    """The record from which the document before it was read, as XML in UTF-8: compressed, and the hash of the XML."""

    id: str
    packed: bytes
    digest: bytes


@dataclass(frozen=True)
class Ready:
    """A document as it is stored, and by which names a notice may retract it."""

    id: str
    year: int | None
    kind: str
    retraction: str
    record: bytes
    digest: bytes
    names: tuple[str, ...]
    is_unsearched: bool

    @property
    def document(self) -> Document:
        return Document.model_validate_json(self.record)


@dataclass(frozen=True)
class Reading:
    """How far a long document has been read, in pages; the document itself comes later."""

    done: int
    total: int


@dataclass(frozen=True)
class Note:
    """What the reader of a file tells its user, in one line: ids that it made, fields that it kept as metadata."""

    text: str


File: TypeAlias = Path | zipfile.Path
"""A file, or a part of a package."""

Item = Document | RawRecord | Ready | Deleted | Retracts | Reading | BadDocument | Note
Record = TypeVar("Record")


@dataclass(frozen=True)
class Input:
    """One input: a file, a folder of texts, or a package's data; its name is that in messages, such as a path."""

    name: str
    reader: str
    fingerprint: str
    """Changes when the content does: size and modification time, or a version."""
    read: Callable[[int], Iterator[Item]]
    """`read(skip)` yields items from number `skip`, counting from 0, always in the same order. Raises BadDocument."""
    license: str | None = None
    folder: str | None = None
    """The folder in which it was found, or None if the user named it."""
    refused: BadDocument | None = None
    """Why it cannot be read, if that was seen before reading."""
    apart: bool = False
    """Whether a library reads it that cannot be stopped, so that it needs a process of its own."""
    ready: bool = False
    """Whether another process has read it already."""


# Open files for a reader: plain or gzip, recognised by their first bytes. Every failure is a one-line error.

LONGEST_RECORD = 20_000_000
"""Maximum number of characters in the text of one record."""

MOST_TAGS = 1_000_000
"""Most tags in one record. Each costs a hundred times its bytes in memory."""

_GZIP = b"\x1f\x8b"
_HEAD = 65_536
_BLOCK = 1 << 20
_LONGEST_FILE = 4 * LONGEST_RECORD
_LONGEST_LINE = 1_000_000


@contextmanager
def opened(path: File) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a file."""
    with readable(path), path.open("rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw
        except EOFError as error:
            raise BadDocument("the gzip file ends early; copy or download it again", file=path) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise BadDocument(f"the gzip file is damaged ({error}); copy or download it again", file=path) from error


def is_packed(path: Path) -> bool:
    """Whether a file is compressed with gzip."""
    with readable(path), path.open("rb") as raw:
        return raw.read(2) == _GZIP


@contextmanager
def readable(path: File) -> Iterator[None]:
    """A file that the system cannot read is BadDocument."""
    try:
        yield
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error}); check its permissions"
        raise BadDocument(reason, file=path, passing=True) from error


def head(path: Path) -> bytes:
    """The first bytes of a file, uncompressed, or all of them if it is short."""
    with opened(path) as stream:
        start = stream.read(_HEAD)
    if not start.strip():
        raise BadDocument("the file is empty", file=path)
    return start


def lines_of_file(path: Path) -> Iterator[tuple[int, bytes]]:
    r"""The lines of a file, uncompressed, from 1; only `\n` ends a line. Raises BadDocument: one has more bytes."""
    with opened(path) as stream:
        for number in count(1):
            if not (line := stream.readline(_LONGEST_LINE + 1)):
                return
            if len(line) > _LONGEST_LINE:
                raise BadDocument(f"a line has more than {_LONGEST_LINE:,} bytes", file=path, position=number)
            yield number, line


def content_of(path: File) -> bytes:
    """All bytes of a file, uncompressed."""
    content = bytearray()
    with opened(path) as stream:
        while block := stream.read(_BLOCK):  # a read of the whole length would take that much memory for any file
            content += block
            if len(content) > _LONGEST_FILE:
                raise BadDocument(f"more than {_LONGEST_FILE:,} bytes; split the file", file=path)
    return bytes(content)


def fingerprint(path: Path) -> str:
    """Size and modification time of a file."""
    with readable(path):
        status = path.stat()
    return f"{status.st_size}-{status.st_mtime_ns}"


def fingerprint_now(path: Path) -> str:
    """As `fingerprint`; empty if the file has gone."""
    try:
        return fingerprint(path)
    except BadDocument:
        return ""


def file_input(path: Path, reader: str, items: Callable[[Path], Iterator[Item]], *, apart: bool = False) -> Input:
    """An input of one file; on resuming, the file is read again from the beginning."""
    apart = apart or path.suffix.lower() == ".parquet"  # pyarrow unpacks as much as the file says
    return Input(str(path), reader, fingerprint(path), partial(_after, items, path), apart=apart)


def document_input(path: Path, reader: str, document: Callable[[bytes], Item], *, apart: bool = True) -> Input:
    """An input of one file that is one document; `document` raises ValueError where it is none."""
    return file_input(path, reader, partial(_document, document), apart=apart)


def _after(items: Callable[[Path], Iterator[Item]], path: Path, skip: int) -> Iterator[Item]:
    return islice(items(path), skip, None)


def _document(document: Callable[[bytes], Item], path: Path) -> Iterator[Item]:
    with valid(path):
        yield document(content_of(path))


@contextmanager
def valid(path: Path) -> Iterator[None]:
    """A ValueError about a file is BadDocument."""
    try:
        yield
    except ValueError as error:
        raise BadDocument(str(error), file=path) from error


# Files that others wrote are read within limits of memory and time. Small ones that our own code reads, record by
# record, are limited by their size, and are read at once.

_SMALL = 2_000_000
_PACKED = 10


def within_limits(read: Callable[[], Iterable[Record]], name: str, *, apart: bool = False) -> Iterator[Record]:
    """What `read` gives of a file or a folder. Raises BadDocument: it is not what it claims, or costs too much."""
    place = Path(name)
    if not place.is_file():
        return told(read, name)
    size = place.stat().st_size * (_PACKED if is_packed(place) else 1)
    return read_apart(read, name, Limits.for_size(size, own=not apart)) if apart or size > _SMALL else told(read, name)


def numbered(
    records: Iterable[Record], convert: Callable[[Record], Iterable[Item]], path: Path, what: str
) -> Iterator[Item]:
    """What `convert` makes of each record. Where it raises ValueError, the record is a bad one: a `what`, with its
    number, counting from 1, as the position.
    """
    for number, record in enumerate(records, start=1):
        try:
            yield from convert(record)
        except ValueError as error:
            yield BadDocument(f"{what} {number}: {error}", file=path, position=number)


# What opens a path, by name.

XML = (".xml", ".xml.gz", ".nxml", ".nxml.gz")
LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")


@dataclass(frozen=True)
class Reader:
    """How to open a path, and the suffixes of the files that it reads in a folder.

    A reader that takes a folder as a whole has no suffixes. One whose documents are named after their file has `below`,
    which takes the file and the folder in which it was found.

    The rest tells the files of one that joins: the `root` of their XML, how their text `begins`, whether a JSON record
    `fits`, and which files of a folder are `beside` them and no literature.
    """

    open: Callable[[Path], Input]
    suffixes: tuple[str, ...] = ()
    below: Callable[[Path, Path], Input] | None = None
    root: str = ""
    begins: re.Pattern[str] | None = None
    fits: Callable[[Mapping[str, Any]], bool] = lambda record: False
    beside: Callable[[Path], bool] = lambda path: False


def of_files(reader: str, items: Callable[[Path], Iterator[Item]], *suffixes: str, **signs: Any) -> Reader:
    """A reader of single files, plain or gzip, whose items `items` reads."""
    return Reader(partial(file_input, reader=reader, items=items), suffixes, **signs)


@cache
def joined() -> Mapping[str, Reader]:
    """The readers that join by the entry points `medground.readers`, by name."""
    return added("readers", Reader)
