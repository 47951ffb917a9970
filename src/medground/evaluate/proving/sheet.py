"""The file that a judge's verdicts on the test are written to as they arrive, so that nothing is paid for twice."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from filelock import FileLock
from pydantic import ValidationError

from medground.document import Frozen
from medground.errors import StorageFailed
from medground.evaluate.lock import LockedLines, locked
from medground.usage import UsageReport

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all tries."""


class Line(Frozen):
    """What a judge said of one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet(LockedLines):
    """The file of one measurement, whose name tells judge, instructions and pairs. Use it as a context manager.

    Attributes:
        lines: what the judge said, by pair.
    """

    def __init__(self, path: Path, lines: dict[str, Line], lock: FileLock) -> None:
        super().__init__(path, lock)
        self.lines = lines

    @classmethod
    def open(cls, path: Path, *, fresh: bool = False) -> Self:
        """Start a file, or resume it; a damaged line is asked for again. `fresh` forgets what is in it.

        Raises:
            UsageError: another process is writing it.
            StorageFailed: the file cannot be written.
        """
        lock = locked(path)
        try:
            if fresh:
                path.unlink(missing_ok=True)
            content = path.read_bytes() if path.exists() else b""
            if not content.endswith(b"\n") and content:  # writing stopped within the last line
                with path.open("ab") as file:
                    file.write(b"\n")
            return cls(path, {line.pair: line for line in _lines(content)}, lock)
        except OSError as error:
            lock.release()
            raise StorageFailed(f"{path} cannot be used ({error.strerror or error}); check its permissions") from None

    def append(self, line: Line) -> None:
        """Add a line; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines[line.pair] = line


def _lines(content: bytes) -> list[Line]:
    found = []
    for text in content.splitlines():
        try:
            found.append(Line.model_validate_json(text))
        except ValidationError:
            continue
    return found
