"""Serve a corpus snapshot as a catalogue."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from medground.corpus.snapshot import Snapshot
from medground.document import Document
from medground.errors import UsageError
from medground.progress import Progress, no_progress
from medground.pubmed import QuerySyntaxError, Translated, normalize, to_pubmed
from medground.pubmed.combine import all_of
from medground.pubmed.journals import with_journals
from medground.pubmed.mapping import Mapper
from medground.pubmed.mesh import vocabulary
from medground.pubmed.parser import apply_tag, parse_syntax
from medground.pubmed.records_index import Order, RecordsIndex
from medground.pubmed.server.catalogue import About, Check, Matches, Reading
from medground.pubmed.server.reading import read
from medground.pubmed.tags import TagUse, read_tag
from medground.pubmed.translate import compiled
from medground.query import Everything, Mesh, Or, Query, Words
from medground.retraction import marked

INDEX_FORMAT = 4
"""Version of the index, part of its path on disk. Increase it when the index fields change."""
_MOST_COUNTED = 5_000
"""Terms whose counts are kept, a few kB each."""
_MOST_HEADINGS = 10
_FIELDS = MappingProxyType(
    {
        "ALL": "All Fields",
        "UID": "UID",
        "FILT": "Filter",
        "TITL": "Title",
        "TIAB": "Title/Abstract",
        "WORD": "Text Word",
        "MESH": "MeSH Terms",
        "MAJR": "MeSH Major Topic",
        "SUBH": "MeSH Subheading",
        "AUTH": "Author",
        "FAUT": "Author - First",
        "LAUT": "Author - Last",
        "JOUR": "Journal",
        "PTYP": "Publication Type",
        "LANG": "Language",
        "OTRM": "Other Term",
        "PDAT": "Date - Publication",
        "EDAT": "Date - Entry",
        "CRDT": "Date - Create",
        "MDAT": "Date - Modification",
    }
)


class SnapshotCatalogue:
    """A corpus that can be searched like PubMed: one snapshot and an index of its records. Thread-safe.

    Args:
        snapshot: the snapshot to search; the caller closes it.
        index: the index of its records.
    """

    def __init__(self, snapshot: Snapshot, index: RecordsIndex) -> None:
        if index.records == 0:
            name = snapshot.manifest.name
            raise UsageError(f"corpus {name} has no PubMed records; serve a corpus built from MEDLINE XML")
        self._snapshot = snapshot
        self._index = index
        self._count = lru_cache(maxsize=_MOST_COUNTED)(index.count)
        self._journals = with_journals(index.journals())

    @classmethod
    def open(cls, snapshot: Snapshot, home: Path, progress: Progress = no_progress) -> SnapshotCatalogue:
        """Open or build the index of a snapshot, under `home/cache/pubmed`.

        Raises:
            UsageError: the corpus has no PubMed records.
            SnapshotCorrupt: the snapshot cannot be read.
            StorageFailed: the disk refused a write.
        """
        folder = home / "cache" / "pubmed" / f"{snapshot.manifest.hash}-{INDEX_FORMAT}"
        return cls(snapshot, RecordsIndex.open_or_build(folder, snapshot.all_documents, progress))

    @property
    def about(self) -> About:
        """Description of the catalogue."""
        manifest = self._snapshot.manifest
        updated = f"{manifest.created:%Y/%m/%d %H:%M}"
        return About(f"{manifest.name}@{manifest.hash[:16]}", self._index.records, updated, dict(_FIELDS))

    def search(
        self, term: str, within: Query | None, order: Order, *, start: int, limit: int, check: Check, field: str = ""
    ) -> Matches:
        """Search with PubMed query syntax, restricted to `within`. An invalid query is repaired, with a note.

        `field` is the tag for words without one. `check` is called for each term.
        """
        translated, reading = self._read(term, field, check)
        query = translated.query
        if within is not None:
            query = all_of([query, within])
            reading = replace(reading, translation=to_pubmed(query))
        found = self._index.search(query, order=order, start=start, limit=limit)
        return Matches(found.count, found.ids, reading)

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return records by PMID. Unknown PMIDs are omitted."""
        keys = {each: f"PMID:{_plain(each)}" for each in ids}
        found = self._snapshot.documents(list(dict.fromkeys(keys.values())))
        return {each: marked(found[key]) for each, key in keys.items() if key in found}

    def known(self, ids: Sequence[str]) -> list[str]:
        """Return the PMIDs that exist in the snapshot."""
        records = self.fetch(ids)
        return [each for each in ids if each in records]

    def similar(self, pmid: str, limit: int) -> list[tuple[str, float]]:
        """Return the records that share the most title words and main headings, starting with the record itself."""
        record = self.fetch([pmid]).get(pmid)
        if record is None:
            return []
        headings = sorted(record.mesh, key=lambda h: not (h.major or h.major_qualifiers))[:_MOST_HEADINGS]
        parts = [Words(text=record.title, field="text_word")]
        query = Or(parts=(*parts, *(Mesh(heading=h.descriptor, explode=False) for h in headings)))
        scored = self._index.scored(query, limit + 1)
        best = max((score for _, score in scored), default=1.0)
        others = [(other, score / best) for other, score in scored if other != pmid]
        return [(pmid, 1.0), *others][:limit]

    def spelling(self, term: str, check: Check) -> str | None:
        """Return the query with unknown words replaced by the most similar indexed words, or None if unchanged."""
        words = term.split()
        corrected = []
        for word in words:
            check()
            corrected.append(self._corrected(word) or word)
        return " ".join(corrected) if corrected != words else None

    def _corrected(self, word: str) -> str | None:
        if not (word.isalpha() and word.isascii()) or word.isupper() or self._index.has_word(word.casefold()):
            return None
        near = difflib.get_close_matches(word.casefold(), self._index.words_like(word.casefold()), n=1, cutoff=0.8)
        return near[0] if near else None

    def _read(self, term: str, field: str, check: Check) -> tuple[Translated, Reading]:
        def has_author(name: str) -> bool:
            check()
            return self._index.has_author(name)

        def count(query: Query) -> int:
            check()
            return self._count(query)

        mapper = Mapper(vocabulary(), self._journals, has_author)
        tag = read_tag(field) if field else None
        notes = (f"Unknown field '{field[:40]}' ignored",) if tag is not None and tag.use is None else ()
        use = None if tag is None else tag.use
        try:
            translated = _translated(term, use, mapper)
        except QuerySyntaxError:
            repaired = normalize(term, mapper=mapper)
            if isinstance(repaired.query, Everything):
                nothing = Translated(query=Or(parts=(Words(text=""),)))
                repairs = tuple(note for note in repaired.notes if "everything is searched" not in note)
                return nothing, Reading(translation=term, not_found=(term,), notes=(*notes, *repairs))
            notes = (*notes, *repaired.notes, f"searched for: {repaired.text}")
            translated = _translated(repaired.text, use, mapper)
        if isinstance(translated.query, Everything):
            return translated, Reading(translation=translated.text, notes=notes)
        return translated, read(translated, notes, count)


def _translated(text: str, use: TagUse | None, mapper: Mapper) -> Translated:
    node = parse_syntax(text)
    return compiled(node if use is None else apply_tag(node, use), mapper=mapper)


def _plain(pmid: str) -> str:
    """Normalise `0021645374` to `21645374`."""
    return pmid.lstrip("0") if pmid.isascii() and pmid.isdigit() else pmid
