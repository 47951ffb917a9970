"""Parquet, as hubs keep large collections: rows are streamed in small batches (extra `parquet`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Item
from medground.corpus.readers.lines import Record, converted, tried
from medground.document import Document
from medground.errors import BadDocument

SUFFIX = ".parquet"
SIGNATURE = b"PAR1"

_ROWS = 256
_NEEDS = 'a parquet file needs the extra "parquet"; run: pip install "medground[parquet]"'


def columns_of(path: Path) -> list[str]:
    """The names of a file's columns.

    Raises:
        BadDocument: the file is damaged, or the extra is not installed.
    """
    with _opened(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def read_parquet(path: Path, convert: Callable[[Record], Document], columns: Sequence[str]) -> Iterator[Item]:
    """One item per row; the position of a bad one is its number, counting from 1.

    Args:
        path: the file.
        convert: makes a document of a row, or raises ValueError for one that it cannot use.
        columns: those that are read, as far as the file has them.

    Raises:
        BadDocument: the first rows, or all of them, cannot be used, the file is damaged, or the extra is not installed.
    """
    yield from tried(_items(path, convert, columns), path, "rows")


def _items(
    path: Path, convert: Callable[[Record], Document], columns: Sequence[str]
) -> Iterator[Document | BadDocument]:
    with _opened(path) as file:
        wanted = [name for name in file.schema_arrow.names if name in columns]
        # One group of rows after the other: for all of them at once, pyarrow holds what it has read of the file.
        groups = range(file.num_row_groups)
        batches = (b for g in groups for b in file.iter_batches(batch_size=_ROWS, row_groups=[g], columns=wanted))
        number = 0
        while (rows := _next(batches, path)) is not None:
            for row in rows:
                number += 1
                yield converted(lambda row=row: row, convert, path, number)  # type: ignore[misc]


def _next(batches: Iterator[Any], path: Path) -> list[Record] | None:
    """The rows of the next batch; None after the last."""
    try:
        batch = next(batches, None)
        return None if batch is None else batch.to_pylist()
    except (OSError, ValueError) as error:  # pyarrow's own errors are both
        raise BadDocument(_damaged(error), file=str(path)) from error


def _opened(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise BadDocument(_NEEDS, file=str(path), passing=True) from error
    try:
        return parquet.ParquetFile(path, pre_buffer=False)
    except (OSError, ValueError) as error:
        raise BadDocument(_damaged(error), file=str(path)) from error


def _damaged(error: Exception) -> str:
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return f"the parquet file is damaged ({reason[:120]}); copy or download it again"
