"""Dates as people write them."""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)(?!\d)")
_NUMBERS = re.compile(r"((?:1[5-9]|20)\d\d)[-/. ](\d{1,2})(?:[-/. ](\d{1,2}))?(?!\d)")
_COMPACT = re.compile(r"((?:1[5-9]|20)\d\d)([01]\d)([0-3]\d)")
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?\s+[A-Za-z]{3}")
_DAY_AFTER = re.compile(r"[A-Za-z]{3,9}\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)")
_WORD = re.compile(r"[A-Za-z]{3,}")


def year_in(text: str) -> int | None:
    """The first year from 1500 to 2099 in a text, or None."""
    found = _YEAR.search(text) or _COMPACT.fullmatch(text.strip())
    return int(found[1]) if found else None


def iso_date(text: str) -> str | None:
    """`2019`, `2019-03` or `2019-03-04`, as precise as the text is; None without a year.

    Reads `2019-03-04`, `2019/3/4`, `20190304`, `2019 Mar 4`, `4 March 2019` and `March 2019`. In `3/4/2019` day and
    month cannot be told apart, so only the year is taken.
    """
    year = year_in(text)
    if year is None:
        return None
    if found := _NUMBERS.search(text) or _COMPACT.fullmatch(text.strip()):
        return _iso(int(found[1]), int(found[2]), int(found[3] or 0))
    words = [word[:3].lower() for word in _WORD.findall(text)]
    month = next((_MONTHS.index(word) + 1 for word in words if word in _MONTHS), 0)
    day = (_DAY_BEFORE.search(text) or _DAY_AFTER.search(text)) if month else None
    return _iso(year, month, int(day[1]) if day else 0)


def _iso(year: int, month: int, day: int) -> str:
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"
