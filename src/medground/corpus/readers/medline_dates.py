"""The dates of a MEDLINE record, in every format that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from medground.corpus.readers.dates import iso_date, year_in
from medground.corpus.readers.xml import Element

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
    year = year_in(date.findtext("Year") or date.findtext("MedlineDate") or "")
    month, day = ((date.findtext(name) or "").strip() for name in ("Month", "Day"))
    return None if year is None else iso_date(f"{year} {month} {day}")
