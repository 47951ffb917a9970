"""Filling a collection with the rows of a snapshot, and whether it holds them all."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from medground.corpus.lexical_fields import ANALYSES, analyser, default_texts, numbers_of, texts_of
from medground.corpus.manifest import Manifest
from medground.corpus.solr import schema
from medground.corpus.solr.store import AT_ONCE, PASSAGE, PIECE, Collection, Row, key_of
from medground.corpus.tables import encode
from medground.values.document import Document
from medground.values.steps import Progress

if TYPE_CHECKING:
    from medground.corpus.snapshot import Snapshot


def fill(rows: Collection, base: Snapshot, progress: Progress) -> None:
    """Write what a collection lacks of a snapshot. Its rows come in order, so their number tells where to go on."""
    done = [count - count % AT_ONCE for count in rows.counts()]
    counts, pieces, records = base.manifest.counts, pieces_of(base.manifest), islice(base.all_records(), done[1], None)
    made: Iterable[tuple[str, int, Callable[[int, int], list[Row]]]] = (
        ("passages", counts.passages, lambda first, stop: _passage_rows(base, first, stop)),
        ("documents", counts.documents, lambda _, __: [_document_row(base, *one) for one in islice(records, AT_ONCE)]),
        (
            "pieces of files",
            len(pieces),
            lambda first, stop: [_piece_row(base, *piece) for piece in pieces[first:stop]],
        ),
    )
    for begun, (what, total, rows_of) in zip(done, made, strict=True):
        for first in range(begun, total, AT_ONCE):
            progress(what, first, total)
            put_rows(rows, rows_of(first, min(first + AT_ONCE, total)))
    commit(rows)


def pieces_of(manifest: Manifest) -> list[tuple[str, int]]:
    """The pieces of the files that belong to a snapshot, each by name and first byte."""
    return [(name, at) for name in manifest.attachments for at in range(0, manifest.files[name].size, PIECE)]


def mark_whole(rows: Collection, manifest: Manifest, digest: str) -> None:
    """Write the manifest, without which a collection is not opened."""
    about = {schema.KEY: schema.ABOUT, schema.ROW: schema.ABOUT, schema.DIGEST: digest}
    put_rows(rows, [{**about, schema.RECORD: manifest.model_dump_json()}])
    commit(rows)


def commit(rows: Collection) -> None:
    """Show what was written. What was written twice is dropped, so that it does not count in the statistics."""
    rows.cluster.ask(f"{rows.name}/update", {"commit": "true", "expungeDeletes": "true", "wt": "json"})


def put_rows(rows: Collection, entries: Sequence[Row] | Row) -> None:
    """Send rows, or a command about them."""
    rows.cluster.ask(f"{rows.name}/update?wt=json", json=entries)


def _passage_rows(base: Snapshot, first: int, stop: int) -> list[Row]:
    passages = base.passages(range(max(0, first - 1), stop))
    before = passages.pop(0).document_id if first else ""
    documents = base.documents([passage.document_id for passage in passages])
    vectors = _vectors(base, first, stop) if base.embedding is not None else []
    rows = list[Row]()
    for number, passage in enumerate(passages, first):
        place = (number, passage.document_id, passage.start, passage.end, passage.section)
        kind = schema.FIRST if passage.document_id != before else schema.LATER
        row: dict[str, Any] = {schema.KEY: str(number), schema.ROW: kind, **dict(zip(PASSAGE, place, strict=True))}
        row |= {schema.VECTOR: vectors[number - first]} if vectors else {}
        rows.append(row | _entry(documents[passage.document_id], passage.text))
        before = passage.document_id
    return rows


def _vectors(base: Snapshot, first: int, stop: int) -> list[list[float]]:
    import numpy as np

    found: list[list[float]] = base.vectors().take(np.arange(first, stop)).astype(np.float32).tolist()
    return found


def _entry(document: Document, text: str) -> dict[str, Any]:
    """The fields by which a passage is found: words as our analysis gives them, values as they are."""
    texts = texts_of(document)
    texts |= {"text": [text], "default": default_texts(texts, text)}
    words: dict[str, Any] = {}
    for field, values in texts.items():
        analysis = ANALYSES.get(field, "exact")
        words[field] = values if analysis == "exact" else [" ".join(analyser(analysis).analyze(v)) for v in values]
    return words | numbers_of(document)


def _document_row(base: Snapshot, document: Document, raw: bytes) -> Row:
    record, digest = encode(document)
    row = {schema.KEY: document.id, schema.ROW: schema.WHOLE, schema.DOCUMENT: document.id}
    row |= {schema.RECORD: record.decode(), schema.DIGEST: digest.hex()}
    row |= {schema.FILE: str(file)} if (file := base.file_of(document.id)) else {}
    return row | ({schema.RAW: _packed(raw)} if raw else {})


def _piece_row(base: Snapshot, name: str, start: int) -> Row:
    with (base.folder / name).open("rb") as file:
        file.seek(start)
        return {schema.KEY: key_of(name, start), schema.ROW: schema.PIECE, schema.RAW: _packed(file.read(PIECE))}


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()
