"""Open files for a reader: plain or gzip, recognised by their first bytes. Every failure is a one-line error."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, cast

from medground.corpus.readers.base import Input, Item
from medground.errors import BadDocument

LONGEST_RECORD = 20_000_000
"""Maximum number of characters in the text of one record."""

MOST_TAGS = 1_000_000
"""Most tags in one record, or in one file that is one document. Each costs a hundred times its bytes in memory."""

_GZIP = b"\x1f\x8b"
_HEAD = 65_536
_BLOCK = 1 << 20
_LONGEST_FILE = 4 * LONGEST_RECORD


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a file.

    Raises:
        BadDocument: the file cannot be opened, or turns out to be damaged.
    """
    name = str(path)
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield cast("IO[bytes]", unpacked)
            else:
                yield raw
    except EOFError as error:
        raise BadDocument("the gzip file ends early; copy or download it again", file=name) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadDocument(f"the gzip file is damaged ({error}); copy or download it again", file=name) from error
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error}); check its permissions"
        raise BadDocument(reason, file=name, passing=True) from error


def is_packed(path: Path) -> bool:
    """Whether a file is compressed with gzip.

    Raises:
        BadDocument: it cannot be read.
    """
    try:
        with path.open("rb") as raw:
            return raw.read(2) == _GZIP
    except OSError as error:
        raise BadDocument(f"cannot be read ({error.strerror or error})", file=str(path), passing=True) from error


def head(path: Path) -> bytes:
    """The first bytes of a file, uncompressed, or all of them if it is short.

    Raises:
        BadDocument: the file is empty or cannot be read.
    """
    with opened(path) as stream:
        start = stream.read(_HEAD)
    if not start.strip():
        raise BadDocument("the file is empty", file=str(path))
    return start


def content_of(path: Path) -> bytes:
    """All bytes of a file, uncompressed.

    Raises:
        BadDocument: it cannot be read, or is longer than one record may be.
    """
    content = bytearray()
    with opened(path) as stream:
        while block := stream.read(_BLOCK):  # a read of the whole length would take that much memory for any file
            content += block
            if len(content) > _LONGEST_FILE:
                raise BadDocument(f"more than {_LONGEST_FILE:,} bytes; split the file", file=str(path))
    return bytes(content)


def fingerprint(path: Path) -> str:
    """Size and modification time of a file.

    Raises:
        BadDocument: the file has gone.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise BadDocument(f"cannot be read ({error.strerror or error})", file=str(path), passing=True) from error
    return f"{status.st_size}-{status.st_mtime_ns}"


def file_input(path: Path, reader: str, items: Callable[[Path], Iterator[Item]]) -> Input:
    """An input of one file; on resuming, the file is read again from the beginning."""
    return Input(
        name=str(path),
        reader=reader,
        fingerprint=fingerprint(path),
        read=lambda skip: islice(items(path), skip, None),
    )


def document_input(path: Path, reader: str, document: Callable[[bytes], Item]) -> Input:
    """An input of one file that is one document; `document` raises ValueError where it is none."""

    def items(path: Path) -> Iterator[Item]:
        try:
            yield document(content_of(path))
        except ValueError as error:
            raise BadDocument(str(error), file=str(path)) from error

    return file_input(path, reader, items)
