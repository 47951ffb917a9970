"""What the server needs from a corpus, and a corpus snapshot that gives it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from medground.corpus.manifest import Manifest
from medground.corpus.retraction import marked
from medground.corpus.store import Store
from medground.errors import UsageError
from medground.faces.eutils.records import Order, RecordsIndex
from medground.home.files import tables
from medground.pubmed.filters import all_of
from medground.pubmed.mapping import Mapper, with_journals
from medground.pubmed.mesh import vocabulary
from medground.pubmed.normalize import normalize
from medground.pubmed.other_syntax import from_other_service
from medground.pubmed.parser import apply_tag, parse_syntax
from medground.pubmed.printer import to_pubmed
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.tags import TagUse, read_tag
from medground.pubmed.translate import Translated, compiled
from medground.values.document import Document
from medground.values.query import (
    And,
    DateRange,
    Everything,
    Mesh,
    Not,
    Or,
    PublicationType,
    Query,
    Range,
    Term,
    Words,
    fold,
)
from medground.values.steps import Progress, no_progress

Check = Callable[[], None]
"""Called between two steps of long work; raises where it may not go on."""


@dataclass(frozen=True)
class Leaf:
    """A term of a translated query, and the number of records that match it."""

    term: str
    field: str
    count: int
    explode: bool


@dataclass(frozen=True)
class Reading:
    """How a query was interpreted: what PubMed shows of it, and what was repaired or ignored (`notes`)."""

    translation: str
    translations: tuple[tuple[str, str], ...] = ()
    """Words of the query and the terms they were mapped to."""
    stack: tuple[Leaf | str, ...] = ()
    """Terms and operators in postfix order."""
    not_found: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    """Quoted phrases that no record has, and whose words were searched instead."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matches:
    """The number of matching records, the requested PMIDs (bare numbers), and how the query was interpreted."""

    count: int
    ids: tuple[str, ...]
    reading: Reading


@dataclass(frozen=True)
class About:
    """Description of a catalogue. `fields` maps short names of search fields to full names."""

    name: str
    count: int
    updated: str
    fields: dict[str, str] = field(default_factory=dict)
    missing: str = ""
    """What no corpus holds of PubMed."""


Count = Callable[[Query], int]
_Stack = Sequence[Leaf | str]
_NEVER_A_PHRASE = (Range, DateRange, Everything)


def read(translated: Translated, notes: tuple[str, ...], unsupported: Sequence[str], count: Count) -> Reading:
    """Return the reading of a translated query. `count` returns the number of records that a part matches."""
    stack: _Stack = fold(translated.query, lambda leaf: [_leaf(leaf, count)], _joined, _either)
    missing = tuple(f"not available in this corpus: {name}" for name in unsupported)
    return Reading(
        translation=translated.text,
        translations=tuple((t.source, t.text) for t in translated.translations),
        stack=tuple(stack),
        not_found=tuple(dict.fromkeys(_not_found(translated, count))),
        absent=translated.absent,
        notes=(*notes, *translated.notes, *missing),
    )


def _joined(parts: Sequence[tuple[_Stack, bool]]) -> _Stack:
    """Terms and operators of an `And` in postfix order, with GROUP after them; those of a `Not` alone have none."""
    if len(parts) == 1 and parts[0][1]:
        return [*parts[0][0], "NOT"]
    stack = list(parts[0][0])
    for part, left_out in parts[1:]:
        stack += [*part, "NOT" if left_out else "AND"]
    return [*stack, "GROUP"]


def _either(parts: Sequence[_Stack], best: bool) -> _Stack:
    stack = list(parts[0])
    for part in parts[1:]:
        stack += [*part, "OR"]
    return [*stack, "GROUP"]


def _leaf(query: Query, count: Count) -> Leaf:
    text = to_pubmed(query)
    field = text.rpartition("[")[2].rstrip("]").partition(":")[0]
    explode = isinstance(query, Mesh | PublicationType) and query.explode
    return Leaf(term=text, field=field, count=count(query), explode=explode)


def _not_found(translated: Translated, count: Count) -> Iterator[str]:
    """Yield the concepts and other terms that match no record."""
    concepts = {translation.query: translation.source for translation in translated.translations}
    joined: dict[Query, list[And | Or]] = {}
    for concept in concepts:
        if isinstance(concept, And | Or):
            joined.setdefault(concept.parts[0], []).append(concept)
    for part in _parts(translated.query, concepts, joined):
        if not isinstance(part, _NEVER_A_PHRASE) and count(part) == 0:
            yield concepts.get(part) or _words(part)


def _parts(query: Query, concepts: dict[Query, str], joined: dict[Query, list[And | Or]]) -> Iterator[Query]:
    """Yield the concepts of the tree as wholes, and the terms outside them. `joined`: concepts by their first part."""
    if query in concepts:
        yield query
    elif isinstance(query, And | Or):
        # Joining has flattened concepts next to terms under the same operator.
        parts = dict.fromkeys(query.parts)
        starting = (concept for part in parts for concept in joined.get(part, ()))
        inside = [c for c in starting if type(c) is type(query) and parts.keys() >= set(c.parts)]
        taken = {part for concept in inside for part in concept.parts}
        yield from inside
        for part in query.parts:
            if part not in taken:
                yield from _parts(part, concepts, joined)
    elif isinstance(query, Not):
        yield from _parts(query.part, concepts, joined)
    else:
        yield query


def _words(leaf: Query) -> str:
    """Return the term as searched, without quotation marks and tag if it was untagged."""
    text = to_pubmed(leaf)
    plain = isinstance(leaf, Term) and leaf.field in ("all", None)
    return leaf.value if plain and isinstance(leaf, Term) else text


INDEX_FORMAT = 12
"""Version of the index, part of its path on disk. Increase it when the index fields change."""
_MOST_COUNTED = 5_000
"""Terms whose counts are kept, a few kB each."""
_MOST_HEADINGS = 10


def index_folder(manifest: Manifest, home: Path) -> Path:
    """Where the index of a snapshot is, once it is made."""
    return home / "cache" / "pubmed" / f"{manifest.hash}-{INDEX_FORMAT}"


class SnapshotCatalogue:
    """A corpus that can be searched like PubMed: one snapshot and an index of its records. Thread-safe."""

    def __init__(self, snapshot: Store, index: RecordsIndex) -> None:
        if index.records == 0:
            name = snapshot.manifest.name
            raise UsageError(f"corpus {name} has no PubMed records; serve a corpus built from MEDLINE XML")
        self._snapshot = snapshot
        self._index = index
        self._count = lru_cache(maxsize=_MOST_COUNTED)(index.count)
        self._journals = with_journals(index.journals())

    @classmethod
    def open(cls, snapshot: Store, home: Path, progress: Progress = no_progress) -> SnapshotCatalogue:
        """Open or build the index of a snapshot, under `home/cache/pubmed`."""
        folder = index_folder(snapshot.manifest, home)
        return cls(snapshot, RecordsIndex.open_or_build(folder, snapshot.all_records, progress))

    @property
    def about(self) -> About:
        """Description of the catalogue."""
        manifest = self._snapshot.manifest
        updated = f"{manifest.created:%Y/%m/%d %H:%M}"
        known = tables("faces/eutils", "fields")
        name, missing = f"{manifest.name}@{manifest.hash[:16]}", " ".join(known["missing"].split())
        return About(name, self._index.records, updated, known["fields"], missing)

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

    def raw(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the XML of records by PMID. Unknown PMIDs, and records from other files, are omitted."""
        keys = {each: f"PMID:{_plain(each)}" for each in ids}
        found = self._snapshot.raw_records(list(dict.fromkeys(keys.values())))
        return {each: found[key] for each, key in keys.items() if key in found}

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
        corrected = [self._corrected(word, check) or word for word in words]
        return " ".join(corrected) if corrected != words else None

    def _corrected(self, word: str, check: Check) -> str | None:
        check()
        if not (word.isalpha() and word.isascii()) or word.isupper() or self._index.has_word(word.casefold()):
            return None
        near = difflib.get_close_matches(word.casefold(), self._index.words_like(word.casefold()), n=1, cutoff=0.8)
        return near[0] if near else None

    def _read(self, term: str, field: str, check: Check) -> tuple[Translated, Reading]:
        def count(query: Query) -> int:
            check()
            return self._count(query)

        mapper = Mapper(vocabulary(), self._journals, lambda query: count(query) > 0)
        tag = read_tag(field) if field else None
        unknown = [f"Unknown field '{field[:40]}' ignored"] if tag is not None and tag.use is None else []
        query, note = from_other_service(term)
        term, notes = query or term, tuple(filter(None, [*unknown, note]))
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
        return translated, read(translated, notes, self._index.unsupported(translated.query), count)


def _translated(text: str, use: TagUse | None, mapper: Mapper) -> Translated:
    node = parse_syntax(text)
    return compiled(node if use is None else apply_tag(node, use), mapper=mapper)


def _plain(pmid: str) -> str:
    """Normalise `0021645374` to `21645374`."""
    return pmid.lstrip("0") if pmid.isascii() and pmid.isdigit() else pmid
