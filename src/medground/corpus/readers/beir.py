"""BEIR's corpus.jsonl (`_id`, `title`, `text`), and SciFact's own format (`doc_id`, `abstract` in sentences)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus.readers.base import Input
from medground.corpus.readers.compose import make_document, validated
from medground.corpus.readers.files import file_input
from medground.corpus.readers.lines import read_lines
from medground.document import Document
from medground.errors import BadDocument

CORPUS_NAMES = ("corpus.jsonl", "corpus.jsonl.gz")


class _BeirRecord(BaseModel):
    id: str | int = Field(alias="_id")
    title: str = ""
    text: str


class _SciFactRecord(BaseModel):
    doc_id: str | int
    title: str = ""
    abstract: list[str]


def open_beir(path: Path) -> Input:
    """A BEIR folder, or its corpus file.

    Raises:
        BadDocument: the folder contains no corpus file.
    """
    return file_input(corpus_file(path), "beir", partial(read_lines, convert=beir_document))


def open_scifact(path: Path) -> Input:
    """SciFact's corpus file, or its folder.

    Raises:
        BadDocument: the folder contains no corpus file.
    """
    return file_input(corpus_file(path), "scifact", partial(read_lines, convert=scifact_document))


def corpus_file(path: Path) -> Path:
    """The file itself, or a folder's corpus.jsonl or corpus.jsonl.gz.

    Raises:
        BadDocument: the folder contains neither.
    """
    if not path.is_dir():
        return path
    found = next((path / name for name in CORPUS_NAMES if (path / name).is_file()), None)
    if found is None:
        raise BadDocument(f"the folder contains no {' or '.join(CORPUS_NAMES)}", file=str(path))
    return found


def beir_document(record: Mapping[str, Any]) -> Document:
    """The document of a BEIR record; an id without a prefix becomes `DOC:ID`.

    Raises:
        ValueError: the record lacks a field or has a wrong one.
    """
    known = validated(_BeirRecord, record)
    return make_document({"id": _prefixed(str(known.id)), "title": known.title, "text": known.text or known.title})


def scifact_document(record: Mapping[str, Any]) -> Document:
    """The document of a SciFact record, its sentences joined with single spaces.

    Raises:
        ValueError: the record lacks a field or has a wrong one.
    """
    known = validated(_SciFactRecord, record)
    text = " ".join(sentence.strip() for sentence in known.abstract)
    return make_document({"id": _prefixed(str(known.doc_id)), "title": known.title, "text": text or known.title})


def _prefixed(name: str) -> str:
    return name if ":" in name else f"DOC:{name}"
