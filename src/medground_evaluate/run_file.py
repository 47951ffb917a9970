"""A run's file: a header, then one JSON line per item, appended as items finish.

However a run stops, its finished lines are kept. Opening the file again with the same header resumes the run; a
truncated last line is removed and its item asked again. Only one process at a time may write the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from medground.errors import UsageError
from medground.home.line_file import LineFile, whole_lines
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.manifest import acceptable, differences
from medground_evaluate.tally import Tally

_HEADER = b'{"format":'


class RunFile(LineFile):
    """A run that is being written. Open it with `RunFile.open`, use it as a context manager."""

    what = "a Medground run"
    terse = False

    def __init__(self, path: Path, header: RunHeader) -> None:
        super().__init__(path)
        self.header = header
        self.tally = Tally(items=header.items)
        self.done: set[str] = set()

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
        run = cls(path, header)
        with run.closing_on_error():
            if (stored := run._stored()) is not None:
                run._continue_from(stored, accept)
            else:
                run.header = header if count is None else header.model_copy(update={"items": count()})
                run.tally.items = run.header.items
                run.write(run.header)
        return run

    def append(self, line: RunLine) -> None:
        """Add a finished item. The whole line is written on return, and flushed to disk within seconds.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.done.add(line.id)
        self.tally.add(line)

    def _stored(self) -> RunHeader | None:
        """Count the finished lines, and give the last header."""
        stored: RunHeader | None = None
        for number, raw in self.whole_lines():
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
        return stored

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
            self.write(self.header)
        else:
            self.header = stored


def read_run(path: Path) -> tuple[RunHeader, Iterator[RunLine]]:
    """Read a run: its last header, with all differences that were accepted, and an iterator over its lines.

    A truncated last line is left out; a run that is still being written can be read.

    Raises:
        UsageError: the file is missing or is not a run, or a line is invalid.
    """
    header: RunHeader | None = None
    for number, raw in whole_lines(path, "give the file of a run"):
        if raw.startswith(_HEADER):
            header = _header(raw, path, number)
        elif header is None:
            break
    if header is None:
        raise UsageError(f"{path} is not a Medground run; create one with `medground eval run`")
    lines = whole_lines(path, "give the file of a run")
    return header, (_line(raw, path, number) for number, raw in lines if not raw.startswith(_HEADER))


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
