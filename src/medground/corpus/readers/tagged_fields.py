"""What a reader asks of a tagged record: the values of its tags, and the ids, dates and names that they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from medground.corpus.readers.values import iso_date, year_in


class Tags(dict[str, list[str]]):
    """The values of each tag of a record, none for one that it lacks; `pairs` has them in order."""

    def __init__(self, pairs: Sequence[tuple[str, list[str]]] = (), form: Form | None = None) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        renamed, by_line = (form.renamed, form.by_line) if form else ({}, frozenset())
        for tag, lines in pairs:
            own = renamed.get(tag, tag)
            for value in lines if tag in by_line or len(lines) == 1 else (" ".join(lines),):
                self.pairs.append((own, value))
                self.setdefault(own, []).append(value)

    def __missing__(self, tag: str) -> list[str]:
        return []


Get = Callable[[Tags], Any]


def first(*names: str) -> Get:
    """The first value of these tags that says something."""
    return lambda tags: next((value for name in names for value in tags[name] if value.strip(" /")), None)


def each(*names: str) -> Get:
    """All values of the first of these tags that a record has."""
    return lambda tags: next((tags.get(name, ()) for name in names if tags.get(name, ())), [])


def in_order(*names: str) -> Get:
    """All values of these tags in the order of the record, so that a group stands among the authors where it signed."""
    return lambda tags: [value for tag, value in tags.pairs if tag in names]


def at_semicolons(*names: str) -> Get:
    """All values of these tags, each cut at its semicolons."""
    return lambda tags: [part for name in names for value in tags.get(name, ()) for part in value.split(";")]


def longest(*names: str) -> Get:
    """The longest value of these tags: exporters cut one of two abstracts short."""
    return lambda tags: max((value for name in names for value in tags.get(name, ())), key=len, default=None)


def pairs_of(names: str) -> list[tuple[str, str]]:
    """The pairs of a table such as `VL=volume IS=issue`."""
    return [(tag, name) for tag, _, name in (word.partition("=") for word in names.split())]


def kept(names: str) -> Get:
    """Metadata: what is kept of these tags, `TAG=NAME`."""
    table = pairs_of(names)
    return lambda tags: {name: tags[tag] for tag, name in table if tag in tags}


@dataclass(frozen=True)
class Form:
    """A form of tagged records, a table of `tagged.toml`, where its parts are explained; and the fields of its tags."""

    tag: re.Pattern[str]
    needs: frozenset[str]
    begins: frozenset[str]
    once: frozenset[str]
    """Where one of these comes again after a blank line, another record has begun."""
    fields: Mapping[str, Get]
    """Fields of a document, and under an empty name what gives several of them."""
    read: frozenset[str]
    """What the fields do not tell of other tags is metadata."""
    ends: frozenset[str] = frozenset()
    by_line: frozenset[str] = frozenset()
    preface: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    names: str = ""

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """What each tag is called where `fields` ask for it."""
        return dict(pairs_of(self.names))


_OF_NLM = re.compile(r"medline|pubmed|nlm|cmedm|national library of medicine", re.IGNORECASE)
_UNSURE = ("C2", "C5", "N1")
"""Tags that hold a PMID, or a number of one's own."""


def pmid(tags: Tags) -> str | None:
    """From the accession number where PubMed gave the record, or where Scopus and Embase keep it."""
    databases = " ".join(value for name in ("DB", "DP", "C8") for value in tags[name])
    numbers = tags["AN"]
    if any("SCOPUS:" in number for number in numbers):
        databases += " Scopus"
    from_nlm = _OF_NLM.search(databases)
    places = [*numbers] if from_nlm or not databases.strip() else []
    places += [value for name in ("ID", "U1", "U2") for value in tags[name]] if from_nlm else []
    shown = [] if databases.strip() else [value for name in _UNSURE for value in tags[name]]
    unsure = [value for value in shown if len(value) > 6]  # a shorter number is anything
    places += tags["C5"] if "Embase" in databases else tags["C2"] if "Scopus" in databases else unsure
    parts = (part.strip() for place in places for part in place.split(";"))
    return next((part for part in parts if part.isdecimal() and len(part) <= 8), None)


def issue_date(tags: Tags) -> str | None:
    """DA, the date of the issue, decides where it has a year; else PY, as precise as a Y1 of the same year is."""
    issue, years = next(iter(tags["DA"]), ""), [v for name in ("PY", "Y1", "YR") for v in tags[name]]
    if year_in(issue) or (len(years) < 2 and not issue):
        return issue or next(iter(years), None)
    dated = [value for value in years if year_in(value)]
    if not dated:
        return years[0] if years else None
    dated += [f"{dated[0]} {issue}"] if issue else []
    same = (value for value in dated if year_in(value) == year_in(dated[0]))
    return max(same, key=lambda value: len(iso_date(value) or ""))
