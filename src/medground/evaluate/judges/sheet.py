"""The file that judgements are written to as they arrive: one judge, one set of instructions, the same runs."""

from __future__ import annotations

from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.judges.lines import Judgement, judgements_in
from medground.line_file import LineFile


class Sheet(LineFile):
    """A file of judgements that is being written, started or resumed. Use it as a context manager.

    Attributes:
        lines: all judgements in the file.

    Raises:
        UsageError: the file has judgements with another pin, or another process is writing it.
        BadDocument: the file contains something else.
        StorageFailed: the file cannot be written.
    """

    what = "a file of judgements by a model"

    def __init__(self, path: Path, pin: str) -> None:
        super().__init__(path)
        with self.closing_on_error():
            content = b"".join(raw for _, raw in self.whole_lines())
            if content and not content.startswith(b'{"item":'):
                raise UsageError(f"{path} is not {self.what}; name another file with --out")
            self.lines = judgements_in(content.decode(errors="replace"), path)
            if other := next((line for line in self.lines if line.pin != pin), None):
                raise UsageError(
                    f"{path} has judgements by {other.judge} with different runs, judge or instructions; "
                    "name another file with --out"
                )

    def append(self, line: Judgement) -> None:
        """Add a judgement; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines.append(line)
