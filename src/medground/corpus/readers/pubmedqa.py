"""PubMedQA: its own JSON (one object, PMID -> record) and JSON Lines.

The benchmark made each question from the title of a paper and removed the conclusion from the context, because it is to
be predicted. So here the question is the title, and the conclusion is not in the text.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus.readers.base import Input, Item
from medground.corpus.readers.compose import Composition, make_document, validated
from medground.corpus.readers.files import LONGEST_RECORD, file_input, head, opened
from medground.corpus.readers.lines import read_lines
from medground.document import Document
from medground.errors import BadDocument

_BLOCK = 1 << 20
_FIRST_ENTRY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"\d+"\s*:\s*\{')
_KEY = re.compile(r'\s*[,{]\s*"([^"\\]{1,200})"\s*:\s*')


class _Record(BaseModel):
    """The fields that are read; both formats have more."""

    pmid: str | int
    question: str
    contexts: list[str]
    labels: list[str] = Field(default_factory=list)
    meshes: list[str] = Field(default_factory=list)
    year: int | None = None


def open_pubmedqa(path: Path) -> Input:
    """One file of PubMedQA, in either format."""
    read = _read_object if _FIRST_ENTRY.match(head(path)) else read_lines
    return file_input(path, "pubmedqa", partial(read, convert=pubmedqa_document))


def pubmedqa_document(record: Mapping[str, Any]) -> Document:
    """The document of one record, field names in either case.

    Raises:
        ValueError: the record lacks a field or has a wrong one.
    """
    known = validated(_Record, {key.lower(): value for key, value in record.items()})
    composition = Composition()
    for number, context in enumerate(known.contexts):
        composition.add(context.strip(), known.labels[number] if number < len(known.labels) else None)
    return make_document(
        {
            "id": f"PMID:{known.pmid}",
            "title": known.question,
            "text": composition.text or known.question,
            "sections": composition.sections,
            "year": known.year,
            "mesh": [{"descriptor": heading} for heading in known.meshes],
            "identifiers": {"pmid": str(known.pmid)},
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{known.pmid}/",
        }
    )


def _read_object(path: Path, convert: Callable[[Mapping[str, Any]], Document]) -> Iterator[Item]:
    """The entries of one JSON object, read as a stream: PQA-A is a single object of half a gigabyte."""
    for number, (pmid, record) in enumerate(_entries(path), start=1):
        try:
            if not isinstance(record, dict):
                raise ValueError("not a JSON object")
            yield convert({"pmid": pmid, **record})
        except ValueError as error:
            yield BadDocument(f"record {number}: {error}", file=str(path), position=number)


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    decoder = json.JSONDecoder()
    buffer, position = "", 0
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape")
        while True:
            if key := _KEY.match(buffer, position):
                try:
                    record, position = decoder.raw_decode(buffer, key.end())
                    yield key[1], record
                    continue
                except json.JSONDecodeError:
                    pass  # the record continues in the next block
                except RecursionError as error:
                    raise BadDocument(f"record {key[1]!r} is nested too deeply", file=str(path)) from error
            more = text.read(_BLOCK)
            buffer, position = buffer[position:] + more, 0
            if not more or len(buffer) > 2 * LONGEST_RECORD:
                if buffer.strip() in ("}", "{}"):
                    return
                raise BadDocument(f"the JSON object is broken or ends early near {buffer[:40]!r}", file=str(path))
