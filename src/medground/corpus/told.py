"""What a build tells of its files: which were read, which were passed over and why, what their readers noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

_NAMES = 3
_GROUPS = 12


@dataclass(frozen=True)
class FileEntry:
    """One file of a snapshot: its name, the reader, and the reason if it could not be read."""

    name: str
    reader: str
    reason: str | None


@dataclass(frozen=True)
class SameId:
    """A document that several files hold, and the file whose version is kept."""

    id: str
    kept: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class FileReport:
    """All that there is to tell.

    Attributes:
        files: every file, in the order of reading.
        notes: what a reader noted, with the names of its files.
        same: documents that several files hold.
    """

    files: Sequence[FileEntry]
    notes: Mapping[str, Sequence[str]]
    same: Sequence[SameId]

    def lines(self, width: int = 11) -> Iterator[str]:
        """One line per group, the heading padded to `width`; every file is counted, the first of a group are named."""
        read: dict[str, int] = {}
        refused: dict[tuple[str, str], list[str]] = {}
        for file in self.files:
            if file.reason is None:
                read[file.reader] = read.get(file.reader, 0) + 1
            else:
                refused.setdefault((kind_of(file.name), file.reason), []).append(file.name)
        if read and len(self.files) > 1:
            yield f"{'read':<{width}} {', '.join(f'{count:,} {reader}' for reader, count in read.items())}"
        groups = sorted(refused.items(), key=lambda group: -len(group[1]))
        for (kind, reason), names in groups[:_GROUPS]:
            yield f"{'passed over':<{width}} {len(names):,} {kind}: {reason} ({_named(names)})"
        if rest := groups[_GROUPS:]:
            count = sum(len(names) for _, names in rest)
            yield f"{'passed over':<{width}} and {count:,} more; medground corpus files NAME lists them all"
        for text, told_by in self.notes.items():
            yield f"{'note':<{width}} {text} ({_named(told_by)})"
        if self.same:
            shown = "; ".join(f"{one.id} from {_short(one.kept)}" for one in self.same[:_NAMES])
            what = "id is" if len(self.same) == 1 else "ids are"
            yield f"{'same id':<{width}} {len(self.same):,} {what} in several files, and one version is kept: {shown}"


def kind_of(name: str) -> str:
    """The suffix of a file, as people call it: `.png`, `.xml.gz`; `without suffix`."""
    suffixes = PurePath(name).suffixes
    if suffixes[-1:] == [".gz"] and len(suffixes) > 1:
        return "".join(suffixes[-2:]).lower()
    return suffixes[-1].lower() if suffixes else "without suffix"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    return ", ".join(map(_short, names[:_NAMES])) + more


def _short(name: str) -> str:
    return PurePath(name).name
