"""Records one after the other: JSON Lines, rows of parquet, and arrays of records such as CSL-JSON."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.base import LONGEST_RECORD, Item, Note, numbered, opened
from medground.corpus.readers.compose import text_of
from medground.corpus.readers.entry import described, entry_kind, entry_types
from medground.corpus.readers.services import records_in, service_document, service_of
from medground.errors import BadDocument, first_line
from medground.values.document import Document

# JSON: one record a line, and arrays of records such as CSL-JSON. A broken record is skipped and reported.

Record = dict[str, Any]

TRIAL = 20
"""If this many records at the start of a file are all broken, the whole file is rejected."""

_LONGEST_LINE = 2 * LONGEST_RECORD
"""Maximum number of bytes read from a line; escapes and non-ASCII letters take more than one."""


def read_lines(path: Path, convert: Callable[[Record], Document]) -> Iterator[Item]:
    """One item per line that is not blank. `convert` raises ValueError for a record that it cannot use."""
    found = (made(lambda line=line: convert(_parsed(line)), path, number) for number, line in _lines(path))  # type: ignore[misc]
    yield from tried(found, path, "lines")


def tried(items: Iterable[Document | BadDocument], path: Path, what: str) -> Iterator[Item]:
    """These items, one for each record (a `what` in an error); BadDocument if the first `TRIAL`, or all, are broken."""
    broken: list[BadDocument] = []
    rest = iter(items)
    for item in rest:
        if not isinstance(item, BadDocument):
            yield from broken
            yield item
            yield from rest
            return
        broken.append(item)
        if len(broken) == TRIAL:
            break
    if broken:
        raise BadDocument(
            f"none of the first {len(broken)} {what} can be used; the first problem: {broken[0].reason}",
            file=path,
            position=broken[0].position,
        )


def made(make: Callable[[], Document], path: Path, position: int) -> Document | BadDocument:
    """The document of a record, or why there is none: `make` raises ValueError."""
    try:
        return make()
    except ValueError as error:
        return BadDocument(str(error), file=path, position=position)


def parse(line: bytes) -> Record:
    """Parse the JSON object on a line."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start} of the line") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    return record


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers, counting from 1, and lines that are not blank; an overlong line is truncated."""
    with opened(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            rest = line
            while not rest.endswith(b"\n") and (rest := stream.readline(_LONGEST_LINE)):
                pass
            if line.strip():
                yield number, line


def _parsed(line: bytes) -> Record:
    if len(line) == _LONGEST_LINE:
        raise ValueError(f"the line has {_LONGEST_LINE:,} bytes or more; split the record")
    return parse(line)


# Your own JSON Lines: a `text` or an `abstract`, a `title`, and whatever else you have.

_SHOWN = 8


def read_jsonlines(path: Path) -> Iterator[Item]:
    """The records of a file, then what was made of them."""
    conversion = Conversion()
    yield from read_lines(path, convert=conversion.convert)
    yield from conversion.notes()


class Conversion:
    """What was made of the records of one file."""

    def __init__(self) -> None:
        self._prefixed = 0
        self._named = 0
        self._kept: dict[str, None] = {}

    def convert(self, record: Mapping[str, Any]) -> Document:
        """`described`, or as the service has it that gave the record; remembered for the note."""
        service = service_of(record)
        document = service_document(record, service) if service else described(record)
        given = record.get("id")
        self._named += document.id.startswith("REF:")
        self._prefixed += given is not None and document.id != str(given).strip()
        self._kept.update(dict.fromkeys(document.metadata))
        return document

    def notes(self) -> Iterator[Note]:
        """One line, if there is something to tell."""
        parts = [f"ids without a prefix ({self._prefixed:,}) were given DOC:"] if self._prefixed else []
        parts += [f"records without an id ({self._named:,}) were named after their content"] if self._named else []
        if self._kept:
            names = ", ".join(list(self._kept)[:_SHOWN])
            more = f" and {len(self._kept) - _SHOWN} more" if len(self._kept) > _SHOWN else ""
            parts.append(f"kept as metadata: {names}{more}")
        if parts:
            yield Note("; ".join(parts))


# CSL-JSON, as Zotero, Mendeley and Crossref give it, and any other JSON array of records.

_RENAMED = {"container-title": "journal", "keyword": "keywords", "url": "url", "pmcid": "pmc"}
_DATES = ("issued", "published", "published-print", "published-online")
_FEW = 20
"""Answers in one list."""
_MOST_OBJECTS = 2_000_000
"""Most objects in a file: a hundred thousand records have half as many. Each takes a hundred times its bytes."""
_LEFT_OUT = ("id", "issued", "type", "author", "note", "citation-key", "extra")


def read_csl(path: Path) -> Iterator[Item]:
    """The records of a file; the position of a bad one is its number, counting from 1."""
    text = text_of(path)
    if text.count("{") > _MOST_OBJECTS:
        raise BadDocument(f"the file has more than {_MOST_OBJECTS:,} objects; split it", file=path)
    try:
        items = _items(json.loads(text))
    except RecursionError as error:
        raise BadDocument("JSON nested too deeply", file=path) from error
    except ValueError as error:
        reason = f"not JSON ({error})" if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadDocument(reason, file=path) from error
    conversion = Conversion()

    def document(record: Any) -> Iterator[Document]:
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")
        yield csl_document(record) if is_csl(record) else conversion.convert(record)

    good = False
    for item in numbered(items if isinstance(items, list) else [], document, path, "record"):
        good = good or isinstance(item, Document)
        yield item
    yield from conversion.notes()
    if not good:
        raise BadDocument("the JSON holds no record with a title or a text", file=path)


def _items(content: Any) -> list[Any]:
    """The records of an answer, of a list of them, or a record alone."""
    if isinstance(content, dict) and isinstance(message := content.get("message"), dict) and "items" not in message:
        return [message]  # a single work of Crossref
    if isinstance(content, dict):
        found = records_in(content)
        return [content] if found is None else found
    content = [one for one in content if one is not None]  # Semantic Scholar's word for an id that it does not know
    answers = (records_in(one) if isinstance(one, dict) and len(content) < _FEW else None for one in content)
    return [one for record, inner in zip(content, answers, strict=True) for one in (inner or [record])]


def is_csl(record: Mapping[str, Any]) -> bool:
    """Whether a record is in CSL-JSON."""
    return isinstance(record.get("type"), str) and bool({"issued", "container-title", "author"} & record.keys())


def csl_document(record: Mapping[str, Any]) -> Document:
    """The document of a CSL record."""
    fields = {str(key).casefold(): value for key, value in record.items()}
    kind = str(fields["type"])
    note = "\n".join(str(fields[name]) for name in ("note", "extra") if fields.get(name))
    known: dict[str, Any] = {
        _RENAMED.get(name, name): value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in fields.items()  # Crossref writes titles as lists of one
        if name not in _LEFT_OUT
    }
    known |= {
        "authors": fields.get("author"),
        "date": next(filter(None, map(_date, map(fields.get, _DATES))), None),
        "entry_type": kind,
        "note": note,
    }
    known |= {"citation_key": fields.get("citation-key") or fields.get("id"), "kind": entry_kind(kind)}
    if said := [*entry_types(kind), *(genre for genre in [fields.get("genre")] if isinstance(genre, str))]:
        known["publication_types"] = said
    return described(known)


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


# Parquet, as hubs keep large collections: rows are streamed in small batches (extra `parquet`).

SUFFIX = ".parquet"
SIGNATURE = b"PAR1"
_ROWS = 256
_NEEDS = 'a parquet file needs the extra "parquet"; run: pip install "medground[parquet]"'


def columns_of(path: Path) -> list[str]:
    """The names of a file's columns."""
    with _opened(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def read_parquet(path: Path, convert: Callable[[Record], Document], columns: Sequence[str]) -> Iterator[Item]:
    """One item per row of these columns, as far as the file has them; the position of a bad one is its number."""
    found = (made(partial(convert, row), path, number) for number, row in enumerate(rows(path, columns), start=1))
    yield from tried(found, path, "rows")


def rows(path: Path, columns: Sequence[str]) -> Iterator[Record]:
    """The rows of a file, with these columns as far as it has them."""
    with _opened(path) as file:
        wanted = [name for name in file.schema_arrow.names if name in columns]
        # One group of rows after the other: for all of them at once, pyarrow holds what it has read of the file.
        try:
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(batch_size=_ROWS, row_groups=[group], columns=wanted):
                    yield from batch.to_pylist()
        except (OSError, ValueError) as error:  # pyarrow's own errors are both
            raise BadDocument(_damaged(error), file=path) from error


def _opened(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise BadDocument(_NEEDS, file=path, passing=True) from error
    try:
        return parquet.ParquetFile(path, pre_buffer=False)
    except (OSError, ValueError) as error:
        raise BadDocument(_damaged(error), file=path) from error


def _damaged(error: Exception) -> str:
    return f"the parquet file is damaged ({first_line(error)[:120]}); copy or download it again"
