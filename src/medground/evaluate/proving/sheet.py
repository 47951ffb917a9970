"""The file that a judge's verdicts on the test are written to as they arrive, so that nothing is paid for twice."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from filelock import FileLock
from pydantic import ValidationError

from medground.document import Frozen
from medground.errors import StorageFailed
from medground.evaluate.lock import locked
from medground.usage import UsageReport

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all tries."""


class Line(Frozen):
    """What a judge said of one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet:
    """The file of one measurement, whose name tells judge, instructions and pairs. Use it as a context manager.

    Attributes:
        lines: what the judge said, by pair.
    """

    def __init__(self, path: Path, lines: dict[str, Line], lock: FileLock) -> None:
        self.path = path
        self.lines = lines
        self._lock = lock

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
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line.model_dump_json(exclude_defaults=True) + "\n")
        except OSError as error:
            raise StorageFailed(
                f"{self.path} cannot be written ({error.strerror or error}); free some space, then run the same "
                "command to resume"
            ) from None
        self.lines[line.pair] = line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._lock.release()


def _lines(content: bytes) -> list[Line]:
    found = []
    for text in content.splitlines():
        try:
            found.append(Line.model_validate_json(text))
        except ValidationError:
            continue
    return found
