"""The literature of data sets: MedQuAD, COVID-QA, BioMedMCQs, BEIR, SciFact."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus.readers.base import Input, Item, content_of, file_input, numbered
from medground.corpus.readers.compose import decoded, make_document, validated
from medground.corpus.readers.entry import described, prefixed
from medground.corpus.readers.lines import read_lines
from medground.corpus.readers.xml import Element, flat_text, records
from medground.errors import BadDocument
from medground.values.document import Document

MEDQUAD_ROOT = "Document"
SQUAD = re.compile(r'\s*\{\s*"(?:version"\s*:\s*"[^"]*"\s*,\s*")?data"\s*:\s*\[')

_PMC = re.compile(r"PMC\d+")
_HEAD = 600
_MEDQUAD = {"qid", "question", "answer", "source"}
_COVIDQA = {"doc_id", "title", "text"}
_BIOMEDMCQS = {"n", "title", "abstract"}


def set_of(names: Collection[str]) -> str | None:
    """The set whose records have these fields, or None."""
    if set(names) >= _MEDQUAD:
        return "medquad"
    if _COVIDQA <= set(names) <= _COVIDQA | {"url"}:
        return "covidqa"
    return "biomedmcqs" if set(names) == _BIOMEDMCQS else None


def read_medquad(path: Path) -> Iterator[Item]:
    """The pairs of one XML file of MedQuAD, or of its JSON Lines.

    Raises:
        BadDocument: the file is damaged or has no pairs.
    """
    return read_lines(path, medquad_document) if ".json" in path.name else _medquad_pairs(path)


def read_covidqa(path: Path) -> Iterator[Item]:
    """The articles of COVID-QA, in SQuAD's JSON or as JSON Lines.

    Raises:
        BadDocument: the file is damaged or has no articles.
    """
    lines = path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return read_lines(path, covidqa_document) if lines else _squad_articles(path)


def medquad_document(record: Mapping[str, Any]) -> Document:
    """The answer of a pair as a text of its source, with the question as its title.

    Raises:
        ValueError: the answer was removed, or a field is missing.
    """
    if not (answer := " ".join(str(record.get("answer") or "").split())):
        raise ValueError("the answer was removed by the authors of the set")
    told = {"focus": record.get("focus"), "question_type": record.get("qtype"), "collection": record.get("collection")}
    return described(
        {
            "id": f"MEDQUAD:{_said(record, 'source')}:{_said(record, 'qid')}",
            "title": _said(record, "question"),
            "text": answer,
            "journal": _said(record, "source"),
            "url": record.get("url"),
            "kind": "book",
            "metadata": told,
        }
    )


def covidqa_document(record: Mapping[str, Any]) -> Document:
    """An article; its id is that which the evaluation uses. Offsets of answers count from the start of its text.

    Raises:
        ValueError: a field is missing.
    """
    text = _said(record, "text")
    pmc = _PMC.search(str(record.get("url") or str(text)[:_HEAD]))
    own = f"PMC:{pmc[0]}" if pmc else prefixed(f"DOC:{_said(record, 'doc_id')}")
    fields = {"id": own, "title": record.get("title", ""), "text": text, "url": record.get("url")}
    return make_document(fields | ({"identifiers": {"pmc": pmc[0]}} if pmc else {}))


def biomedmcqs_document(record: Mapping[str, Any]) -> Document:
    """An abstract of the set's literature.

    Raises:
        ValueError: a field is missing.
    """
    number, title, abstract = (_said(record, name) for name in ("n", "title", "abstract"))
    return described({"id": f"BIOMEDMCQS:{number}", "title": title, "abstract": abstract})


def _medquad_pairs(path: Path) -> Iterator[Item]:
    for element in records(path, [MEDQUAD_ROOT], [MEDQUAD_ROOT]):
        about = {
            "source": element.get("source", ""),
            "url": element.get("url"),
            "focus": flat_text(element.find("Focus")),
        }

        def document(pair: Element, about: Mapping[str, Any] = about) -> Iterator[Document]:
            fields = {**about, "question": flat_text(pair.find("Question")), "answer": flat_text(pair.find("Answer"))}
            if (question := pair.find("Question")) is not None:
                fields |= {"qid": question.get("qid", ""), "qtype": question.get("qtype")}
            yield medquad_document(fields)

        yield from numbered(element.iter("QAPair"), document, path, "pair")


def _squad_articles(path: Path) -> Iterator[Item]:
    try:
        articles = json.loads(decoded(content_of(path)))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadDocument("not in SQuAD's format: no list of data with paragraphs", file=str(path)) from error

    def document(paragraph: Any) -> Iterator[Document]:
        text = _said(paragraph, "context")
        known = {"doc_id": paragraph.get("document_id", ""), "title": str(text).partition("\n")[0], "text": str(text)}
        yield covidqa_document(known)

    yield from numbered(paragraphs, document, path, "paragraph")


def _said(record: Any, name: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        raise ValueError(f"{name}: the field is missing")
    return record[name]


# BEIR's corpus.jsonl (`_id`, `title`, `text`), and SciFact's own format (`doc_id`, `abstract` in sentences).

CORPUS_NAMES = ("corpus.jsonl", "corpus.jsonl.gz")


class _BeirRecord(BaseModel):
    id: str | int = Field(alias="_id")
    title: str = ""
    text: str


class _SciFactRecord(BaseModel):
    doc_id: str | int
    title: str = ""
    abstract: list[str]


def open_corpus(path: Path, reader: str, convert: Callable[[Mapping[str, Any]], Document]) -> Input:
    """A corpus in one file, or the folder that holds it as corpus.jsonl or corpus.jsonl.gz.

    Raises:
        BadDocument: the folder contains neither.
    """
    if path.is_dir():
        found = next((path / name for name in CORPUS_NAMES if (path / name).is_file()), None)
        if found is None:
            raise BadDocument(f"the folder contains no {' or '.join(CORPUS_NAMES)}", file=str(path))
        path = found
    return file_input(path, reader, partial(read_lines, convert=convert))


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
