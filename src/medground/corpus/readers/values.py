"""Values as people write them: lists in one string, names of authors, identifiers with or without their address."""

import re
from calendar import month_abbr
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from medground.corpus.banners import GONE, said_alone
from medground.corpus.readers.compose import printable
from medground.home.files import tables
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.document import Retraction, Substance
from medground.values.identifiers import normal_pmid

NAMES: Mapping[str, Mapping[str, Any]] = tables("corpus/readers", "names")
_REGISTRY = lazy_pattern(r"0|EC [\d.-]+|[A-Z0-9]{10}|\d{2,7}-\d\d-\d")
"""A registry number: none, of an enzyme, UNII, CAS."""
_PRINTED = lazy_pattern(r"\s*\[\s*['\"].*['\"]\s*\]\s*", re.DOTALL)
_QUOTED = lazy_pattern(r"'[^']*'(?=\s*[,\]])|\"[^\"]*\"(?=\s*[,\]])")
_LONGEST_VALUE = 1000
_LONGEST_NAME = 64
_MOST_FIELDS = 200
_DEEPEST = 4


def one_line(value: Any) -> str:
    """A value as text, with white space collapsed."""
    return " ".join(str(value).split())


def listed(value: Any) -> list[str]:
    """The parts of a list, or of a string with `;`, `|` or, without those, commas between them."""
    if isinstance(value, str):
        separator = next((mark for mark in (";", "|") if mark in value), ",")
        value = _printed(value) or value.split(separator)
    elif not isinstance(value, list | tuple):
        value = [value]
    words = (item.get("tag", item) if isinstance(item, dict) else item for item in value)
    return [text for item in words if item is not None and (text := one_line(item))]  # Zotero has tags as objects


def _printed(value: str) -> list[str]:
    """The texts of a list that a program has printed, `['Marx, Karl', 'Doe, J']`; none of any other text."""
    return [one[1:-1] for one in _QUOTED.findall(value)] if _PRINTED.fullmatch(value) else []


def own_title(title: str, vernacular: str) -> str:
    """The title of a record, or the one in its own language where the English one is `[Not Available].`."""
    return vernacular or title if title.strip(" .[]").casefold() == "not available" else title or vernacular


def imprint_of(volume: str, issue: str, pages: str) -> dict[str, str]:
    """Where a paper is printed, as far as it is known."""
    return {name: value for name, value in (("volume", volume), ("issue", issue), ("pages", pages)) if value}


def substances_of(value: Any) -> list[Substance]:
    """Registered substances: a list of names, of `0 (Aspirin)` as MEDLINE has them, or of objects with a name."""
    if isinstance(value, Mapping) and len(value) == 1:  # Europe PMC's `{"chemical": [...]}`
        (value,) = value.values()
    items = value if isinstance(value, list | tuple) else listed(value)
    return [found for item in items if item is not None and (found := _substance(item))]


def _substance(value: Any) -> Substance | None:
    if isinstance(value, Mapping):
        parts = {str(key).casefold().replace("_", ""): one_line(part) for key, part in value.items() if part}
        name = _first(parts, "name", "nameofsubstance")
        number = _first(parts, "number", "registrynumber") or "0"
        return Substance(name=name, ui=parts.get("ui"), number=number) if name else None
    number, _, name = (text := one_line(value)).partition(" (")
    if name and _REGISTRY.fullmatch(number):
        return Substance(name=name.removesuffix(")"), number=number)
    return Substance(name=text) if text else None


def _first(parts: Mapping[str, str], *names: str) -> str:
    return next(filter(None, map(parts.get, names)), "")


def pmid_of(value: Any) -> str | None:
    """A PMID, from a number or its address; None if the value names none, ValueError if it has digits that are none."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    text = one_line(int(value) if isinstance(value, float) and value.is_integer() else value)
    if found := normal_pmid(text.partition(" (http")[0]):  # Embase adds the address
        return found
    if any(letter.isdigit() for letter in text) and isinstance(value, str | int | float):
        raise ValueError(f"pmid: {text[:40]!r} is not a PMID")
    return None


def flattened(fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Metadata: each value as a tuple of texts, objects by dotted names (`dose.unit`), null left out."""
    found: dict[str, list[str]] = {}
    _collect(fields, "", found, 0)
    return {name: tuple(dict.fromkeys(values)) for name, values in list(found.items())[:_MOST_FIELDS]}


@lru_cache(maxsize=4096)
def plain_name(key: str) -> str:
    """The name of a field in lower case, with underscores."""
    name = printable(key).casefold().partition("(http")[0]  # Embase writes the address of PubMed behind "Medline PMID"
    return re.sub(r"[\s=-]+", "_", name.strip())


def _collect(value: Any, name: str, found: dict[str, list[str]], depth: int) -> None:
    if isinstance(value, (list, tuple)) and depth < _DEEPEST:
        for inner in value:
            _collect(inner, name, found, depth + 1)
    elif not isinstance(value, str) and isinstance(value, Mapping) and depth < _DEEPEST:
        for key, inner in value.items():
            own = plain_name(str(key))
            _collect(inner, f"{name}.{own}" if name else own, found, depth + 1)
    elif value is not None and name:
        text = str(value).lower() if isinstance(value, bool) else one_line(value)
        if text:
            cut = f"{text[: _LONGEST_VALUE - 2]} …" if len(text) > _LONGEST_VALUE else text
            found.setdefault(name[:_LONGEST_NAME], []).append(cut)


# Names of authors: lists in one string, or objects with their parts.

_MOST_INITIALS = 4
_BETWEEN_INITIALS = dict.fromkeys(map(ord, " .-"))
_HELPER = lazy_pattern("(?i)editor|translator|contributor|reviewed|bookauthor|commenter")
_NUMBER_OF_PERSON = lazy_pattern(r"\s*\(\d{6,}\)$")
"""As Scopus adds it to full names."""
_SUFFIX = lazy_pattern(r"(?:Jr|Sr|[IV]{2,3}|IV|[23]rd|2nd)\.?")
_INITIALS = lazy_pattern(r"(?:[^\W\d_]{1,2}\.[ -]?)+")
_WITH_INITIALS = lazy_pattern(r"[^\W\d_][\w'’. -]* (?:[A-Z]\.?-?){1,4}")


def pubmed_ids(pmids: Iterable[str]) -> tuple[str, ...]:
    """The ids of papers with these PMIDs, each once; what is no PMID is left out."""
    return tuple(dict.fromkeys(f"PMID:{pmid}" for pmid in pmids if pmid.isdecimal()))


def names_of(value: Any) -> list[str]:
    """The names of authors: a list (of strings or of objects with a family name), or one string.

    Names in a string are separated by `;`, or by commas if each has initials (`Smith J, Doe AB`; `Smith, J.,
    Doe, A.B.`); in a string that is no item of a list, by ` and ` too.
    """
    if isinstance(value, str):
        marks = (";", "|", " and ") if ";" not in value else (";",)
        separator = next((mark for mark in marks if mark in value), ";")
        value = _printed(value) or value.split(separator)
    items = value if isinstance(value, list | tuple) else [value]
    parted = (part for item in items for part in (_parted(item) if isinstance(item, str) else [item]))
    return [name for item in parted if item is not None and not _is_helper(item) and (name := _name(item))]


def _is_helper(value: Any) -> bool:
    """Whether a person edited or translated the work, as reference managers tell, and is none of its authors."""
    role = value.get("creatorType") if isinstance(value, Mapping) else None
    return isinstance(role, str) and _HELPER.search(role) is not None


def _parted(names: str) -> list[str]:
    """The names in a string, as `Family, Given` or however each is written."""
    if ";" in names:
        return names.split(";")
    parts = [one_line(part) for part in names.split(",")]
    if len(parts) > 1 and all(map(_WITH_INITIALS.fullmatch, parts)):
        return [", ".join(part.rsplit(" ", 1)) for part in parts]
    if len(parts) < 3:
        return [names]
    if all(" " in part for part in parts):  # Wei Wu, Qiao Qiao, Guodong Li
        return parts
    given = [_INITIALS.fullmatch(part) or _SUFFIX.fullmatch(part) for part in parts]
    if 2 * sum(map(bool, given)) < len(parts):
        return [names]
    found: list[str] = []
    for part, goes_on in zip(parts, given, strict=True):
        if goes_on and found:
            found[-1] += f", {part}"
        else:
            found.append(part)
    return found


def _name(value: Any) -> str:
    """`Family Initials` or `Family, Given`, from a text or from an object with these parts; else the whole name."""
    if not isinstance(value, str) and isinstance(value, Mapping):
        parts = {str(key).casefold(): one_line(part) for key, part in value.items() if part}
        family = _first(parts, "family", "lastname", "last_name", "last")
        given = _first(parts, "given", "firstname", "first_name", "first")
        whole = _first(parts, "literal", "name")
        particles = (parts.get(name, "") for name in ("dropping-particle", "non-dropping-particle"))
        own = _joined(one_line(" ".join([*particles, family])), given)
        return ", ".join(filter(None, (own, parts.get("suffix")))) or whole
    own = one_line(value)
    own = _NUMBER_OF_PERSON.sub("", own) if own.endswith(")") else own
    family, _, given = own.rstrip(",; ").partition(", ")
    return _joined(family, given)


def _joined(family: str, given: str) -> str:
    if not (family and given):
        return family or given
    initials = given.translate(_BETWEEN_INITIALS)
    return f"{family} {initials}" if initials.isupper() and len(initials) <= _MOST_INITIALS else f"{family}, {given}"


# Dates as people write them.

MONTHS = month_abbr[1:]
_YEAR = lazy_pattern(r"(?<!\d)((?:1[5-9]|20)\d\d)(?!\d)")
_NUMBERS = lazy_pattern(r"((?:1[5-9]|20)\d\d)[-/. ](\d{1,2})(?:[-/. ](\d{1,2}))?(?!\d)")
_COMPACT = lazy_pattern(r"(?<!\d)((?:1[5-9]|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)")
_DAY_BEFORE = lazy_pattern(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?\s+[A-Za-z]{3}")
_DAY_AFTER = lazy_pattern(r"[A-Za-z]{3,9}\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)")
_WORD = lazy_pattern(r"[A-Za-z]{3,}")


@lru_cache(maxsize=4096)
def year_in(text: str) -> int | None:
    """The first year from 1500 to 2099 in a text, or None."""
    found = _YEAR.search(text) or _COMPACT.search(text)
    return int(found[1]) if found else None


@lru_cache(maxsize=4096)
def iso_date(text: str) -> str | None:
    """`2019`, `2019-03` or `2019-03-04`, as precise as the text is; None without a year.

    Reads `2019-03-04`, `2019/3/4`, `20190304`, `2019 Mar 4`, `4 March 2019` and `March 2019`. In `3/4/2019` day and
    month cannot be told apart, so only the year is taken.
    """
    year = year_in(text)
    if year is None:
        return None
    if found := _NUMBERS.search(text) or _COMPACT.search(text):
        return _iso(int(found[1]), int(found[2]), int(found[3] or 0))
    words = [word[:3].capitalize() for word in _WORD.findall(text)]
    month = next((MONTHS.index(word) + 1 for word in words if word in MONTHS), 0)
    day = (_DAY_BEFORE.search(text) or _DAY_AFTER.search(text)) if month else None
    return _iso(year, month, int(day[1]) if day else 0)


def _iso(year: int, month: int, day: int) -> str:
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"


# What a record says of its paper's state.

_SIGNS = lazy_pattern("retract|withdr|remov")
_NAMED = verbose_pattern(
    r"""
    (?:.*\.)?(?:date|doi|pmid|is|was|has|been|article|paper|_)*(retracted|retraction|withdrawn)(?:\.|_|by|on|in|
    of|date|doi|url|id|pmid|pubmed|nature|status|notice|year)*
    """,
    0,
)
"""Fields that are named after a retraction: `is_retracted`, `retraction_date`, `relation.is_retracted_by.id`."""
_STATUS = lazy_pattern(r"(?:(?:publication_|article_)?status|pubstate|updated?_by\..*)")
_ABOUT_ANOTHER = lazy_pattern(r"update_to|retraction_?of")
_OWN_LISTS = lazy_pattern(r"updated?_(?:by|to)|relation|commentcorrectionlist")
_NOT_SAID = frozenset(["title", "text", "abstract", "authors", "references", "publication_types", "metadata"])
_SO = frozenset(["true", "yes", "y", "1"])
_SHORT = 60


def state_in(fields: Mapping[str, Any]) -> Retraction | None:
    """What these fields say of the paper, by their names in lower case with underscores; None if they say nothing.

    A field says so by its name, `is_retracted`, or by a value that is a banner, `status: Retracted`.
    """
    told = [*_told(fields)]
    natures = [one for one in told if one[0].endswith("nature")]  # as Retraction Watch has it: it decides
    return next(filter(None, (_state(*one) for one in natures or told)), None)


def _told(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The short values of which a field, or its name, says something."""
    for key, value in fields.items():
        if not value or key in _NOT_SAID or (isinstance(value, str) and len(value) > _SHORT and key != "keywords"):
            continue
        name = f"{above}{key}".casefold().replace("-", "_") if above else key
        if isinstance(value, str) and not _SIGNS.search(name) and not _SIGNS.search(value.casefold()):
            continue
        is_list = isinstance(value, list | tuple)
        for one in listed(value) if key == "keywords" else value if is_list else (value,):
            if isinstance(one, Mapping) and name.count(".") < _DEEPEST and (not is_list or _OWN_LISTS.match(name)):
                yield from _told(one, f"{name}.")
            elif isinstance(one, str | int) and (_SIGNS.search(name) or _SIGNS.search(str(one).casefold())):
                yield name, str(one).casefold().strip()


def _state(name: str, value: str) -> Retraction | None:
    about: Retraction = "notice" if _ABOUT_ANOTHER.search(name) else "retracted"
    said = said_alone(value)
    if named := _NAMED.fullmatch(name):
        dated = named[1] != "withdrawn" and len(value) > 3 and any(letter in "123456789" for letter in value)
        return about if dated or value in _SO or said in ("retracted", "notice") else None
    if name == "keywords":
        return "retracted" if said == "retracted" and " " in value else None
    if said == "notice" and name in ("type", "label"):
        return "notice"
    if said == "retracted" and "retract" in value:
        return about
    is_status = _STATUS.fullmatch(name) or about == "notice"
    return about if is_status and said in (*GONE, "removed", "notice") else None


def initials_of(given: str) -> str:
    """`John A.` as `JA`; initials stay as they are."""
    parts = re.findall(r"[^\W\d_]+", given)
    return "".join(part if part.isupper() and len(part) < 4 else part[0].upper() for part in parts)
