"""What the readers make of a file that a test writes."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Item, Note, RawRecord, Reading
from medground.errors import BadDocument
from medground.values.document import Document

SAMPLES = Path(__file__).resolve().parent.parent / "corpus" / "samples"


def sample(name: str) -> str:
    """What a program exported; the names in it are made up."""
    return (SAMPLES / name).read_text(encoding="utf-8")


def written(path: Path, content: str | bytes) -> Path:
    """The file with this content, packed if it is called so."""
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def lines(path: Path, *records: Any) -> Path:
    """A file of JSON Lines; a text is a line as it is."""
    texts = (record if isinstance(record, str) else json.dumps(record) for record in records)
    return written(path, "".join(f"{text}\n" for text in texts))


def items_of(path: Path, reader: str | None = None, *, named: str | None = None, notes: bool = False) -> list[Item]:
    """The items of a file; `reader` is the one that it must get, `named` one that is asked for."""
    (found,) = (one for one in find_inputs([path], named) if one.refused is None)
    assert found.reader == (reader or named or found.reader)
    items: list[Item] = [item for item in found.read(0) if not isinstance(item, Reading)]
    for skip in range(1, min(len(items), 5)):
        again = [type(item) for item in found.read(skip) if not isinstance(item, Reading)]
        assert again == [type(item) for item in items[skip:]], "reading resumes at any item"
    return [item for item in items if notes or not isinstance(item, Note | RawRecord)]


def document_of(path: Path, reader: str | None = None, *, named: str | None = None) -> Document:
    """The one document of a file."""
    (item,) = items_of(path, reader, named=named)
    assert isinstance(item, Document), item
    return item


def pieces(document: Document) -> list[tuple[str, str]]:
    """Its sections: the label and the text of each."""
    return [(s.label, document.text[s.start : s.end]) for s in document.sections]


def refusal(path: Path, named: str | None = None) -> str:
    """Why a file holds no document, in one line."""
    with pytest.raises(BadDocument) as refused:
        raise next(item for item in items_of(path, named=named) if isinstance(item, BadDocument))
    assert "\n" not in str(refused.value)
    return refused.value.reason
