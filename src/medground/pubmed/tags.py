"""PubMed field tags, in all spellings and as PubMed prints them, and the qualifiers (subheadings) of headings."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from rapidfuzz import fuzz, process

from medground.home.files import rows
from medground.pubmed.characters import fold
from medground.values.query import DateField, FieldName

Kind = Literal["text", "all", "mesh", "major", "subheading", "type", "date", "filter", "id"]
"""How to interpret the words before a tag: as words in a field, a heading, a date, ..."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A field as PubMed prints it (`Title/Abstract`), and the matching field in our query tree."""

    name: str
    kind: Kind = "text"
    field: FieldName | None = None
    date: DateField | None = None


@dataclass(frozen=True, slots=True)
class TagUse:
    """A tag with its options: `[mh:noexp]` does not explode; `[tiab:~3]` allows three words in between."""

    tag: Tag
    explode: bool = True
    distance: int | None = None

    @property
    def text(self) -> str:
        """The tag with its brackets."""
        ending = "" if self.explode else ":noexp"
        ending += "" if self.distance is None else f":~{self.distance}"
        return f"[{self.tag.name}{ending}]"


_NOT_EXPLODED = re.compile(r"[:,]?\s*no\s?-?(?:exp|explode|explosion)$")
_DISTANCE = re.compile(r"\s*:\s*~\s*(\d{1,4})$")
_JOURNAL_ID = re.compile(r":__jid\w*$")
_PROXIMITY = ("title", "title_abstract", "affiliation")
_EXPLODED = ("mesh", "major", "subheading", "type")
_SIMILAR = 75
"""Minimum similarity (0 to 100) to match a misspelt tag to a known spelling."""


@cache
def _spellings() -> dict[str, Tag]:
    """Tags by all of their spellings; the first one is how PubMed prints it."""
    found: dict[str, Tag] = {}
    for kind, field, names in rows("pubmed", "tags"):
        dated = cast("DateField", field) if kind == "date" else None
        known = cast("FieldName", field) if field and dated is None else None
        tag = Tag(names.partition("|")[0], cast("Kind", kind), known, dated)
        found |= {name.casefold(): tag for name in names.split("|")}
    return found


@cache
def tag_for_field(field: FieldName) -> Tag | None:
    """Return the tag of a field in our query tree, or None if PubMed has none."""
    return next((tag for tag in _spellings().values() if tag.field == field), None)


@cache
def tag_for_date(date: DateField) -> Tag:
    """Return the tag of a date field."""
    return next(tag for tag in _spellings().values() if tag.date == date)


@cache
def tag_for_kind(kind: Kind) -> Tag:
    """Return the first tag of a kind."""
    return next(tag for tag in _spellings().values() if tag.kind == kind)


@dataclass(frozen=True, slots=True)
class Read:
    """The result of reading a tag: the tag with its options, or the problem and the closest valid tag."""

    use: TagUse | None
    problem: str = ""
    guess: TagUse | None = None


@cache
def read_tag(text: str) -> Read:
    """Read a tag without its brackets, ignoring case and spacing."""
    name = " ".join(text.casefold().split())
    name = _JOURNAL_ID.sub("", name)
    distance = _DISTANCE.search(name)
    name = name[: distance.start()] if distance else name
    narrow = _NOT_EXPLODED.search(name)
    name = (name[: narrow.start()] if narrow else name).strip(" :")
    tag = _spellings().get(name)
    if tag is None:
        known = _spellings().keys() if name else ()
        found = process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=_SIMILAR)
        guess = _use(_spellings()[found[0]], bool(narrow), distance) if found else None
        return Read(None, f"unknown field tag [{text[:40]}]", guess or _before_colon(name))
    use = _use(tag, bool(narrow), distance)
    if distance and use.distance is None:
        return Read(None, f"[{name}] does not accept a distance; use [ti], [tiab] or [ad]", use)
    if narrow and use.explode:
        return Read(None, f"[{name}] does not explode; remove :noexp", use)
    return Read(use)


def _before_colon(name: str) -> TagUse | None:
    """Return the tag `mh` for `mh:exp`, ignoring the unknown suffix."""
    tag = _spellings().get(name.partition(":")[0].strip())
    return None if tag is None else TagUse(tag)


def _use(tag: Tag, narrow: bool, distance: re.Match[str] | None) -> TagUse:
    near = int(distance[1]) if distance and tag.field in _PROXIMITY else None
    return TagUse(tag, explode=not (narrow and tag.kind in _EXPLODED), distance=near)


_ABBREVIATION_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualifier, such as `drug therapy` (`DT`), with the abbreviations of those directly below it."""

    name: str
    abbreviation: str
    below: tuple[str, ...] = ()


@cache
def qualifiers() -> tuple[Qualifier, ...]:
    """Return all qualifiers, sorted by name."""
    found = (Qualifier(name, short, tuple(below.split())) for short, name, below in rows("pubmed", "qualifiers"))
    return tuple(sorted(found, key=lambda q: q.name))


@cache
def _by_name() -> dict[str, Qualifier]:
    found = {fold(q.name): q for q in qualifiers()}
    found |= {fold(q.name.replace("&", "and")): q for q in qualifiers()}
    return found | {fold(q.abbreviation): q for q in qualifiers()}


def find_qualifier(name: str) -> Qualifier | None:
    """Find a qualifier by name (with `&` or `and`) or abbreviation, in any case. Returns None if not found."""
    return _by_name().get(fold(name))


def find_folded_qualifier(folded: str) -> Qualifier | None:
    """Find a qualifier by a name already passed through `fold`. Abbreviations are not accepted."""
    return _by_name().get(folded) if len(folded) > _ABBREVIATION_LENGTH else None


@cache
def narrower(name: str) -> tuple[str, ...]:
    """Return the qualifier's name and the names of all narrower qualifiers."""
    known = find_qualifier(name)
    below = (deeper for short in (known.below if known else ()) for deeper in narrower(_by_name()[fold(short)].name))
    return tuple(dict.fromkeys([name, *below]))
