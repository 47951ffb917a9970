"""What is wrong with a query text, and where."""

from __future__ import annotations

from medground.errors import UsageError


class QuerySyntaxError(UsageError):
    """The query cannot be read: `reason` says why, `column` (from 1) where."""

    def __init__(self, reason: str, column: int) -> None:
        self.reason = reason
        self.column = column
        super().__init__(f"the query cannot be read at column {column}: {reason}")
