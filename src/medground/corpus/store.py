"""The contract of a corpus, wherever it is kept: what a question needs of it. Nothing here knows of a folder."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from medground.corpus.lexical_fields import ANALYSES, METADATA, METADATA_NAME, described
from medground.corpus.manifest import EmbeddingEntry, Manifest
from medground.corpus.tables import encode
from medground.errors import UsageError
from medground.values.answer import SnapshotReference
from medground.values.document import Document, Hit, Passage
from medground.values.query import Filters, Query, Term, any_of
from medground.values.source_plan import SourceDescription
from medground.values.steps import Progress, no_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medground.corpus.snapshot import Snapshot

NO_FILTERS = Filters()
_BATCH = 1000
_MOST_FIELDS, _FEW_VALUES = 10_000, 8


class Store(ABC):
    """One snapshot of a corpus, whole and opened for reading. Safe to use from several threads.

    It shows the same snapshot until it is closed, whatever is published meanwhile; `name` is what answers call its
    corpus. All methods raise SnapshotCorrupt where what is stored has changed since its build, and SourceUnavailable
    where a place elsewhere cannot be asked.
    """

    def __init__(self, manifest: Manifest, name: str = "") -> None:
        self.manifest = manifest
        self.name = name or manifest.name

    @property
    def reference(self) -> SnapshotReference:
        """How answers refer to it."""
        return SnapshotReference(name=self.name, hash=self.manifest.hash)

    @property
    def embedding(self) -> str | None:
        """Identity of the model that made its vectors, which `dense` searches; None where it has none."""
        return self.manifest.embedding.identity if self.manifest.embedding else None

    def vectors_made(self) -> EmbeddingEntry:
        """The model that made its vectors; UsageError if it has none."""
        if self.manifest.embedding is None:
            raise UsageError(
                f"corpus {self.name} was built without vectors; rebuild it with [[--embed minilm|them|them]]"
            )
        return self.manifest.embedding

    @property
    def described(self) -> SourceDescription | None:
        """What it holds, for a planner of sources; None where it was built without a description."""
        return self.manifest.described

    @property
    def fields(self) -> frozenset[str]:
        """Names of the metadata fields of its documents."""
        return frozenset(self._terms(METADATA_NAME, "", _MOST_FIELDS))

    @abstractmethod
    def bm25(self, query: Query, limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """The passages that match the query tree, ranked by BM25; UsageError names what cannot be searched here."""

    @abstractmethod
    def dense(self, vector: NDArray[np.float32], limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """The passages whose vectors are closest to `vector` (shape (dimensions,), length 1), by cosine similarity.

        Raises UsageError: the snapshot has no vectors; ConfigError: the vector has the wrong length, or the extra
        `dense` is not installed.
        """

    @abstractmethod
    def size(self, filters: Filters = NO_FILTERS) -> int:
        """Number of documents within `filters`."""

    def values(self, field: str) -> tuple[str, ...] | None:
        """Some values of a field of `where`, in the order of the alphabet; None if they are not held whole."""
        field = "publication_type" if field == "design" else field
        if ANALYSES.get(field) != "exact" and field not in self.fields:
            return None
        name, start = (field, "") if field in ANALYSES else (METADATA, described(field, ""))
        return tuple(value.removeprefix(start) for value in self._terms(name, start, _FEW_VALUES))

    def identified(self, names: Sequence[str]) -> tuple[Document, ...]:
        """The documents about a paper with one of these names (`pmid:1`, `pmc:PMC1`, `doi:10.1/x`), in their order."""
        if not names:
            return ()
        ids = [f"{kind.upper()}:{value}" for kind, _, value in (name.partition(":") for name in names)]
        ids += self._ids_of(any_of([Term(value=name, field="identifier") for name in names]))
        found = self.documents([*dict.fromkeys(ids)])
        return tuple(document for document in found.values() if not set(document.paper).isdisjoint(names))

    @abstractmethod
    def _terms(self, field: str, start: str, limit: int) -> list[str]:
        """The first words of a field of the index that start so, in the order of the alphabet."""

    @abstractmethod
    def _ids_of(self, query: Query) -> list[str]:
        """The ids of all documents that match, in the order of their building."""

    @abstractmethod
    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id, in the requested order; unknown ids are omitted."""

    @abstractmethod
    def all_documents(self) -> Iterator[Document]:
        """All documents, streamed in the order of their ids."""

    @abstractmethod
    def raw_records(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The XML of documents that were read from MEDLINE or PubMed XML, by id; others are omitted."""

    @abstractmethod
    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """Passages by number, from 0 to `manifest.counts.passages`, in the requested order."""

    @abstractmethod
    def attachment(self, name: str) -> Path | None:
        """A file that belongs to it, such as `graph.sqlite`, on this machine; None where it has none."""

    @abstractmethod
    def file_of(self, document_id: str) -> Path | None:
        """The file from which a document was read, whether or not it still exists; None if that was not noted."""

    @abstractmethod
    def close(self) -> None:
        """Release what is open. Safe to call twice."""

    def all_records(self) -> Iterator[tuple[Document, bytes]]:
        """All documents as `all_documents`, each with its XML as `raw_records`, or nothing."""
        documents = self.all_documents()
        while some := [*islice(documents, _BATCH)]:
            raw = self.raw_records([document.id for document in some])
            yield from ((document, raw.get(document.id, b"")) for document in some)

    def passage_texts(self) -> Iterator[str]:
        """The text of every passage, streamed in their order."""
        for first in range(0, self.manifest.counts.passages, _BATCH):
            numbers = range(first, min(first + _BATCH, self.manifest.counts.passages))
            yield from (passage.text for passage in self.passages(numbers))

    def _hits(self, ranker: str, found: Iterable[tuple[Passage, float]]) -> tuple[Hit, ...]:
        """Passages with their scores, best first, as hits."""
        source = f"corpus:{self.name}"
        return tuple(
            Hit(passage=passage, ranker=ranker, rank=rank, score=score, source=source)
            for rank, (passage, score) in enumerate(found, 1)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def digest_of(store: Store, progress: Progress = no_progress) -> str:
    """SHA-256 of all documents, records and passages, as they are read: equal for a snapshot wherever it is kept."""
    total, counts = hashlib.sha256(), store.manifest.counts
    for at, (document, raw) in enumerate(store.all_records()):
        progress(f"read in {store.name}: documents", at, counts.documents)
        total.update(encode(document)[1] + hashlib.sha256(raw).digest())
    for first in range(0, counts.passages, _BATCH):
        progress(f"read in {store.name}: passages", first, counts.passages)
        for passage in store.passages(range(first, min(first + _BATCH, counts.passages))):
            total.update(repr((passage.document_id, passage.start, passage.end, passage.section)).encode())
    return total.hexdigest()


class Place(ABC):
    """Where the snapshots of one corpus are kept: a folder, or an address with a scheme. One of them is current.

    All methods raise UsageError where no corpus is there, SnapshotCorrupt where it is damaged, SourceUnavailable where
    an address cannot be reached, and ConfigError where its extra is missing or its keys are refused.
    """

    @abstractmethod
    def state(self) -> str:
        """A name of the current snapshot that no other snapshot of this place has."""

    @abstractmethod
    def info(self) -> Manifest:
        """The manifest of the current snapshot."""

    @abstractmethod
    def open(self, progress: Progress = no_progress) -> Store:
        """Open the current snapshot. One that is not whole is never opened."""

    @abstractmethod
    def verify(self) -> Manifest:
        """Check all that is stored of the current snapshot; the error names what differs."""

    @abstractmethod
    def remove(self, *, old: bool = False) -> None:
        """Delete the corpus; with `old`, only snapshots that are not current and not about to be published."""

    def ready(self, name: str) -> object:
        """Check that a corpus of this name may be pushed here; UsageError: the place holds another, or takes none."""
        raise UsageError("a corpus is pushed to an address: s3://BUCKET/PREFIX or solr+http://HOST:8983/solr")

    def push(self, base: Snapshot, progress: Progress = no_progress) -> Manifest:
        """Make a copy of a snapshot of this machine the current one, in one step. Run again, it goes on where it was.

        Raises UsageError: as `ready`; or the place was changed by somebody else meanwhile.
        """
        self.ready(base.name)
        return base.manifest

    def forget(self) -> None:  # noqa: B027 most places keep nothing here
        """Delete what this machine keeps of a corpus at an address."""
