"""The columns that a reader asks for."""

from __future__ import annotations

from collections.abc import Sequence

from medground.errors import UsageError
from medground.evidence_table.values import LONGEST_COLUMN, MOST_COLUMNS
from medground.text.clean import clean


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The names without white space around and inside them.

    Raises:
        UsageError: there are too many, or one is empty, too long or named twice.
    """
    names = tuple(" ".join(clean(column).split()) for column in columns)
    if len(names) > MOST_COLUMNS:
        raise UsageError(f"a table has at most {MOST_COLUMNS} columns of your own, not {len(names)}; leave some out")
    for name in names:
        if not name:
            raise UsageError("a column has no name; name it, or leave it out")
        if len(name) > LONGEST_COLUMN:
            raise UsageError(f"the name of a column is longer than {LONGEST_COLUMN} characters; shorten it")
        if sum(other.casefold() == name.casefold() for other in names) > 1:
            raise UsageError(f"the column {name!r} is there twice; name each once")
    return names
