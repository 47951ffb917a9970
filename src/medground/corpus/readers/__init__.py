"""Readers turn files and folders into documents. `READERS` lists them; `find_inputs` selects one by content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from medground.corpus.readers.base import Input
from medground.corpus.readers.beir import CORPUS_NAMES, open_beir, open_scifact
from medground.corpus.readers.detect import detect
from medground.corpus.readers.files import head
from medground.corpus.readers.folders import files_below
from medground.corpus.readers.jats import open_jats
from medground.corpus.readers.jsonlines import open_jsonlines
from medground.corpus.readers.medline import open_medline
from medground.corpus.readers.pdf import open_pdf
from medground.corpus.readers.pubmedqa import open_pubmedqa
from medground.corpus.readers.texts import open_texts
from medground.errors import BadDocument, UsageError


@dataclass(frozen=True)
class Reader:
    """How to open a path, and the suffixes of the files that it reads in a folder.

    A reader that takes a folder as a whole has no suffixes.
    """

    open: Callable[[Path], Input]
    suffixes: tuple[str, ...] = ()


_XML = (".xml", ".xml.gz", ".nxml", ".nxml.gz")
_PDF = (".pdf",)
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "pubmedqa": Reader(open_pubmedqa, _LINES),
        "medline": Reader(open_medline, _XML),
        "jats": Reader(open_jats, _XML),
        "beir": Reader(open_beir),
        "scifact": Reader(open_scifact),
        "jsonlines": Reader(open_jsonlines, _LINES),
        "pdf": Reader(open_pdf, _PDF),
        "texts": Reader(open_texts),
    }
)


def find_inputs(paths: Sequence[Path], reader: str | None = None) -> list[Input]:
    """The inputs in files and folders, in order; `reader` (a name in `READERS`) overrides detection by content.

    A folder with a BEIR corpus is read as that corpus. In a folder with XML, JSON or PDF files at any depth, only those
    are read; text files such as a README are ignored. In any other folder, the text files are read.

    Raises:
        UsageError: no path is given, a path does not exist, or the reader is unknown.
        BadDocument: no reader accepts a file or folder.
    """
    if not paths:
        raise UsageError("no path to read; name a file or a folder")
    if reader is not None and reader not in READERS:
        raise UsageError(f"unknown reader {reader!r}; use one of {', '.join(READERS)}")
    return [found for path in paths for found in _inputs(path, reader)]


def _inputs(path: Path, reader: str | None) -> Iterator[Input]:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    if path.is_file():
        yield _open(path, reader)
    elif path.is_dir():
        yield from _folder(path, reader)
    else:
        raise BadDocument("not a file or a folder", file=str(path))


def _folder(path: Path, reader: str | None) -> Iterator[Input]:
    if reader is not None and not READERS[reader].suffixes:
        yield READERS[reader].open(path)
        return
    corpus = next((path / name for name in CORPUS_NAMES if (path / name).is_file()), None)
    if corpus is not None and reader is None:
        yield _open(corpus, None)
        return
    files = files_below(path, READERS[reader].suffixes if reader else _XML + _LINES + _PDF)
    if files:
        yield from (_open(file, reader) for file in files)
    elif reader is None:
        yield open_texts(path)
    else:
        raise BadDocument(f"the folder contains no {', '.join(READERS[reader].suffixes)} file", file=str(path))


def _open(file: Path, reader: str | None) -> Input:
    if reader is None:
        return READERS[detect(file)].open(file)
    head(file)  # an empty or unreadable file is rejected before the build begins
    return READERS[reader].open(file)
