"""The dates of a MEDLINE record, in every format that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medground.corpus.readers.xml import Element

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PUBLISHED = ("Article/Journal/JournalIssue/PubDate", "Article/ArticleDate", "Book/PubDate", "ContributionDate")
_HISTORY = {
    "entered": "PubmedData/History/PubMedPubDate[@PubStatus='entrez']",
    "created": "DateCreated",
    "revised": "DateRevised",
    "completed": "DateCompleted",
}


def dates_of(citation: Element, record: Element) -> dict[str, str]:
    """ISO dates by kind, each as precise as the record: `1998`, `1998-12`, `1998-12-31`.

    `published` is the date of the issue, or else of the electronic article; a range ("1998 Dec-1999 Jan") becomes its
    first year.
    """
    dates = {}
    for kind, path in _HISTORY.items():
        if found := next(_iso_dates(citation, record, path), None):
            dates[kind] = found
    for path in _PUBLISHED:
        if "published" not in dates and (found := next(_iso_dates(citation, record, path), None)):
            dates["published"] = found
    return dates


def year_of(dates: dict[str, str]) -> int | None:
    """The year of publication, or else the first year in which the record is known to exist."""
    if "published" in dates:
        return int(dates["published"][:4])
    return min((int(dates[kind][:4]) for kind in ("entered", "created", "completed") if kind in dates), default=None)


def _iso_dates(citation: Element, record: Element, path: str) -> Iterator[str]:
    for element in (citation.find(path), record.find(path)):
        if element is not None and (date := _iso(element)):
            yield date


def _iso(date: Element) -> str | None:
    year = _YEAR.search(date.findtext("Year") or date.findtext("MedlineDate") or "")
    if year is None:
        return None
    month = _month(date.findtext("Month") or "")
    day = (date.findtext("Day") or "").strip()
    if month is None:
        return year[0]
    if not (day.isdecimal() and 1 <= int(day) <= 31):
        return f"{year[0]}-{month:02}"
    return f"{year[0]}-{month:02}-{int(day):02}"


def _month(text: str) -> int | None:
    text = text.strip().lower()
    if text[:3] in _MONTHS:
        return _MONTHS.index(text[:3]) + 1
    return int(text) if text.isdecimal() and 1 <= int(text) <= 12 else None
