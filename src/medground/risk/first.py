"""The notice comes first, whatever else is wrong: every error about a text carries the notice that it calls for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from medground.errors import MedgroundError
from medground.notice import Notice
from medground.risk.notices import most_urgent


@contextmanager
def notice_first(*texts: str) -> Iterator[Notice | None]:
    """Give the notice that texts call for, and put it on every error of the block that has none."""
    notice = most_urgent(*texts)
    try:
        yield notice
    except MedgroundError as error:
        error.notice = error.notice or notice
        raise
