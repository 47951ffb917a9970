"""A run's file: a header, then one JSON line per item, appended as items finish.

However a run stops, its finished lines are kept. Opening the file again with the same header resumes the run; a
truncated last line is removed and its item asked again. Only one process at a time may write the file.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from filelock import FileLock
from pydantic import ValidationError

from medground.durable import sync, write_whole
from medground.errors import StorageFailed, UsageError
from medground.evaluate.base import RunHeader, RunLine
from medground.evaluate.lock import locked
from medground.evaluate.manifest import acceptable, differences
from medground.evaluate.tally import Tally
from medground.private import private_opener

log = logging.getLogger(__name__)

_HEADER = b'{"format":'
_SYNC_SECONDS = 2.0


class RunFile:
    """A run that is being written. Open it with `RunFile.open`, use it as a context manager."""

    def __init__(self, path: Path, file: IO[bytes], lock: FileLock, header: RunHeader, tally: Tally) -> None:
        self.path = path
        self.header = header
        self.tally = tally
        self.done: set[str] = set()
        self._file = file
        self._lock = lock
        self._synced = time.monotonic()

    @classmethod
    def open(
        cls, path: Path, header: RunHeader, accept: Collection[str] = (), count: Callable[[], int] | None = None
    ) -> Self:
        """Start a run, or resume the existing one.

        Args:
            path: the run's file; a lock file is next to it while it is written.
            header: the header of the run to be made now.
            accept: names of header fields that may differ from those of the existing run.
            count: counts the items of a new run; a resumed run already has the number.

        Raises:
            UsageError: the file is not a run, was made with other settings, or is being written by another process; or
                `count` raised it, in which case no file is left behind.
            StorageFailed: the file cannot be written.
        """
        lock = locked(path)
        try:
            if path.exists():
                _drop_lost(path)
            file = open(path, "r+b" if path.exists() else "x+b", buffering=0, opener=private_opener)  # noqa: SIM115
            run = cls(path, file, lock, header, Tally(items=header.items))
            try:
                run._resume(accept, count)
            except BaseException:
                file.close()
                if not path.stat().st_size:
                    path.unlink()
                raise
        except OSError as error:
            lock.release()
            raise StorageFailed(
                f"{path} cannot be written ({error.strerror or error}); fix that or use --out"
            ) from None
        except BaseException:
            lock.release()
            raise
        return run

    def append(self, line: RunLine) -> None:
        """Add a finished item. The whole line is written on return, and flushed to disk within seconds.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self._write(line.model_dump_json())
        self.done.add(line.id)
        self.tally.add(line)

    def close(self) -> None:
        """Flush everything to disk and release the lock. Safe to call twice.

        Raises:
            StorageFailed: the disk did not take it.
        """
        try:
            if not self._file.closed:
                with contextlib.closing(self._file):
                    self._sync()
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _resume(self, accept: Collection[str], count: Callable[[], int] | None) -> None:
        end = _whole_length(self._file)
        self._file.truncate(end)
        self._file.seek(0)
        stored: RunHeader | None = None
        for number, raw in enumerate(self._file_lines(), start=1):
            if raw.startswith(_HEADER):
                stored = _header(raw, self.path, number)
                continue
            if stored is None:
                raise UsageError(f"{self.path} is not a Medground run; name another file with --out")
            line = _line(raw, self.path, number)
            if line.id in self.done:
                raise UsageError(f"{self.path}:{number}: {line.id!r} already has a line; remove one of the two")
            self.done.add(line.id)
            self.tally.add(line)
        self._file.seek(0, os.SEEK_END)
        if stored is None:
            self._begin(count)
        else:
            self._continue_from(stored, accept)

    def _file_lines(self) -> Iterator[bytes]:
        with os.fdopen(os.dup(self._file.fileno()), "rb") as buffered:
            yield from buffered

    def _begin(self, count: Callable[[], int] | None) -> None:
        if count is not None:
            self.header = self.header.model_copy(update={"items": count()})
        self.tally.items = self.header.items
        self._write(self.header.model_dump_json())
        self._sync()
        sync(self.path.parent)

    def _continue_from(self, stored: RunHeader, accept: Collection[str]) -> None:
        self.tally.items = stored.items
        found = differences(stored, self.header)
        if refused := {name: shown for name, shown in found.items() if name not in accept or not acceptable(name)}:
            advice = "use the same, or name another file with --out"
            if all(map(acceptable, refused)):
                advice += f"; to resume anyway, add --accept {' --accept '.join(refused)}"
            raise UsageError(f"{self.path} was made with other settings: {'; '.join(refused.values())}; {advice}")
        if found:
            accepted = (*stored.accepted, *found.values())
            self.header = self.header.model_copy(update={"accepted": accepted, "items": stored.items})
            self._write(self.header.model_dump_json())
        else:
            self.header = stored

    def _write(self, text: str) -> None:
        start = self._file.tell()
        try:
            data = memoryview(text.encode() + b"\n")
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            with contextlib.suppress(OSError):  # another item may still be written: not after half a line
                self._file.truncate(start)
                self._file.seek(start)
            raise self._failed(error) from None
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failed(error) from None
        self._synced = time.monotonic()

    def _failed(self, error: OSError) -> StorageFailed:
        return StorageFailed(
            f"{self.path} cannot be written ({error.strerror or error}); free some space, then run the same "
            "command to resume"
        )


def read_run(path: Path) -> tuple[RunHeader, Iterator[RunLine]]:
    """Read a run: its last header, with all differences that were accepted, and an iterator over its lines.

    A truncated last line is left out; a run that is still being written can be read.

    Raises:
        UsageError: the file is missing or is not a run, or a line is invalid.
    """
    header: RunHeader | None = None
    for number, raw in enumerate(_whole_lines(path), start=1):
        if raw.startswith(_HEADER):
            header = _header(raw, path, number)
        elif header is None:
            break
    if header is None:
        raise UsageError(f"{path} is not a Medground run; create one with `medground eval run`")
    numbered = enumerate(_whole_lines(path), start=1)
    return header, (_line(raw, path, number) for number, raw in numbered if not raw.startswith(_HEADER))


def _whole_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); give the file of a run") from None


def _drop_lost(path: Path) -> None:
    """Remove lines of which a power failure left zeros. JSON has no zero byte, so no other line is touched."""
    with path.open("rb") as file:
        if not any(b"\0" in line for line in file):
            return
        file.seek(0)
        kept = [whole for line in file if _is_json(whole := line.replace(b"\0", b""))]
    log.warning("%s: a power failure damaged it; items whose lines were lost are asked again", path)
    write_whole(path, b"".join(kept))


def _is_json(line: bytes) -> bool:
    with contextlib.suppress(ValueError):
        json.loads(line)
        return line.endswith(b"\n")
    return False


def _whole_length(file: IO[bytes]) -> int:
    """Number of bytes up to the end of the last complete line, which ends in a line feed and is JSON."""
    end = file.seek(0, os.SEEK_END)
    block = 1 << 16
    tail = b""
    start = end
    while start > 0 and tail.count(b"\n") < 2:
        start = max(0, start - block)
        file.seek(start)
        tail = file.read(end - start)
    whole = tail[: tail.rfind(b"\n") + 1]
    last = whole[whole.rfind(b"\n", 0, -1) + 1 :]
    with contextlib.suppress(ValueError):
        json.loads(last)
        return start + len(whole)
    return start + len(whole) - len(last)


def _header(raw: bytes, path: Path, number: int) -> RunHeader:
    try:
        return RunHeader.model_validate_json(raw)
    except ValidationError:
        raise UsageError(
            f"{path}:{number}: this header is from another version of Medground; use another file"
        ) from None


def _line(raw: bytes, path: Path, number: int) -> RunLine:
    try:
        return RunLine.model_validate_json(raw)
    except ValidationError:
        raise UsageError(
            f"{path}:{number}: this line is invalid; remove it, and its item will be asked again"
        ) from None
