"""Lines of a text file, plain or gzip, in UTF-8, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from medground.corpus.readers.files import opened
from medground.errors import BadDocument


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""The lines of a file without their ends, from 1. Only `\n` ends a line.

    Raises:
        BadDocument: the file cannot be read, is damaged, or is not UTF-8.
    """
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise BadDocument("not UTF-8; save the file as UTF-8", file=str(path), position=number) from None
            yield number, text.rstrip("\r\n")
