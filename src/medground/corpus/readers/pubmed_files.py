"""PubMed's baseline and update files: they hold each record several times, and only their order says which is right.

NLM numbers them through the year: `pubmed26n0001.xml.gz` and on, first the baseline, then the daily updates. A later
file adds records, revises them, and deletes them (`DeleteCitation`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from pathlib import PurePath
from typing import NamedTuple

from medground.corpus.readers.base import Input, Note
from medground.errors import BadDocument

_NAME = re.compile(r"(?:pubmed|medline)(\d\d)n(\d{4,6})\.xml(?:\.gz)?", re.IGNORECASE)
_OUT_OF_ORDER = "given out of order; PubMed's files are read in the order of their numbers, so that revisions come last"


class Release(NamedTuple):
    """The place of a file among all of NLM's: the year of its baseline, and its number."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"pubmed{self.year:02}n{self.number:04}"


def release_of(name: str) -> Release | None:
    """The release of a file with this name or path; None if it is not called as NLM calls them."""
    found = _NAME.fullmatch(PurePath(name).name)
    return Release(int(found[1]), int(found[2])) if found else None


def in_release_order(inputs: Sequence[Input]) -> list[Input]:
    """The same inputs, with PubMed's files among them in the order of their numbers.

    A file out of order tells so in a note. One that is given twice is passed over. Where numbers are missing between
    two files, the later tells which.
    """
    places: dict[int, Release] = {
        at: release
        for at, one in enumerate(inputs)
        if one.reader == "medline" and (release := release_of(one.name)) is not None
    }
    order = sorted(places, key=lambda at: (places[at], at))
    late = _late(list(places.values()))
    gaps = {after: before for before, after in pairwise(sorted(set(places.values()))) if _gap(before, after)}
    arranged = list(inputs)
    first: dict[Release, Input] = {}
    for slot, at in zip(places, order, strict=True):
        release, found = places[at], inputs[at]
        notes = [Note(_OUT_OF_ORDER)] if release in late else []
        if release in gaps and release not in first:
            notes.append(
                Note(f"the files between {gaps[release]} and {release} are missing; revisions in them are lost")
            )
        arranged[slot] = _twice(found, first[release], release) if release in first else _noting(found, notes)
        first.setdefault(release, found)
    return arranged


def _late(given: Sequence[Release]) -> set[Release]:
    """Those that were given after one that follows them."""
    late: set[Release] = set()
    highest: Release | None = None
    for release in given:
        if highest is not None and release < highest:
            late.add(release)
        highest = release if highest is None else max(highest, release)
    return late


def _gap(before: Release, after: Release) -> bool:
    return before.year == after.year and after.number > before.number + 1


def _twice(source: Input, first: Input, release: Release) -> Input:
    refusal = BadDocument(f"PubMed's {release} is given twice; it is read as {first.name}", file=source.name)
    return replace(source, read=lambda skip: iter([refusal][skip:]), refused=refusal)


def _noting(source: Input, notes: Sequence[Note]) -> Input:
    if not notes:
        return source
    return replace(source, read=lambda skip: islice(chain(source.read(0), notes), skip, None))
