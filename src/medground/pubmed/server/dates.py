"""Convert dates: NCBI writes `2001/06/15` and `2001 Jun 15`, a Document `2001-06-15`."""

from __future__ import annotations

from datetime import date, timedelta

from medground.pubmed.dates import between, days
from medground.pubmed.server.parameters import InvalidRequest, Parameters
from medground.query import DateField, Query

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_KINDS: dict[str, DateField] = {
    "": "published",
    "pdat": "published",
    "dp": "published",
    "edat": "entered",
    "crdt": "created",
    "mdat": "revised",
}
_MOST_DAYS = 1_000_000


def date_limit(parameters: Parameters, today: date) -> Query | None:
    """Return the date limit of a request, or None. Like NCBI, this ignores one date without the other.

    Raises:
        InvalidRequest: a date or date type is not valid.
    """
    name = parameters.text("datetype").lower()
    if name not in _KINDS:
        raise InvalidRequest(f"Invalid value of datetype: {name[:20]}")
    if parameters.has("reldate"):
        days_back = min(parameters.number("reldate", 0, _MOST_DAYS), today.toordinal() - 1)
        return between(_KINDS[name], today - timedelta(days=days_back), date.max)
    if parameters.has("mindate") and parameters.has("maxdate"):
        low, high = _days(parameters.text("mindate")), _days(parameters.text("maxdate"))
        return between(_KINDS[name], low[0], high[1])
    return None


def _days(value: str) -> tuple[date, date]:
    found = days(value.replace("-", "/"))
    if found is None:
        raise InvalidRequest(f"Invalid date: {value[:20]}")
    return found


def publication_date(iso: str) -> str:
    """Format `2001-06-15` as `2001 Jun 15`. An empty string stays empty."""
    year, *rest = iso.split("-")
    month = [MONTHS[int(rest[0]) - 1]] if rest else []
    return " ".join([year, *month, *(str(int(day)) for day in rest[1:])])


def timestamp(iso: str) -> str:
    """Format `2001-06` as `2001/06/01 00:00`, as NCBI does. An empty string stays empty."""
    return f"{'/'.join(year_month_day(iso))} 00:00" if iso else ""


def year_month_day(iso: str) -> list[str]:
    """Split a date into year, month and day. An unknown month or day becomes the first."""
    return [*iso.split("-"), "01", "01"][:3]
