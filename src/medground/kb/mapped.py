"""JSON Lines of any form as documents: a specification says which field of a record is its id, its title, its text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input
from medground.corpus.readers.lines import read_lines
from medground.document import Document

MAPPED = "jsonlines"
"""The reader that takes `fields`."""

_LISTS = frozenset(["authors", "keywords", "mesh", "publication_types"])
_FIELDS = frozenset(
    ["id", "title", "text", "abstract", "year", "date", "journal", "url", "language", "license", "doi", "pmid", "pmc"]
)

_SEPARATORS = {"text": "\n\n", "id": ":"}

Fields = Mapping[str, Sequence[str | int]]
"""Field of a document to fields of a record. Of several, the texts follow each other as paragraphs."""


def mapping_problem(fields: Fields) -> str:
    """What is wrong with a mapping; empty where nothing is."""
    unknown = sorted(fields.keys() - _FIELDS - _LISTS)
    if unknown:
        return f"a document has no field {unknown[0]!r}; map {', '.join(sorted(_FIELDS | _LISTS))}"
    if fields and not fields.keys() & {"text", "abstract"}:
        return '`fields` must say which field is the text, such as fields = { text = "body" }'
    return ""


def open_mapped(path: Path, fields: Fields, kept: Collection[str] = (), prefix: str | None = None) -> Input:
    """One file of JSON Lines, plain or gzip.

    Args:
        path: the file.
        fields: what is read; a dot leads into nested objects, as in `meta.year`.
        kept: further fields of the record that are kept as metadata, to be filtered by.
        prefix: the prefix of ids that have none.

    Raises:
        BadDocument: the file has gone.
    """
    convert = partial(_document, fields=fields, kept=tuple(kept), prefix=prefix)
    return file_input(path, MAPPED, partial(read_lines, convert=convert))


def _document(record: Mapping[str, Any], fields: Fields, kept: Sequence[str], prefix: str | None) -> Document:
    """The document of a record.

    Raises:
        ValueError: it has no text, or a field has a wrong value.
    """
    found: dict[str, Any] = {}
    for name, places in fields.items():
        values = [value for place in places if (value := _at(record, str(place))) not in (None, "", [], {})]
        if values:
            found[name] = _joined(name, values)
    if not found.keys() & {"text", "abstract"}:
        wanted = " or ".join(str(place) for name in ("text", "abstract") for place in fields.get(name, ()))
        raise ValueError(f"{wanted}: the field is missing or empty")
    if prefix and "id" in found and ":" not in str(found["id"]):
        found["id"] = f"{prefix}:{found['id']}"
    found["metadata"] = {name: value for name in kept if (value := _at(record, name)) is not None}
    return described(found)


def _joined(name: str, values: Sequence[Any]) -> Any:
    """One value of a document's field from those of a record: lists stay lists, paragraphs stay apart."""
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    if name in _LISTS:
        return parts
    if len(parts) == 1:
        return parts[0] if isinstance(parts[0], str | int | float) else str(parts[0])
    return _SEPARATORS.get(name, " ").join(map(str, parts))


def _at(record: Any, place: str) -> Any:
    """The value of a field; the whole name counts before its dots do. Of a list of objects, that of each."""
    if isinstance(record, list):
        return [value for one in record if (value := _at(one, place)) not in (None, "")]
    if not isinstance(record, Mapping):
        return None
    if place in record:
        return record[place]
    first, dot, rest = place.partition(".")
    return _at(record.get(first), rest) if dot else None
