"""Records of documents: where they come from, whether one is the right one, what it fills, what became of it."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from medground.corpus.tables import decode, digest_of_rows
from medground.values.document import Document, Joined, Retraction
from medground.values.identifiers import KINDS

Outcome = Literal["joined", "no id", "not found", "title", "several", "failed"]
"""`no id`: the document carries no PMID, PMC id or DOI. `title`: the record found has another title. `several`: more
than one record matches. `failed`: the source could not be searched, and is asked again the next time."""


class Records(Protocol):
    """A source of records by their ids."""

    name: str
    """What the user calls it: a corpus, `pubmed` or an address. The corpus that is enriched remembers it."""
    source: str
    """Its name in provenance: `corpus:medline`, `pubmed:live`."""
    state: str
    """Changes when its records do; empty if that cannot be known."""

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises SourceUnavailable: it could not be asked.
        """
        ...

    async def close(self) -> None:
        """Close files and connections; the next `find` opens them again."""
        ...


# Whether a record is the one of a document: their titles decide, because a PDF may show the DOI of another paper.

_ALIKE = 75.0
"""Titles with this share of letters in common, in order, are those of one paper."""
_SURE = 95.0
"""Below this, the years must agree too."""
_YEARS_APART = 1
"""A paper that is online in one year may be printed in the next."""
_BEGINNING = 25
"""So many letters of a title are enough to recognise it where the other has its subtitle, too."""
_NO_TITLE = 20
"""What has fewer letters may be the heading of a journal ("Research article"): the text is looked at, too."""
_SHOWN = 40
"""A title of so many letters is recognised at the start of a text."""
_START = 2000
"""Characters."""
_PREFIX = re.compile(r"(?i)\W*(?:retracted|withdrawn)(?: article| paper)?\s*[:\]]")
_TRANSLATED = re.compile(r"\s*\[.*\]\W*", re.DOTALL)


def decide(document: Document, matches: Sequence[Document]) -> tuple[Outcome, Document | None]:
    """The record of a document among those that share an id with it, or why there is none."""
    names = set(document.paper)
    if not names:
        return "no id", None
    if not matches:
        return "not found", None
    agreeing = [record for record in matches if agrees(document, record)]
    if not agreeing:
        return "title", None
    common = {r.id: (len(names & set(r.paper)), r.id.startswith("PMID:")) for r in agreeing}
    best = max(common.values())
    chosen = [record for record in agreeing if common[record.id] == best]
    return ("joined", chosen[0]) if len(chosen) == 1 else ("several", None)


def agrees(document: Document, record: Document) -> bool:
    """Whether the title of a record does not plainly disagree with what a document says."""
    from rapidfuzz import fuzz  # imported late: an answer from the graph compares no records

    own, other = _letters(document.title), _letters(record.title)
    if not other:
        return True
    shown = len(own) < _NO_TITLE and len(other) >= _SHOWN
    if shown and fuzz.partial_ratio(other, _letters(document.text[:_START])) >= _SURE:
        return True
    if not own:
        return not document.lines  # the ids of a PDF are read off its first page, so a title must confirm them
    alike = fuzz.ratio(own, other)
    short, long = sorted((own, other), key=len)
    if alike >= _SURE or (len(short) >= _BEGINNING and long.startswith(short)):
        return True
    if _TRANSLATED.fullmatch(record.title) and alike < _ALIKE:
        return bool(_families(document) & _families(record))
    together = document.year is None or record.year is None or abs(document.year - record.year) <= _YEARS_APART
    return together and alike >= _ALIKE


def _families(document: Document) -> set[str]:
    return {_letters(re.split(r"[\s,]", author.strip())[0]) for author in document.authors} - {""}


def _letters(title: str) -> str:
    return re.sub(r"[\W_]+", "", _PREFIX.sub("", title, count=1).casefold())


# Fill what a document lacks from its record. What the file says stays: its text, its title, every field it has.

_FILLED = ("title", "journal", "authors", "year", "language", "url", "mesh", "keywords", "substances", "references")
_BY_NAME = ("imprint", "dates")
_ADDED = ("publication_types", "cautions")
"""Lists to which the record adds what they do not hold: a file that says `research-article` names no design."""
_SUREST = ("PMID", "PMC", "DOI", "REF")
_GRAVITY: tuple[Retraction, ...] = ("none", "concern", "notice", "retracted")
FIELDS = (*_FILLED, "identifiers", *_BY_NAME, *_ADDED, "retraction", "joined")
"""All fields that a record may change."""


def merged(document: Document, record: Document, source: str) -> Document:
    """The document with what the record of a source, such as `corpus:medline`, adds, and a note of it; the same
    document if the record adds nothing.
    """
    changes: dict[str, Any] = {}
    noted: list[str] = []
    for name in _FILLED:
        if not getattr(document, name) and (value := getattr(record, name)):
            changes[name] = value
            noted.append(name)
    ids = dict(name.split(":", 1) for name in record.paper)
    given: dict[str, Mapping[str, str]] = {"identifiers": {kind: ids[kind] for kind in KINDS if kind in ids}}
    given |= {name: getattr(record, name) for name in _BY_NAME}
    if None not in (document.year, record.year) and document.year != record.year:
        given["dates"] = {}  # they would contradict the year of the file
    for name, values in given.items():
        own = getattr(document, name)
        if new := {key: value for key, value in values.items() if key not in own}:
            changes[name] = {**own, **new}
            noted += [f"{name}.{key}" for key in new]
    for name in _ADDED:
        own = getattr(document, name)
        known = {value.casefold() for value in own}
        if new_values := [value for value in getattr(record, name) if value.casefold() not in known]:
            changes[name] = (*own, *new_values)
            noted.append(name)
    if _GRAVITY.index(record.retraction) > _GRAVITY.index(document.retraction):
        changes["retraction"] = record.retraction
        noted.append("retraction")
    if not noted:
        return document
    note = Joined(record=record.id, source=source, fields=tuple(noted))
    return document.replace(**changes, joined=(*document.joined, note))


def one_record(one: Document, other: Document) -> Document:
    """The fuller of two records of a paper, or else `one`, with the surer id and what it lacks from the other."""
    fuller, less = (other, one) if fullness(other) > fullness(one) else (one, other)
    surest = min(one, other, key=lambda document: sureness(document.id))
    changes: dict[str, Any] = {"id": surest.id, "url": surest.url or less.url or fuller.url, "joined": fuller.joined}
    return merged(fuller, less, "").replace(**changes, metadata={**less.metadata, **fuller.metadata})


def are_one(one: Document, other: Document) -> bool:
    """Whether two records that share an id, or else title and author, are of one paper: not a chapter and its book, nor
    two with one DOI, nor reports of two years with different abstracts.
    """
    ids = [(one.identifiers.get(kind), other.identifiers.get(kind)) for kind in ("pmid", "doi")]
    starts = {_letters(record.text)[:_SHOWN] if fullness(record) else record.id for record in (one, other)}
    together = one.year == other.year or len(starts) == 1 or not {*one.paper}.isdisjoint(other.paper)
    return one.kind == other.kind and together and agrees(one, other) and all(a == b for a, b in ids if a and b)


def same_work(before: Document, document: Document) -> bool:
    """Whether a record of a file is a later version of one before it. One that was named after its content is only if
    their texts go together: a title, a year and an author may be those of two chapters."""
    if before.id.startswith("REF:") and before.text not in document.text and document.text not in before.text:
        return False
    return agrees(before, document)


def fullness(document: Document) -> int:
    """Characters of its text; 0 where that is the title alone."""
    return 0 if _letters(document.text) == _letters(document.title) else len(document.text)


def sureness(document_id: str) -> tuple[int, str]:
    """How surely an id tells a paper, the surest first."""
    prefix = document_id.partition(":")[0]
    return (_SUREST.index(prefix) if prefix in _SUREST else -1, document_id)


def difference(own: Document, joined: Document) -> str:
    """The file's values of the fields that a record changed, as JSON; `restored` puts them back."""
    before = own.model_dump(mode="json", include=set(FIELDS))
    after = joined.model_dump(mode="json", include=set(FIELDS))
    return json.dumps({name: value for name, value in before.items() if value != after[name]}, ensure_ascii=False)


def restored(joined: Document, difference: str) -> Document:
    """The document as its file has it."""
    return Document.model_validate({**joined.model_dump(mode="json"), **json.loads(difference)})


class JoinTable:
    """What became of each document. Shares the connection, and so the transactions, of the database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute

    def note(self, document_id: str, source: str, outcome: Outcome, detail: str) -> None:
        """Note what became of asking a source for a document; the id of the record, or the reason of a failure."""
        values = (document_id, source, outcome, detail)
        self._execute("INSERT OR REPLACE INTO joins VALUES (?, ?, ?, ?)", values)

    def waiting(self, sources: Sequence[str], after: int, limit: int) -> list[tuple[int, Document]]:
        """The next documents, by row number, that one of the sources is still to be asked for, or others were."""
        if not sources and not self._execute("SELECT EXISTS (SELECT 1 FROM joins)").fetchone()[0]:
            return []  # without looking at every document
        waits, values = _waits(sources)
        query = f"SELECT d.number, d.record, d.digest FROM documents d WHERE d.number > ? AND {waits}"  # noqa: S608
        rows = self._execute(f"{query} ORDER BY d.number LIMIT ?", (after, *values, limit)).fetchall()
        return [(number, decode(record, digest)) for number, record, digest in rows]

    def drop_others(self, document_id: str, sources: Sequence[str]) -> None:
        """Forget what became of asking sources that are no longer asked."""
        marks = ", ".join("?" * len(sources))
        query = f"DELETE FROM joins WHERE id = ? AND source NOT IN ({marks})"  # noqa: S608
        self._execute(query, (document_id, *sources))

    def ask_again(self, source: str) -> None:
        """Let all documents wait for a source again; what was joined stays until it answers."""
        self._execute("UPDATE joins SET outcome = 'failed' WHERE source = ?", (source,))

    def own(self, document_id: str) -> tuple[bytes, str] | None:
        """The digest of what the file of a joined document says, and the fields in which it differs, as JSON."""
        query = "SELECT digest, fields FROM own WHERE id = ?"
        row: tuple[bytes, str] | None = self._execute(query, (document_id,)).fetchone()
        return row

    def keep_own(self, document_id: str, own: tuple[bytes, str] | None) -> None:
        """Keep what the file of a joined document says; None for one that is as its file has it."""
        self._execute("DELETE FROM own WHERE id = ?", (document_id,))
        if own is not None:
            self._execute("INSERT INTO own VALUES (?, ?, ?)", (document_id, *own))

    def forget(self, document_id: str) -> None:
        """Forget a document that was deleted or replaced."""
        self._execute("DELETE FROM joins WHERE id = ?", (document_id,))
        self.keep_own(document_id, None)

    def joined_with(self, record_id: str) -> Iterator[str]:
        """Ids of the documents that were joined with a record."""
        query = "SELECT DISTINCT id FROM joins WHERE outcome = 'joined' AND detail = ?"
        yield from [row[0] for row in self._execute(query, (record_id,))]

    def digest(self) -> str:
        """Hash of what became of all documents; empty if none was ever asked for."""
        rows = self._execute("SELECT id, source, outcome, detail FROM joins ORDER BY id, source").fetchall()
        return digest_of_rows(rows) if rows else ""


def count_waiting(connection: sqlite3.Connection, sources: Sequence[str]) -> int:
    """How many documents one of the sources is still to be asked for, or others were."""
    waits, values = _waits(sources)
    return int(connection.execute(f"SELECT count(*) FROM documents d WHERE {waits}", values).fetchone()[0])  # noqa: S608


def _waits(sources: Sequence[str]) -> tuple[str, tuple[str | int, ...]]:
    """The condition that a document `d` waits, and its values."""
    marks = ", ".join("?" * len(sources))
    done = f"SELECT count(*) FROM joins j WHERE j.id = d.id AND j.outcome != 'failed' AND j.source IN ({marks})"  # noqa: S608
    others = f"SELECT 1 FROM joins j WHERE j.id = d.id AND j.source NOT IN ({marks})"  # noqa: S608
    return f"(({done}) < ? OR EXISTS ({others}))", (*sources, len(sources), *sources)
