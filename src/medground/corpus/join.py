"""The phase of a build that joins documents with their records. Texts stay, so it comes before they are cut."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from medground.corpus.library import Library
from medground.corpus.manifest import Enriched
from medground.corpus.records import Records, are_one, decide, merged, one_record, sureness
from medground.corpus.store import Store
from medground.corpus.writer import DatabaseWriter
from medground.errors import MedgroundError, SourceUnavailable, UsageError, needing
from medground.home.concurrency import OwnLoop
from medground.home.settings import Settings
from medground.language.clean import without_accents
from medground.pubmed.characters import letters_of
from medground.values.document import Document
from medground.values.grouping import grouped
from medground.values.steps import Progress

_BATCH = 200


def join_records(
    database: DatabaseWriter,
    sources: Sequence[Records],
    progress: Progress,
    before: Sequence[Enriched] = (),
    *,
    anew: bool,
) -> None:
    """Ask the sources, in their order, for the records of all documents for which they have not answered yet.

    A source that is in another state than `before` is asked for all documents; with `anew`, each source is.

    A document of which a source that is no longer among them had filled fields becomes as its file has it, and is then
    filled by the others. What one source fills, the next finds filled. Each batch is committed, so that work that was
    stopped goes on where it was. What a source raises but SourceUnavailable is raised.
    """
    names = [source.source for source in sources]
    states = {entry.source: entry.state for entry in before}
    if not database.state("asked anew"):
        for source in sources:
            if anew or states.get(source.source, source.state) != source.state:
                database.joins.ask_again(source.source)
        database.set_state("asked anew", 1)
    what = f"join with {', '.join(source.name for source in sources)}" if sources else "forget records"
    failed: dict[str, str] = {}
    total, done, last = database.count(), 0, 0
    with OwnLoop() as loop:
        try:
            while batch := database.joins.waiting(names, last, _BATCH):
                _join_batch(database, sources, [document for _, document in batch], failed, loop)
                database.commit()
                last, done = batch[-1][0], done + len(batch)
                progress(what, done, total)
        finally:
            for source in sources:
                loop.wait(source.close())


def _join_batch(
    database: DatabaseWriter,
    sources: Sequence[Records],
    stored: Sequence[Document],
    failed: dict[str, str],
    loop: OwnLoop,
) -> None:
    owned = [database.own_version(document) for document in stored]
    filled = [*owned]
    for source in sources:
        found = _found(source, filled, failed, loop)
        for row, document in enumerate(filled):
            outcome, record = ("failed", None) if found is None else decide(document, found[row])
            if not document.paper:
                outcome = "no id"
            detail = failed[source.source] if outcome == "failed" else record.id if record else ""
            database.joins.note(document.id, source.source, outcome, detail)
            if record is not None:
                filled[row] = merged(document, record, source.source)
    for before, own, after in zip(stored, owned, filled, strict=True):
        if not any(note.source in failed for note in before.joined):  # what a source had filled stays until it answers
            database.amend(before, own, after)
        database.joins.drop_others(before.id, [source.source for source in sources])


def _found(
    source: Records, documents: Sequence[Document], failed: dict[str, str], loop: OwnLoop
) -> list[tuple[Document, ...]] | None:
    """What a source finds for each document; None if it cannot be asked. One that failed is not asked again."""
    if source.source in failed:
        return None
    try:
        return loop.wait(source.find(documents))
    except SourceUnavailable as error:
        failed[source.source] = error.reason
        return None


class CorpusRecords:
    """The documents of a corpus, found by their ids."""

    def __init__(self, library: Library, name: str) -> None:
        self.name = name
        self.source = f"corpus:{name}"
        self.state = library.info(name).hash
        self._library = library
        self._snapshot: Store | None = None

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        """For each document, the records that share a PMID, PMC id or DOI with it.

        Raises SnapshotCorrupt: the corpus has changed since it was built.
        """

        def found() -> list[tuple[Document, ...]]:
            if self._snapshot is None:
                self._snapshot = self._library.open(self.name)
            return [self._snapshot.identified(document.paper) for document in documents]

        return await asyncio.to_thread(found)

    async def close(self) -> None:
        """Close the corpus; the next `find` opens it again."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None


PUBMED = "pubmed"
"""PubMed as the settings have it: live, or the address in `retrieval.pubmed`."""
_OPENS_PUBMED = "medground.sources.pubmed.source:open_records"
"""Named and not imported: PubMed's client stands above the corpora, and is slow to import."""
NONE = "none"
"""No source: documents become as their files have them."""


def open_records(library: Library, name: str, sources: Sequence[str]) -> list[Records]:
    """The sources of records for a corpus, in the order of their names.

    They are called by the names of other corpora, `pubmed`, `live` or the address of a PubMed service; `none` alone is
    for none. The email and the key for PubMed are those of `Settings.load()`.

    Raises UsageError: no corpus has such a name, or a corpus is to be enriched from itself; ConfigError: an address is
    not valid, or PubMed needs a package that is not installed.
    """
    wanted = dict.fromkeys(PUBMED if source == "live" else source for source in sources)
    if NONE in wanted:
        if len(wanted) > 1:
            raise UsageError("none cannot be combined with other sources of records")
        return []
    return [_opened(library, name, source) for source in wanted]


def remembered(library: Library, name: str) -> list[Records]:
    """The sources of records that a corpus remembers. One that is gone is there, and cannot be asked."""
    found: list[Records] = []
    for entry in library.info(name).enriched:
        try:
            found.append(_opened(library, name, entry.name))
        except MedgroundError:
            found.append(_Gone(entry.name, entry.source, entry.state))
    return found


@dataclass
class _Gone:
    """A source of records that cannot be opened any more."""

    name: str
    source: str
    state: str

    async def find(self, documents: Sequence[Document]) -> list[tuple[Document, ...]]:
        raise SourceUnavailable("it is no longer there", source=self.source)

    async def close(self) -> None:
        return None


def _opened(library: Library, name: str, source: str) -> Records:
    if source == PUBMED or "://" in source:
        module, _, function = _OPENS_PUBMED.partition(":")
        with needing("services", f"source {PUBMED!r}"):
            opened: Records = getattr(import_module(module), function)(source, Settings.load())
        return opened
    if source == name:
        raise UsageError(f"corpus {name} cannot be enriched from itself; name another corpus, or pubmed")
    if source in library.list():
        return CorpusRecords(library, source)
    from rapidfuzz import fuzz, process

    known = [PUBMED, *(corpus for corpus in library.list() if corpus != name)]
    near = [match for match, _, _ in process.extract(source, known, scorer=fuzz.WRatio, limit=3, score_cutoff=60)]
    advice = f"the nearest: {', '.join(near)}" if near else f"use one of {', '.join(known[:20])}"
    raise UsageError(f"no corpus {source[:80]!r} to enrich from; {advice}")


# One paper told by several exports is one document: the fuller record, with what it lacks filled from the others.

_UNSURE = ("PMC", "DOI", "REF")
"""Ids of records that do not tell their PMID; another export may."""
_LEAST_LETTERS = 25
"""Letters of a title that no two papers of one author and year share by chance."""


def unite(database: DatabaseWriter) -> None:
    """Make one document of each paper whose records have different ids, because one export tells fewer than another."""
    wanted = {key for prefix in _UNSURE for row in database.files.tellings(f"{prefix}:*") for key in _keys(*row)}
    rows = database.files.tellings() if wanted else ()
    found = grouped((key, row[0]) for row in rows for key in wanted.intersection(_keys(*row)))
    instead: dict[str, str] = {}
    for ids in found.values():
        kept, *others = sorted({instead.get(one, one) for one in ids}, key=sureness)
        for other in others:
            one, two = database.own_record(kept), database.own_record(other)
            if one and two and are_one(one, two):
                database.unite(one, two, one_record(one, two))
                instead = {a: kept if b == other else b for a, b in instead.items()} | {other: kept}


def _keys(name: str, title: str, year: int | None, author: str | None, *ids: str | None) -> Iterator[tuple[str, ...]]:
    """What tells that two records may be of one paper: an id, or else title, year and a name of the first author. A
    paper that is printed in the year after it was online has two years.
    """
    yield from ((one,) for one in ids if one)
    if year and author and len(letters := letters_of(without_accents(title))) >= _LEAST_LETTERS:
        for name in re.findall(r"\w{2,}", without_accents(author).casefold()):
            yield from ((letters, str(printed), name) for printed in (year, year + 1))
