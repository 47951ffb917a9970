"""The file that a judge's verdicts on the test are written to as they arrive, so that nothing is paid for twice."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from medground.document import Frozen
from medground.line_file import LineFile
from medground.usage import UsageReport

Said = Literal["entails", "contradicts", "related", "neutral", "unusable"]
"""`unusable`: a reply came, but it could not be read after all tries."""


class Line(Frozen):
    """What a judge said of one pair."""

    pair: str
    said: Said
    reason: str = ""
    usage: UsageReport = UsageReport()


class Sheet(LineFile):
    """The file of one measurement, whose name tells judge, instructions and pairs. Use it as a context manager.

    A damaged line is asked for again. `fresh` forgets what is in the file.

    Attributes:
        lines: what the judge said, by pair.

    Raises:
        UsageError: another process is writing it.
        StorageFailed: the file cannot be written.
    """

    what = "a file of verdicts on the test"

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        super().__init__(path)
        self.lines: dict[str, Line] = {}
        if fresh:
            self.clear()
        for _, raw in self.whole_lines():
            with suppress(ValidationError):
                line = Line.model_validate_json(raw)
                self.lines[line.pair] = line

    def append(self, line: Line) -> None:
        """Add a line; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines[line.pair] = line
