"""Reading the records of a data set strictly: errors name file and position, and nothing is skipped."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO, cast

from medground.errors import UsageError

Record = Mapping[str, Any]
Placed = tuple[str, Record]
"""A record with its position, such as `questions.jsonl:12`."""

_BLOCK = 1 << 20


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if it is gzipped.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; give the file of the data set with --data") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UsageError(f"{path} is a damaged gzip file; copy or download it again") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); check its permissions") from None


@contextmanager
def unpacked_text(path: Path) -> Iterator[TextIO]:
    """The text of a file, decompressed if it is gzipped, with its line endings unchanged.

    Raises:
        UsageError: the file cannot be read, or is not UTF-8.
    """
    with unpacked(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        try:
            yield text
        except UnicodeDecodeError:
            raise UsageError(f"{path} is not UTF-8 text; copy or download it again") from None


def content_hash(paths: Iterable[Path]) -> str:
    """SHA-256 of the decompressed bytes of a file; for several files, of their hashes in order.

    Raises:
        UsageError: a file cannot be read.
    """
    hashes = [_hash(path) for path in paths]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def json_lines(path: Path) -> Generator[Placed]:
    """The objects of a JSON Lines file; blank lines are skipped.

    Raises:
        UsageError: a line is not a JSON object, or the last one is truncated.
    """
    with unpacked(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield f"{path.name}:{number}", _object(line, f"{path.name}:{number}")


def json_file(path: Path) -> Any:
    """The value of a JSON file.

    Raises:
        UsageError: the file is not JSON.
    """
    with unpacked(path) as stream:
        try:
            return json.loads(stream.read().decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} is not JSON ({error}); copy or download it again") from None


def _object(line: bytes, where: str) -> Record:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        cut = "" if line.endswith(b"\n") else "the last line is truncated: "
        raise UsageError(f"{where}: {cut}not JSON ({error}); copy or download the file again") from None
    if not isinstance(record, dict):
        raise UsageError(f"{where}: not a JSON object")
    return record


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with unpacked(path) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
