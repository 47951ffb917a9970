"""CSL-JSON, as Zotero, Mendeley and Crossref give it, and any other JSON array of records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.decode import text_of
from medground.corpus.readers.entry import described
from medground.corpus.readers.files import file_input
from medground.corpus.readers.jsonlines import Conversion
from medground.document import Document
from medground.errors import BadDocument

_KINDS = {"book": "book", "chapter": "book", "entry-encyclopedia": "book", "webpage": "web", "post-weblog": "web"}
_TYPES = {"article-journal": "Journal Article", "article-newspaper": "News", "review": "Review"}
_PMID = re.compile(r"PMID:?\s*(\d+)", re.IGNORECASE)
_PMC = re.compile(r"PMC(?:ID)?:?\s*(?:PMC)?(\d+)", re.IGNORECASE)
_RENAMED = {"container-title": "journal", "keyword": "keywords", "url": "url", "pmcid": "pmc"}
_MOST_OBJECTS = 2_000_000
"""Most objects in a file: a hundred thousand records have half as many. Each takes a hundred times its bytes."""
_LEFT_OUT = ("id", "issued", "type", "author", "note", "citation-key", "accessed", "extra", "creators")


def open_csl(path: Path) -> Input:
    """One JSON array of records, plain or gzip."""
    return file_input(path, "csl-json", read_csl)


def read_csl(path: Path) -> Iterator[Item]:
    """The records of a file; the position of a bad one is its number, counting from 1.

    Raises:
        BadDocument: the file is not JSON, or holds no list of records.
    """
    text = text_of(path)
    if text.count("{") > _MOST_OBJECTS:
        raise BadDocument(f"the file has more than {_MOST_OBJECTS:,} objects; split it", file=str(path))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "JSON nested too deeply" if isinstance(error, RecursionError) else f"not JSON ({error})"
        raise BadDocument(reason, file=str(path)) from error
    items = content.get("items", [content]) if isinstance(content, dict) else content
    conversion = Conversion()
    good = 0
    for number, record in enumerate(items if isinstance(items, list) else [], start=1):
        try:
            if not isinstance(record, dict):
                raise ValueError("not a JSON object")
            yield csl_document(record) if is_csl(record) else conversion.convert(record)
            good += 1
        except ValueError as error:
            yield BadDocument(f"record {number}: {error}", file=str(path), position=number)
    yield from conversion.notes()
    if not good:
        raise BadDocument("the JSON holds no record with a title or a text", file=str(path))


def is_csl(record: Mapping[str, Any]) -> bool:
    """Whether a record is in CSL-JSON."""
    return isinstance(record.get("type"), str) and bool({"issued", "container-title", "author"} & record.keys())


def csl_document(record: Mapping[str, Any]) -> Document:
    """The document of a CSL record.

    Raises:
        ValueError: there is neither title nor abstract.
    """
    fields = {str(key).casefold(): value for key, value in record.items()}
    kind = str(fields["type"])
    note = "\n".join(str(fields[name]) for name in ("note", "extra") if fields.get(name))
    known: dict[str, Any] = {_RENAMED.get(k, k): _single(v) for k, v in fields.items() if k not in _LEFT_OUT}
    for name, pattern in (("pmid", _PMID), ("pmc", _PMC)):
        if name not in known and (found := pattern.search(note)):
            known[name] = found[1]
    known |= {"authors": fields.get("author"), "date": _date(fields.get("issued")), "entry_type": kind, "note": note}
    known["citation_key"] = fields.get("citation-key") or fields.get("id")
    known["kind"] = _KINDS.get(kind, "research")
    said = [_TYPES[kind]] if kind in _TYPES else []
    if isinstance(genre := fields.get("genre"), str):
        said.append(genre)
    if said:
        known["publication_types"] = said
    return described(known)


def _single(value: Any) -> Any:
    """Crossref writes titles as lists of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _date(issued: Any) -> str | None:
    if isinstance(issued, str):
        return issued
    if not isinstance(issued, Mapping):
        return None
    parts = issued.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0] and parts[0][0]:
        year, *rest = (str(part) for part in parts[0])
        return "-".join([year, *(part.zfill(2) for part in rest)])
    return str(issued.get("raw") or issued.get("literal") or "") or None
