"""The word index: its fields, how their text is split into words, and how passages get into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from mmap import mmap
from pathlib import Path
from typing import Literal

import tantivy

from medground.corpus.tables import PassageRow
from medground.home.files import tables
from medground.values.document import Document

Analysis = Literal["english", "plain", "exact"]
"""`english`: stemmed words. `plain`: words as they are, such as names. `exact`: the value as a whole."""

NUMBER = "number"
YEAR = "year"
DEFAULT = "default"
"""What a query without a field searches: the title (twice, so that it weighs more), MeSH and the text.

One field instead of three boosted ones: BM25 then counts the frequency of a word once for the whole record, which
scores better on SciFact, and Tantivy can skip passages that cannot reach the top."""

ANALYSES: dict[str, Analysis] = tables("corpus", "fields")["analyses"]
METADATA = "metadata"
"""Holds `NAME=VALUE` for every metadata field of a document, exactly."""
METADATA_NAME = "metadata_name"
"""Holds the names of a document's metadata fields, so that the index knows which there are."""
DATES = ("published", "entered", "created", "revised", "completed")
"""Dates of a record, each stored in an integer field `date_NAME` as YYYYMMDD."""
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_LONGEST_WORD = 64
_LONGEST_VALUE = 1000


@cache
def schema() -> tantivy.Schema:
    """Fields of the index. `number` is the passage's number, stored as a column and not indexed."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field(NUMBER, fast=True)
    builder.add_integer_field(YEAR, indexed=True, fast=True)
    for kind in DATES:
        builder.add_integer_field(f"date_{kind}", indexed=True, fast=True)
    for field, analysis in ANALYSES.items():
        if analysis == "exact":
            builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
        else:
            builder.add_text_field(field, tokenizer_name=analysis)
    for field in (METADATA, METADATA_NAME):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()


def register_analysers(index: tantivy.Index) -> None:
    """Call this every time an index is opened: it stores only the names of its analysers."""
    index.register_tokenizer("english", analyser("english"))
    index.register_tokenizer("plain", analyser("plain"))


@cache
def analyser(analysis: Literal["english", "plain"], *, stop_words: bool = True) -> tantivy.TextAnalyzer:
    """Splits a text into the words of the index; without `stop_words`, words such as "the" are left out."""
    builder = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST_WORD))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
    )
    if not stop_words:
        builder = builder.filter(tantivy.Filter.stopword("english"))
    if analysis == "english":
        builder = builder.filter(tantivy.Filter.stemmer("english"))
    return builder.build()


def exact(field: str, value: str) -> str:
    """A value as stored in an exact field: case and extra white space are ignored, except in an id."""
    return value if field == "id" else " ".join(value.split()).casefold()[:_LONGEST_VALUE]


def described(name: str, value: str) -> str:
    """A metadata field and its value as the index holds them."""
    return exact(METADATA, f"{name}={value}")


def texts_of(document: Document) -> dict[str, list[str]]:
    """The texts of a document's index entry that all its passages share, by field."""
    headings = document.mesh
    major = [h for h in headings if h.major or h.major_qualifiers]
    values: dict[str, Sequence[str | None]] = {
        "title": [document.title],
        "mesh": [h.descriptor for h in headings],
        "mesh_exact": [v for h in headings for v in (h.descriptor, h.ui, *_qualified(h.descriptor, h.qualifiers))],
        "mesh_major": [v for h in major for v in (h.descriptor, *_qualified(h.descriptor, h.major_qualifiers))],
        "keyword": document.keywords,
        "author": document.authors,
        "first_author": document.authors[:1],
        "last_author": document.authors[-1:],
        "journal": [document.journal],
        "publication_type": document.publication_types,
        "language": [document.language],
        "id": [document.id],
        "kind": [document.kind],
        "identifier": [
            *(v for key, value in document.identifiers.items() for v in (value, f"{key}:{value}")),
            *document.paper,
        ],
        "retraction": [document.retraction],
    }
    shared = {field: texts for field, found in values.items() if (texts := _values(field, found))}
    if document.metadata:
        shared[METADATA] = [described(name, v) for name, values in document.metadata.items() for v in values]
        shared[METADATA_NAME] = list(document.metadata)
    return shared


def numbers_of(document: Document) -> dict[str, int]:
    """Its year, and its dates as YYYYMMDD; a missing month or day counts as the first."""
    dates, found = dict(document.dates), {}
    if document.year is not None:
        found[YEAR] = document.year
        dates.setdefault("published", str(document.year))
    for kind in DATES:
        if match := _DATE.fullmatch(dates.get(kind, "")):
            found[f"date_{kind}"] = int(match[1]) * 10_000 + int(match[2] or 1) * 100 + int(match[3] or 1)
    return found


def default_texts(shared: Mapping[str, Sequence[str]], text: str) -> list[str]:
    """What `default` holds of a passage with this text: what its passages share, by field, and the text."""
    title = shared.get("title", [])
    return [*title, *title, text, *shared.get("mesh", [])]


def _qualified(descriptor: str, qualifiers: Iterable[str]) -> list[str]:
    return [value for qualifier in qualifiers for value in (f"{descriptor}/{qualifier}", f"/{qualifier}")]


def _values(field: str, values: Sequence[str | None]) -> list[str]:
    said = [value for value in values if value]
    if ANALYSES[field] == "exact":
        said = [exact(field, value) for value in said]
    return list(dict.fromkeys(said)) if len(said) > 1 else said


_HEAP = 100_000_000
_BESIDE = 400_000_000
"""Bytes of addresses that its threads take besides."""
_THREADS = 2


class LexicalWriter:
    """Adds passages in the order of their numbers.

    A commit waits for everything added before it, so the number of passages in the index tells where an interrupted
    build resumes.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        mmap(-1, _HEAP + _BESIDE).close()  # where it cannot have this, Tantivy ends the process with a backtrace
        self._writer = index.writer(_HEAP, _THREADS)
        self.committed: int = index.searcher().num_docs
        """Passages that would survive a crash."""
        self._last: tuple[Document, dict[str, list[str]], dict[str, int]] | None = None

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[LexicalWriter]:
        """Open or create the index in `folder`. Passages not committed when the block ends are dropped."""
        folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(schema(), str(folder))
        register_analysers(index)
        writer = cls(index)
        try:
            yield writer
        finally:
            del writer._writer  # releases Tantivy's lock on the folder

    def add(self, row: PassageRow, document: Document) -> None:
        """Add a passage. What the passages of a document share is made once where they follow each other."""
        if self._last is None or self._last[0] is not document:
            self._last = document, texts_of(document), numbers_of(document)
        _, shared, numbers = self._last
        text = document.text[row.start : row.stop]
        entry = tantivy.Document(**shared, text=text, default=default_texts(shared, text))
        for field, number in ((NUMBER, row.number), *numbers.items()):
            entry.add_integer(field, number)
        self._writer.add_document(entry)

    def delete(self, document_id: str) -> None:
        """Remove the passages of a document that were added before. They still count in the statistics of words."""
        self._writer.delete_documents_by_term("id", document_id)

    def commit(self) -> None:
        """Save what was added."""
        self._writer.commit()
        self._index.reload()
        self.committed = self._index.searcher().num_docs

    def finish(self) -> None:
        """Commit and wait for Tantivy to finish merging. The writer cannot be used afterwards."""
        self.commit()
        self._writer.wait_merging_threads()
