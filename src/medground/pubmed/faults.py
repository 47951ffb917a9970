"""Query syntax errors."""

from __future__ import annotations

from medground.errors import UsageError


class QuerySyntaxError(UsageError):
    """The query is not valid: `reason` says why, and `column` (from 1) says where."""

    def __init__(self, reason: str, column: int) -> None:
        self.reason = reason
        self.column = column
        super().__init__(f"invalid query at column {column}: {reason}")
