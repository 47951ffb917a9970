"""A file of finished work that resumes: JSON Lines, filled by one process, one line as each piece is done.

However the process ends, finished lines are kept. When the file is opened again, what a kill left of a last line and
what a power failure left of others does not count, and is overwritten once a new line is added; a file that turns out
to be something else is never changed.
"""

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import IO, ClassVar, Generic, Self, TypeVar

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from medground.errors import BadDocument, MedgroundError, StorageFailed, UsageError
from medground.home import make_folder, private_opener, sync, write_whole

H = TypeVar("H", bound=BaseModel)
M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Numbered = tuple[int, bytes]
"""A line with its number, from 1."""

_SYNC_SECONDS = 2.0
_log = logging.getLogger(__name__)


def locked(path: Path) -> FileLock:
    """Acquire the lock of a file and create its folder.

    Raises UsageError: another process is writing the file; StorageFailed: the file cannot be written.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
    try:
        make_folder(path.parent)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{path} is being written by another run; wait for it to finish, or name another file"
        ) from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); name another file") from None
    return lock


class LineFile(Generic[M]):
    """A file that is being filled, whose lock this process holds. Use it as a context manager.

    Attributes:
        lines: the finished work, in the order in which it was finished, as far as it is kept in memory.

    Raises UsageError: another process is writing the file, or it is something else than `what`; StorageFailed: the file
    cannot be written.
    """

    what: ClassVar[str] = "a file of finished work"
    terse: ClassVar[bool] = True
    """Whether fields with their default value are left out of a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[M] = []
        self._lock = locked(path)
        self._synced = monotonic()
        try:
            if path.exists():
                _drop_lost(path)
            self._file: IO[bytes] = open(  # noqa: SIM115
                path, "r+b" if path.exists() else "x+b", buffering=0, opener=private_opener
            )
            self._end = _whole_length(path)
        except OSError as error:
            self._lock.release()
            raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); name another file") from None
        self._file.seek(0)
        if self._file.read(1) not in (b"", b"{"):
            self.close()
            raise UsageError(f"{path} is not {self.what}; name another file with --out")

    def whole_lines(self) -> Iterator[Numbered]:
        """The whole lines of the file."""
        at = 0
        for number, raw in whole_lines(self.path, ""):
            at += len(raw)
            if at > self._end:
                return
            yield number, raw

    def clear(self) -> None:
        """Forget all lines; they go from the file with the next one."""
        self._end = 0

    def add(self, line: M) -> None:
        """Add a finished piece; it is in the file on return."""
        self.write(line)
        self.lines.append(line)

    def write(self, line: BaseModel) -> None:
        """Write a line. All of it is written on return, and flushed to disk within seconds.

        Raises StorageFailed: the file cannot be written.
        """
        data = memoryview(line.model_dump_json(exclude_defaults=self.terse).encode() + b"\n")
        end = self._end + len(data)
        try:
            self._file.truncate(self._end)
            self._file.seek(self._end)
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._end)
            raise self._failed(error) from None
        is_first, self._end = self._end == 0, end
        if is_first or monotonic() - self._synced > _SYNC_SECONDS:
            self._sync()
        if is_first:
            sync(self.path.parent)

    def close(self) -> None:
        """Flush everything to disk and release the lock; an empty file goes. Safe to call twice.

        Raises StorageFailed: the disk did not take it.
        """
        try:
            if not self._file.closed:
                with closing(self._file):
                    self._sync()
                if not self.path.stat().st_size:
                    self.path.unlink()
        finally:
            self._lock.release()

    @contextmanager
    def closing_on_error(self) -> Iterator[None]:
        """Close the file if what it holds is refused."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failed(error) from None
        self._synced = monotonic()

    def _failed(self, error: OSError) -> StorageFailed:
        return StorageFailed(
            f"{self.path} cannot be written ({error.strerror or error}); free some space, then run the same "
            "command to resume"
        )


class HeadedFile(LineFile[M], Generic[H, M]):
    """A file whose first line determines the others, started or resumed. Use it as a context manager.

    Raises UsageError: the file was made with another head, or another process is writing it; BadDocument: the file
    holds something else; StorageFailed: the file cannot be written.
    """

    replaces: ClassVar[bool] = False
    """Whether a file with another head, or of something else, is begun again instead of refused."""

    def __init__(self, path: Path, head: H, line: type[M]) -> None:
        super().__init__(path)
        with self.closing_on_error():
            try:
                if found := [*self.whole_lines()]:
                    there, lines = headed(found, type(head), line, path, self.what)
                    check_same(there, head, path)
                    self.lines = [*lines]
                    return
            except (BadDocument, UsageError):
                if not self.replaces:
                    raise
                self.clear()
            self.write(head)


def headed(lines: Sequence[Numbered], head: type[H], line: type[M], path: Path, what: str) -> tuple[H, Iterator[M]]:
    """The head of a file, and its other lines, which are read as they are asked for.

    Raises BadDocument: the first line is not such a head.
    """
    first = next(parsed(lines[:1], head, path, what), None)
    if first is None:
        raise BadDocument(f"not {what}", file=path, position=1)
    return first, parsed(lines[1:], line, path, f"a line of {what}")


async def work_off(jobs: Iterable[T], do: Callable[[T], Awaitable[None]], workers: int) -> None:
    """Do all jobs, so many at a time. An error stops the others, and is raised as it is.

    Raises MedgroundError: whatever `do` raises.
    """
    left = iter(jobs)

    async def worker() -> None:
        for job in left:  # each worker takes the next one
            await do(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except ExceptionGroup as stopped:  # what `except*` raises, Python 3.11.2 puts into a group again
        raise next(
            (exception for exception in stopped.exceptions if isinstance(exception, MedgroundError)), stopped
        ) from None


def whole_lines(path: Path, advice: str) -> Iterator[Numbered]:
    """The lines of a file that end in a line feed; it may still be written. Raises UsageError: it cannot be read."""
    try:
        with path.open("rb") as file:
            yield from ((number, raw) for number, raw in enumerate(file, start=1) if raw.endswith(b"\n"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); {advice}") from None


def parsed(lines: Iterable[Numbered], kind: type[M], path: Path, what: str) -> Iterator[M]:
    """The values of lines. Raises BadDocument: a line is not `what`."""
    for number, raw in lines:
        try:
            yield kind.model_validate_json(raw)
        except ValidationError as error:
            reason = f"not {what} ({error.error_count()} fields)"
            raise BadDocument(reason, file=path, position=number) from None


def check_same(there: BaseModel, now: BaseModel, path: Path) -> None:
    """Refuse a file whose first line is another. Raises UsageError: a field differs."""
    before, after = there.model_dump(mode="json"), now.model_dump(mode="json")
    if other := [name for name in before if before[name] != after[name]]:
        raise UsageError(
            f"{path} has different {', '.join(other)}; give the same options to resume it, or name another file"
        )


def _drop_lost(path: Path) -> None:
    """Remove lines of which a power failure left zeros. JSON has no zero byte, so no other line is touched."""
    with path.open("rb") as file:
        if file.read(1) not in (b"{", b"\0") or not any(b"\0" in line for line in file):
            return
        file.seek(0)
        kept = [whole for line in file if _is_json(whole := line.replace(b"\0", b""))]
    _log.warning("%s: a power failure damaged it; items whose lines were lost are asked again", path)
    write_whole(path, b"".join(kept))


def _is_json(line: bytes) -> bool:
    with suppress(ValueError):
        json.loads(line)
        return line.endswith(b"\n")
    return False


def _whole_length(path: Path) -> int:
    """Number of bytes up to the end of the last complete line, which ends in a line feed and is JSON."""
    length, last = 0, b""
    for _, last in whole_lines(path, ""):
        length += len(last)
    return length - (0 if _is_json(last) else len(last))
