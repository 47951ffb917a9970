"""Filters and dates: the meaning of `[sb]`, `[filter]` and `[dp]`, and filters that NLM defines as searches."""

import calendar
import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from medground.home.files import rows
from medground.values import query as nodes
from medground.values.query import DateField, Query

# Dates in queries: `2010`, `2010/05`, `2010/05/13`, date ranges and `last 5 years`.

_FIRST, _LAST = 1000, 3000
"""The years PubMed uses for an open-ended range: `1000:2010[dp]`, `2010:3000[dp]`."""
_DATE = re.compile(r"(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?")
_RELATIVE = re.compile(r"(?i)(?:last|past|previous)\s+(\d{1,4})?\s*(day|week|month|year)s?")
_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_abbr) if name}
_SEPARATED = re.compile(r"(\d{4})[-/. ](\d{1,2})(?:[-/. ](\d{1,2}))?")
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_MONTH_NAMED = re.compile(r"(?:(\d{1,2})\s+)?([A-Za-z]{3,9})\.?\s*(?:(\d{1,2}),?\s+)?(\d{4})")
_YEAR_MONTH_NAMED = re.compile(r"(\d{4})\s+([A-Za-z]{3,9})\.?(?:\s+(\d{1,2}))?")
_RANGE = re.compile(r"(?i)\s*(?::|\bto\b|\buntil\b|\bthrough\b|\band\b|-|–|—)\s*|\s+")
_NOW = ("present", "now", "today", "current", "date")


def days(text: str) -> tuple[date, date] | None:
    """Return the first and last day of a date in PubMed format, or None if the text is not one."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if not _FIRST <= year <= _LAST or (found[2] and not 1 <= month <= 12):
        return None
    if not found[2]:
        return date(year, 1, 1), date(year, 12, 31)
    length = calendar.monthrange(year, month)[1]
    if not found[3]:
        return date(year, month, 1), date(year, month, length)
    return (date(year, month, day), date(year, month, day)) if 1 <= day <= length else None


def last_days(text: str, today: date) -> tuple[date, date] | None:
    """Return the period described by `last 30 days`, `last 6 months` or `last 5 years`, ending today."""
    found = _RELATIVE.fullmatch(text.strip())
    if found is None:
        return None
    number, unit = int(found[1] or 1), found[2].casefold()
    if unit in ("day", "week"):
        return today - timedelta(days=number * (7 if unit == "week" else 1)), today
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    if year < _FIRST:
        return date(_FIRST, 1, 1), today
    day = min(today.day, calendar.monthrange(year, month + 1)[1])
    return date(year, month + 1, day), today


def between(field: DateField, low: date, high: date) -> Query:
    """Return the query for a period. Whole publication years become a `Range`, which every store supports."""
    open_low, open_high = low.year <= _FIRST, high.year >= _LAST
    whole = (open_low or (low.month, low.day) == (1, 1)) and (open_high or (high.month, high.day) == (12, 31))
    if field == "published" and whole:
        return nodes.Range(low=None if open_low else low.year, high=None if open_high else high.year)
    return nodes.DateRange(field=field, low=None if open_low else low, high=None if open_high else high)


def range_text(query: nodes.Range | nodes.DateRange) -> str:
    """Format the dates of a query as PubMed writes them, without a tag."""
    if isinstance(query, nodes.Range):
        low, high = str(query.low or _FIRST), str(query.high or _LAST)
    else:
        low = f"{query.low or date(_FIRST, 1, 1):%Y/%m/%d}"
        high = f"{query.high or date(_LAST, 12, 31):%Y/%m/%d}"
    return low if low == high else f"{low}:{high}"


def repair_date(text: str) -> str | None:
    """Rewrite `2010-5-1`, `May 2010`, `1.5.2010` or `present` in PubMed format; None if it is not a date."""
    text = text.strip(" ,.;\"'")
    if days(text):
        return text
    if _DATE.fullmatch(text):
        return _shortened(text)
    if text.casefold() in _NOW:
        return str(_LAST)
    if found := _SEPARATED.fullmatch(text):
        candidate = "/".join(part for part in found.groups() if part)
    elif found := _DAY_FIRST.fullmatch(text):
        first, second, year = found.groups()
        # Ambiguous dates follow the US order, like PubMed; 13/05/2010 can only be day first.
        month, day = (second, first) if int(first) > 12 else (first, second)
        candidate = f"{year}/{month}/{day}"
    elif found := _MONTH_NAMED.fullmatch(text):
        candidate = _named_date(found[4], found[2], found[1] or found[3])
    elif found := _YEAR_MONTH_NAMED.fullmatch(text):
        candidate = _named_date(found[1], found[2], found[3])
    else:
        return None
    return candidate if days(candidate) else None


def _shortened(text: str) -> str | None:
    """Drop invalid parts: `2010/09/31` becomes `2010/09`, and `2010/13` becomes `2010`."""
    while not days(text) and "/" in text:
        text = text.rpartition("/")[0]
    return text if days(text) else None


def repair_range(text: str) -> tuple[str, str] | None:
    """Return both dates of `2010-2020`, `2010 to present`, `since 2010` or `before 2010`; None if it is not a range."""
    text = text.strip()
    one_sided = re.fullmatch(r"(since|from|after|before|until|up to|>=?|<=?)\s*(.+)", text, re.IGNORECASE)
    if one_sided and (single := repair_date(one_sided[2])):
        later = one_sided[1].casefold() in ("since", "from", "after", ">", ">=")
        return (single, str(_LAST)) if later else (str(_FIRST), single)
    text = re.sub(r"^(?:from|between)\s+", "", text, flags=re.IGNORECASE)
    for mark in _RANGE.finditer(text):
        low, high = repair_date(text[: mark.start()]), repair_date(text[mark.end() :])
        if low and high:
            return low, high
    return None


def _named_date(year: str, month: str, day: str | None) -> str:
    number = _MONTHS.get(month[:3].casefold(), 0)
    return f"{year}/{number:02d}" + (f"/{int(day):02d}" if day else "")


def all_of(parts: Iterable[Query]) -> Query:
    """Match all of the parts. Nested `And`s are flattened, and a single part is returned unchanged."""
    return nodes.all_of(_flat(parts, nodes.And))


def any_of(parts: Iterable[Query]) -> Query:
    """Match any of the parts. Nested `Or`s are flattened, and a single part is returned unchanged."""
    return nodes.any_of(_flat(parts, nodes.Or))


def _flat(parts: Iterable[Query], kind: type[nodes.And] | type[nodes.Or]) -> tuple[Query, ...]:
    return tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))


# Filters: the meaning of `[sb]` and `[filter]`, and words that act as filters without a tag.


def _named(kind: str) -> dict[str, str]:
    return {name: meant for of, name, meant in rows("pubmed", "filters") if of == kind}


WORDS = frozenset(_named("word"))
"""Filters that PubMed accepts without a tag."""
LANGUAGES: Mapping[str, str] = _named("language")
"""Language names accepted by PubMed, mapped to the codes used in records."""
_SYNONYMS, _MESH, _TYPES = _named("synonym"), _named("mesh"), _named("type")
SEARCHES: Mapping[str, str] = _named("search")
"""Filters that NLM defines as searches; docs/reference/pubmed-server.md says where."""
_YEARS = {"y_1": 1, "y_5": 5, "y_10": 10}


def filtered(name: str, today: date) -> Query:
    """Return the query for a filter: a language, heading, publication type or period, or else a `subset` term."""
    name = " ".join(name.casefold().split())
    if name == "all":
        return nodes.Everything()
    joined = name.replace(" ", "").replace("-", "")
    if joined in _MESH:
        return any_of([nodes.Mesh(heading=heading) for heading in _MESH[joined].split("|")])
    if joined == "excludepreprints":
        return nodes.Not(part=nodes.PublicationType(name="preprint"))
    if joined in _TYPES:
        return nodes.PublicationType(name=_TYPES[joined])
    if name in LANGUAGES:
        return nodes.Term(value=LANGUAGES[name], field="language")
    period = f"last {_YEARS[name]} years" if name in _YEARS else name.removeprefix("published ")
    if found := last_days(period, today):
        return between("published", *found)
    return nodes.Term(value=_SYNONYMS.get(name, name), field="subset")
