"""What is reported of a corpus: its files, and what became of joining its documents."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from medground.corpus.records import Outcome
from medground.home.files import tables

# What a build tells of its files: which were read, which were skipped and why, what their readers noted.

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
    """All that there is to tell of the files, in the order of reading."""

    files: Sequence[FileEntry]
    notes: Mapping[str, Sequence[str]]
    """What a reader noted, with the names of its files."""
    same: Sequence[SameId]
    """Documents that several files hold."""

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
            yield f"{'skipped':<{width}} {len(names):,} {kind}: {reason} ({_named(names)})"
        if rest := groups[_GROUPS:]:
            count = sum(len(names) for _, names in rest)
            yield f"{'skipped':<{width}} and {count:,} more; medground corpus files NAME lists them all"
        for text, told_by in self.notes.items():
            yield f"{'note':<{width}} {text} ({_named(told_by)})"
        if self.same:
            shown = "; ".join(f"{one.id} from {PurePath(one.kept).name}" for one in self.same[:_NAMES])
            what = "id is" if len(self.same) == 1 else "ids are"
            yield f"{'same id':<{width}} {len(self.same):,} {what} in several files, and one version is kept: {shown}"


def kind_of(name: str) -> str:
    """The suffix of a file, as people call it: `.png`, `.xml.gz`; `without suffix`."""
    suffixes = PurePath(name).suffixes
    return "".join(suffixes[-2 if suffixes[-1:] == [".gz"] else -1 :]).lower() or "without suffix"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    return ", ".join(PurePath(name).name for name in names[:_NAMES]) + more


# What there is to tell of joining: one line for each source of records, and what became of each document.

_COUNTS = """
SELECT j.source, j.outcome, count(*), sum(d.retraction = 'retracted') FROM joins j
JOIN documents d ON d.id = j.id GROUP BY j.source, j.outcome
"""
_WHERE = "LEFT JOIN holds h ON h.id = j.id AND h.kept LEFT JOIN files f ON f.number = h.file"
_SOME = f"""
SELECT coalesce(f.name, j.id), j.detail FROM joins j {_WHERE}
WHERE j.source = ? AND j.outcome = ? ORDER BY j.id LIMIT {_NAMES}
"""  # noqa: S608 fixed text
_ALL = f"""
SELECT coalesce(f.name, ''), j.id, j.source, j.outcome, j.detail, json_extract(CAST(d.record AS TEXT), '$.joined')
FROM joins j JOIN documents d ON d.id = j.id {_WHERE} ORDER BY f.number, j.id, j.source
"""  # noqa: S608 fixed text
_WHAT: Mapping[Outcome, str] = tables("corpus", "joins")["documents"]
_WHY: Mapping[Outcome, str] = tables("corpus", "joins")["why"]


@dataclass(frozen=True)
class SourceReport:
    """What became of the documents of a corpus with one source of records, and why it could not be asked, if so."""

    name: str
    counts: Mapping[str, int]
    retracted: int
    """How many of the joined ones are retracted."""
    named: Mapping[str, Sequence[str]]
    """Some of the files by outcome."""
    reason: str = ""

    def line(self) -> str:
        """All of it in one line."""
        joined, total = self.counts.get("joined", 0), sum(self.counts.values())
        retracted = f" ({self.retracted:,} retracted)" if self.retracted else ""
        parts = [f"joined with {self.name}: {joined:,} of {total:,} documents{retracted}"]
        for outcome, what in _WHAT.items():
            if count := self.counts.get(outcome):
                files = ", ".join(self.named[outcome]) + " and others" * (count > len(self.named[outcome]))
                carry = "carries" if count == 1 else "carry"
                parts.append(f"{count:,} {what.format(files=files, reason=self.reason, carry=carry)}")
        return "; ".join(parts)


@dataclass(frozen=True)
class DocumentReport:
    """What became of one document with one source of records; `fields` are those that were filled."""

    file: str
    document: str
    source: str
    outcome: Outcome
    record: str
    fields: tuple[str, ...]

    def line(self) -> str:
        """All of it in one line."""
        if self.outcome != "joined":
            return f"not joined with {self.source}: {_WHY[self.outcome]}"
        return f"joined with {self.record} of {self.source}: {', '.join(self.fields) or 'it lacks nothing'}"


def source_reports(connection: sqlite3.Connection, names: Mapping[str, str]) -> Iterator[SourceReport]:
    """What became of the documents, for each source; `names` are what the user calls the sources, in order."""
    rows = connection.execute(_COUNTS).fetchall()
    for source, name in names.items():
        counts = {outcome: count for found, outcome, count, _ in rows if found == source}
        retracted = sum(n for found, outcome, _, n in rows if (found, outcome) == (source, "joined"))
        some = {outcome: connection.execute(_SOME, (source, outcome)).fetchall() for outcome in counts}
        named = {outcome: [PurePath(name).name for name, _ in found] for outcome, found in some.items()}
        reason = some["failed"][0][1] if "failed" in some else ""
        yield SourceReport(name, counts, retracted, named, reason)


def document_reports(connection: sqlite3.Connection) -> Iterator[DocumentReport]:
    """What became of each document with each source, by file."""
    for file, document, source, outcome, detail, joined in connection.execute(_ALL):
        notes = json.loads(joined) if joined else []
        fields = [field for note in notes if note["source"] == source for field in note["fields"]]
        yield DocumentReport(file, document, source, outcome, detail, tuple(fields))
