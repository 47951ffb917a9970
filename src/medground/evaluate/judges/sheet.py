"""The file that judgements are written to as they arrive: one judge, one set of instructions, the same runs."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from filelock import FileLock

from medground.errors import UsageError
from medground.evaluate.judges.lines import Judgement, judgements_in
from medground.evaluate.lock import LockedLines, locked

_BEGIN = b'{"item":'


class Sheet(LockedLines):
    """A file of judgements that is being written. Open it with `Sheet.open`, use it as a context manager.

    Attributes:
        lines: all judgements in the file.
    """

    def __init__(self, path: Path, lines: list[Judgement], lock: FileLock) -> None:
        super().__init__(path, lock)
        self.lines = lines

    @classmethod
    def open(cls, path: Path, pin: str) -> Self:
        """Start a file, or resume it; a truncated last line is removed.

        Raises:
            UsageError: the file has judgements with another pin, or another process is writing it.
            BadDocument: the file contains something else.
            StorageFailed: the file cannot be written.
        """
        lock = locked(path)
        try:
            return cls(path, _stored(path, pin), lock)
        except BaseException:
            lock.release()
            raise

    def append(self, line: Judgement) -> None:
        """Add a judgement; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines.append(line)


def _stored(path: Path, pin: str) -> list[Judgement]:
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if not content.startswith(_BEGIN) and content:
        raise UsageError(f"{path} is not a file of judgements by a model; name another file with --out")
    lines = judgements_in(whole.decode(errors="replace"), path)
    if other := next((line for line in lines if line.pin != pin), None):
        raise UsageError(
            f"{path} has judgements by {other.judge} with different runs, judge or instructions; "
            "name another file with --out"
        )
    if whole != content:  # writing stopped within the last line, which is asked for again
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return lines
