"""Walk a folder, and put PubMed's files in their order."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import NamedTuple

from medground.corpus.readers.base import Input, Item, Note
from medground.errors import BadDocument

# Walk a folder as people have it: every file is either a candidate or skipped with a reason.

_HIDDEN = "a hidden file"
_OUTSIDE = "the link points outside the folder; copy its target into the folder"
_INSIDE = "a link to a file or folder that is read where it is"
_BROKEN = "the link is broken"
_MISNAMED = "the name is not UTF-8, so it cannot be stored; rename it"
_NOTES = ("readme", "license", "licence", "changelog", "contributing")
_SYSTEM = frozenset(["desktop.ini", "thumbs.db"])


def walk(folder: Path, inside: Path | None = None) -> Iterator[Path | BadDocument]:
    """Every file at any depth, in the order of names. Links are not followed, so a circle of links does no harm.

    A hidden folder, and a folder that cannot be read, is skipped as one. `inside` is the outermost folder.
    """
    inside = inside or folder.resolve()
    reason: str | None
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        reason = f"the folder cannot be read ({error.strerror or error}); check its permissions"
        yield BadDocument(reason, file=folder, passing=True)
        return
    for entry in entries:
        path = Path(entry.path)
        if misnamed := refused_name(path):
            yield misnamed
        elif reason := _beside(entry) or _link(entry, path, inside):
            yield BadDocument(reason, file=entry.path)
        elif entry.is_dir(follow_symlinks=False):
            yield from walk(path, inside)
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            yield BadDocument("not a file: a pipe, a socket or a device", file=entry.path)


def refused_name(path: Path) -> BadDocument | None:
    """Why a path with bytes in its name that are not UTF-8 is skipped, with these bytes written out; else None."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return BadDocument(_MISNAMED, file=os.fsencode(path).decode("utf-8", "backslashreplace"))
    return None


def is_beside_the_point(refusal: BadDocument) -> bool:
    """Whether a file was skipped for being no document at all: hidden, or notes of the folder itself."""
    return refusal.reason.startswith((_HIDDEN, _INSIDE, "notes on the folder", "a file of the system"))


def _beside(entry: os.DirEntry[str]) -> str | None:
    name = entry.name.lower()
    if name.startswith("."):
        return _HIDDEN + (", a folder" if entry.is_dir(follow_symlinks=False) else "")
    if name in _SYSTEM:
        return "a file of the system"
    if name.partition(".")[0] in _NOTES and entry.is_file(follow_symlinks=False):
        return "notes on the folder; name the file to read it"
    return None


def _link(entry: os.DirEntry[str], path: Path, inside: Path) -> str | None:
    if not entry.is_symlink():
        return None
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # it leads nowhere, or in a circle
        return _BROKEN
    return _INSIDE if target.is_relative_to(inside) else _OUTSIDE


# PubMed's baseline and update files: they hold each record several times, and only their order says which is right.

_NAME = re.compile(r"(?i)(?:pubmed|medline)(\d\d)n(\d{4,6})\.xml(?:\.gz)?")


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
    """The same inputs, with PubMed's files among them in the order of their numbers, so that revisions come last.

    Where numbers are missing between two files, the later tells which.
    """
    releases = {at: release_of(one.name) for at, one in enumerate(inputs) if one.reader == "medline"}
    places = {at: release for at, release in releases.items() if release is not None}
    arranged = list(inputs)
    before: Release | None = None
    for slot, (release, at) in zip(places, sorted((release, at) for at, release in places.items()), strict=True):
        arranged[slot] = inputs[at]
        if before and before.year == release.year and release.number > before.number + 1:
            note = Note(f"the files between {before} and {release} are missing; revisions in them are lost")
            arranged[slot] = replace(inputs[at], read=partial(_with_note, inputs[at], note))
        before = release
    return arranged


def _with_note(source: Input, note: Note, skip: int) -> Iterator[Item]:
    return islice(chain(source.read(0), [note]), skip, None)
