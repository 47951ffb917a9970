"""One snapshot in a collection, opened for reading."""

from __future__ import annotations

import base64
import hashlib
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medground.corpus.faults import writing
from medground.corpus.manifest import FileEntry, Manifest, hash_file
from medground.corpus.solr import schema
from medground.corpus.solr.client import Cluster, Parameters
from medground.corpus.solr.query import SCALE, SolrCompiler
from medground.corpus.store import NO_FILTERS, Store
from medground.corpus.tables import decode
from medground.errors import ConfigError, SnapshotCorrupt
from medground.home.files import replacing
from medground.values.document import Document, Hit, Passage
from medground.values.grouping import portions
from medground.values.query import Everything, Filters, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 500
"""Rows in one request."""
PIECE = 32_000
"""Bytes of a file in one row."""
_STRICT = {"wt": "json", "rows": "0", "shards.tolerant": "false", "distrib.statsCache": "false"}
"""No part of the index may be left out. What is not ranked needs no statistics of words."""
_MOST = 10_000
_CANDIDATES = 200
"""Fewest neighbours that each shard looks for: the graph finds more of the nearest if it is asked for more."""
PASSAGE = (schema.NUMBER, schema.DOCUMENT, schema.START, schema.STOP, schema.SECTION)
Row = Mapping[str, Any]


class Collection:
    """The rows of a collection, read through any node. The key of a document is its id, of a passage its number."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.name = name

    def select(self, asked: Parameters) -> dict[str, Any]:
        """The reply to a search."""
        return self.cluster.ask(f"{self.name}/select", {**_STRICT, **asked})

    def rows(self, asked: Parameters, *columns: str, limit: int = _MOST) -> list[Row]:
        """The rows that a search finds."""
        found: list[Row] = self.select({**asked, "fl": ",".join(columns), "rows": str(limit)})["response"]["docs"]
        return found

    def by_key(self, keys: Sequence[str], *columns: str) -> dict[str, Row]:
        """Rows by key."""
        found: dict[str, Row] = {}
        query = {"q": f"{{!terms f={schema.KEY} separator=$separator v=$keys}}", "separator": "\n"}
        for some in portions(keys, AT_ONCE):
            asked = {**query, "keys": "\n".join(some)}
            found |= {row[schema.KEY]: row for row in self.rows(asked, schema.KEY, *columns)}
        return found

    def documents(self) -> Iterator[Row]:
        """The rows of all documents in the order of their ids, streamed."""
        asked = {"q": f"{{!term f={schema.ROW}}}{schema.WHOLE}", "sort": f"{schema.KEY} asc", "rows": str(AT_ONCE)}
        mark, reply = "", self.select({**asked, "cursorMark": "*"})
        while mark != reply["nextCursorMark"]:
            yield from reply["response"]["docs"]
            mark = reply["nextCursorMark"]
            reply = self.select({**asked, "cursorMark": mark})

    def terms(self, field: str, start: str, limit: int) -> list[str]:
        """The first words of a field that start so, in the order of the alphabet."""
        asked = {"terms": "true", "terms.fl": field, "terms.prefix": start, "terms.limit": str(limit)}
        reply = self.cluster.ask(f"{self.name}/terms", {**_STRICT, **asked, "terms.sort": "index", "distrib": "true"})
        return [str(word) for word in reply["terms"][field][::2]]

    def file(self, name: str, entry: FileEntry) -> Iterator[bytes]:
        """The content of a file that belongs to the snapshot; SnapshotCorrupt at its end if it is another."""
        digest = hashlib.sha256()
        for first in range(0, entry.size, AT_ONCE * PIECE):
            keys = [key_of(name, at) for at in range(first, min(first + AT_ONCE * PIECE, entry.size), PIECE)]
            rows = self.by_key(keys, schema.RAW)
            for key in keys:
                with reading(self.cluster.source):
                    piece = unpacked(rows[key][schema.RAW])
                digest.update(piece)
                yield piece
        if digest.hexdigest() != entry.sha256:
            raise SnapshotCorrupt(f"{self.cluster.source}: {name} does not match its SHA-256; push the corpus again")

    def counts(self) -> tuple[int, int, int]:
        """How many passages, documents and pieces of files there are."""
        facets = self.select({"q": "*:*", "facet": "true", "facet.field": schema.ROW})["facet_counts"]["facet_fields"]
        found = dict(zip(facets[schema.ROW][::2], facets[schema.ROW][1::2], strict=True))
        first, later, documents, pieces = map(found.get, (schema.FIRST, schema.LATER, schema.WHOLE, schema.PIECE))
        return (first or 0) + (later or 0), documents or 0, pieces or 0

    def about(self) -> tuple[Manifest, str] | None:
        """The manifest and the digest of all content; None before they are written, when all else is there."""
        row = self.by_key([schema.ABOUT], schema.RECORD, schema.DIGEST).get(schema.ABOUT)
        with reading(self.cluster.source):
            return None if row is None else (Manifest.model_validate_json(row[schema.RECORD]), row[schema.DIGEST])


def key_of(name: str, start: int) -> str:
    """The key of a piece of a file, which no document has."""
    return f" {name} {start}"


def unpacked(content: str) -> bytes:
    """What was stored in base64, compressed."""
    return zlib.decompress(base64.b64decode(content))


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Treat what cannot be understood as damage: SnapshotCorrupt."""
    try:
        yield
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise SnapshotCorrupt(
            f"{source}: damaged ({str(error).splitlines()[0][:200]}); push the corpus again"
        ) from error


class SolrStore(Store):
    """Searches and reads the collection of one snapshot, which never changes. Files of it are fetched to `cache`."""

    def __init__(self, collection: Collection, manifest: Manifest, cache: Path, name: str = "") -> None:
        super().__init__(manifest, name)
        self._rows = collection
        self._cache = cache
        self._source = collection.cluster.source

    def bm25(self, query: Query, limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        asked = {**self._asked(query, filters), "distrib.statsCache": "true"}
        return self._scored("bm25", limit, asked, SCALE, 0.0)

    def dense(self, vector: NDArray[np.float32], limit: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        embedding = self.vectors_made()
        if vector.size != embedding.dimensions:
            raise ConfigError(
                f"the query vector has length {vector.size}, but the corpus has vectors of length "
                f"{embedding.dimensions}; use the embedding model that built the corpus"
            )
        near = f"{{!knn f={schema.VECTOR} topK={max(limit, _CANDIDATES)} v=$vector}}"
        asked = {**self._asked(Everything(), filters), "q": near, "vector": str(vector.reshape(-1).tolist())}
        return self._scored("dense", limit, asked, 2.0, -1.0)

    def size(self, filters: Filters = NO_FILTERS) -> int:
        if filters == NO_FILTERS:
            return self.manifest.counts.documents
        return int(self._rows.select(self._asked(Everything(), filters, schema.FIRST))["response"]["numFound"])

    def _terms(self, field: str, start: str, limit: int) -> list[str]:
        return self._rows.terms(field, start, limit)

    def _ids_of(self, query: Query) -> list[str]:
        asked = {**self._asked(query, NO_FILTERS, schema.FIRST), "sort": f"{schema.NUMBER} asc"}
        return [row[schema.DOCUMENT] for row in self._rows.rows(asked, schema.DOCUMENT)]

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        rows = self._rows.by_key(ids, schema.RECORD, schema.DIGEST)
        with reading(self._source):
            return {one: _document(rows[one]) for one in dict.fromkeys(ids) if one in rows}

    def all_documents(self) -> Iterator[Document]:
        with reading(self._source):
            yield from map(_document, self._rows.documents())

    def raw_records(self, ids: Sequence[str]) -> dict[str, bytes]:
        rows = self._rows.by_key(ids, schema.RAW)
        with reading(self._source):
            raw = {key: row[schema.RAW] for key, row in rows.items() if schema.RAW in row}
            return {key: unpacked(packed) for key, packed in raw.items()}

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        rows = self._rows.by_key([str(number) for number in numbers], *PASSAGE)
        with reading(self._source):
            return self._passages([rows[str(number)] for number in numbers])

    def attachment(self, name: str) -> Path | None:
        if name not in self.manifest.attachments:
            return None
        entry = self.manifest.files[name]
        path = self._cache / entry.sha256
        if not path.is_file() or hash_file(path) != entry.sha256:
            with writing(self._cache), replacing(path) as unfinished:
                with unfinished.open("wb") as file:
                    file.writelines(self._rows.file(name, entry))
                for old in self._cache.glob("[0-9a-f]*"):
                    if time.time() - old.stat().st_mtime > 86_400:  # unused for a day
                        old.unlink(missing_ok=True)
        with suppress(OSError):  # it cannot be written to: nothing is removed there either
            path.touch()
        return path

    def file_of(self, document_id: str) -> Path | None:
        file = self._rows.by_key([document_id], schema.FILE).get(document_id, {}).get(schema.FILE)
        return Path(file) if file else None

    def close(self) -> None:
        """Nothing is open: the connections belong to the process."""

    def _asked(self, query: Query, filters: Filters, kinds: str = schema.PASSAGES) -> dict[str, str | list[str]]:
        return SolrCompiler(self._rows.terms).search(query, filters, kinds)

    def _scored(self, ranker: str, limit: int, asked: Parameters, factor: float, added: float) -> tuple[Hit, ...]:
        """The passages that are found; their scores are scaled as those of the index in a folder."""
        ordered = {**asked, "sort": f"score desc,{schema.NUMBER} asc"}
        rows = self._rows.rows(ordered, *PASSAGE, "score", limit=limit) if limit > 0 else []
        with reading(self._source):
            scores = (row["score"] * factor + added for row in rows)
            return self._hits(ranker, zip(self._passages(rows), scores, strict=True))

    def _passages(self, rows: Sequence[Row]) -> list[Passage]:
        documents = self.documents([row[schema.DOCUMENT] for row in rows])
        places = [(row[schema.DOCUMENT], row[schema.START], row[schema.STOP], row.get(schema.SECTION)) for row in rows]
        return [documents[document].passage(start, stop, section) for document, start, stop, section in places]


def _document(row: Row) -> Document:
    return decode(row[schema.RECORD].encode(), bytes.fromhex(row[schema.DIGEST]))
