"""The papers behind question sets: PubMedQA, and the snippets of BioASQ's golden files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus.readers.base import (
    LONGEST_RECORD,
    Input,
    Item,
    content_of,
    file_input,
    fingerprint,
    head,
    numbered,
    opened,
)
from medground.corpus.readers.compose import Composition, decoded, make_document, validated
from medground.corpus.readers.lines import read_lines
from medground.errors import BadDocument
from medground.values.document import Document

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

    def document(entry: tuple[str, Any]) -> Iterator[Document]:
        pmid, record = entry
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")
        yield convert({"pmid": pmid, **record})

    yield from numbered(_entries(path), document, path, "record")


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


# BioASQ Task B golden files: the snippets that experts chose, grouped by paper. The files hold no whole abstracts.

Snippet = Mapping[str, Any]

GOLDEN = re.compile(r'\s*\{\s*"questions"\s*:\s*\[')
"""How such a file begins."""

_NAME = re.compile(r"\D*(\d{1,2})b\w*\.json(?:\.gz)?", re.IGNORECASE)
_PMID = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d+)")


def golden_files(folder: Path) -> list[tuple[int, Path]]:
    """The golden files of a folder by the number of their task, such as 11 for `11B1_golden.json`, oldest first."""
    named = [(found, path) for path in folder.iterdir() if (found := _NAME.fullmatch(path.name)) and path.is_file()]
    return sorted((int(found[1]), path) for found, path in named)


def paper_id(url: str) -> str:
    """`PMID:...` of a PubMed URL; empty for other documents (concepts, triples), which are not papers."""
    found = _PMID.search(url)
    return f"PMID:{found[1]}" if found else ""


def open_bioasq(path: Path) -> Input:
    """One golden file, or a folder of them, whose snippets of one paper form one document.

    Raises:
        BadDocument: the folder contains no golden file.
    """
    files = [file for _, file in golden_files(path)] if path.is_dir() else [path]
    if not files:
        raise BadDocument("the folder contains no golden file, such as 11B1_golden.json", file=str(path))
    state = "\n".join(map(fingerprint, files))

    def papers(skip: int) -> Iterator[Item]:
        snippets = [snippet for file in files for snippet in _snippets(file)]
        try:
            yield from islice(papers_of(snippets), skip, None)
        except (ValueError, TypeError, AttributeError) as error:
            raise BadDocument(f"a snippet is not in BioASQ's form ({error})", file=str(files[0].parent)) from error

    return Input(str(path), "bioasq", state, papers)


def papers_of(snippets: Iterable[Snippet]) -> Iterator[Document]:
    """One document for each paper that the snippets are from, in order of first mention.

    Raises:
        ValueError: a snippet is not in BioASQ's form.
    """
    by_paper: dict[str, list[Snippet]] = {}
    for snippet in snippets:
        if (paper := paper_id(str(snippet.get("document", "")))) and str(snippet.get("text", "")).strip():
            by_paper.setdefault(paper, []).append(snippet)
    for paper, given in by_paper.items():
        yield _paper(paper, given)


def _snippets(file: Path) -> Iterator[Snippet]:
    try:
        for question in json.loads(decoded(content_of(file)))["questions"]:
            yield from question.get("snippets") or ()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadDocument("not a golden file of BioASQ Task B: no list of questions", file=str(file)) from error


def _paper(paper: str, snippets: Sequence[Snippet]) -> Document:
    titles = [_text(snippet) for snippet in snippets if _is_title(snippet)]
    composition = Composition()
    for paragraph in _joined([snippet for snippet in snippets if not _is_title(snippet)]):
        composition.add(paragraph)
    title = max(titles, key=len, default="")
    number = paper.removeprefix("PMID:")
    return make_document(
        {
            "id": paper,
            "title": title,
            "text": composition.text or title,
            "identifiers": {"pmid": number},
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
        }
    )


def _joined(snippets: Sequence[Snippet]) -> Iterator[str]:
    """The texts in the paper's order, each stretch of the paper once."""
    text, end = "", -1
    for snippet in sorted(snippets, key=_place):
        (start, _), fresh = _place(snippet), _text(snippet)
        overlap = end - start
        if fresh in text:
            continue
        if 0 < overlap < len(fresh) and text.endswith(fresh[:overlap]):
            text += fresh[overlap:]
        else:
            if text:
                yield text
            text = fresh
        end = start + len(fresh)
    if text:
        yield text


def _place(snippet: Snippet) -> tuple[int, int]:
    """First the one that starts first, then the longer one."""
    return int(snippet.get("offsetInBeginSection") or 0), -len(_text(snippet))


def _text(snippet: Snippet) -> str:
    return str(snippet["text"]).strip()


def _is_title(snippet: Snippet) -> bool:
    return snippet.get("beginSection") == "title"
