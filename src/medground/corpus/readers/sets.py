"""The literature of data sets: PubMedQA, BioASQ, MedQuAD, COVID-QA, BioMedMCQs, BEIR, SciFact."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus.readers import base
from medground.corpus.readers.base import Input, Item, content_of, file_input, head, numbered
from medground.corpus.readers.compose import Composition, decoded, make_document, validated
from medground.corpus.readers.entry import described, prefixed
from medground.corpus.readers.lines import read_lines
from medground.corpus.readers.xml import Element, flat_text, records
from medground.errors import BadDocument
from medground.values.document import Document

# The papers behind question sets: PubMedQA, and the snippets of BioASQ's golden files.

_BLOCK = 1 << 20
_FIRST_ENTRY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"\d+"\s*:\s*\{')
_KEY = re.compile(r'\s*[,{]\s*"([^"\\]{1,200})"\s*:\s*')


class _Record(BaseModel):
    pmid: str | int
    question: str
    contexts: list[str]
    labels: list[str] = Field(default_factory=list)
    meshes: list[str] = Field(default_factory=list)
    year: int | None = None


def open_pubmedqa(path: Path) -> Input:
    """One file of PubMedQA, as JSON Lines or as one JSON object."""
    items = _objects if _FIRST_ENTRY.match(head(path)) else partial(read_lines, convert=pubmedqa_document)
    return file_input(path, "pubmedqa", items)


def pubmedqa_document(record: Mapping[str, Any]) -> Document:
    """The document of one record, field names in either case."""
    known = validated(_Record, {key.lower(): value for key, value in record.items()})
    composition = Composition()
    for number, context in enumerate(known.contexts):
        composition.add(context.strip(), known.labels[number] if number < len(known.labels) else None)
    return make_document(
        {
            "title": known.question,
            "text": composition.text or known.question,
            "sections": composition.sections,
            "year": known.year,
            "mesh": [{"descriptor": heading} for heading in known.meshes],
            **_of_pubmed(f"PMID:{known.pmid}"),
        }
    )


def _objects(path: Path) -> Iterator[Item]:
    """The entries of one JSON object, read as a stream: PQA-A is a single object of half a gigabyte."""

    def document(entry: tuple[str, Any]) -> Iterator[Document]:
        if not isinstance(entry[1], dict):
            raise ValueError("not a JSON object")
        yield pubmedqa_document({"pmid": entry[0], **entry[1]})

    yield from numbered(_entries(path), document, path, "record")


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    decoder = json.JSONDecoder()
    buffer, position = "", 0
    with base.opened(path) as stream:
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
            if not more or len(buffer) > 2 * base.LONGEST_RECORD:
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
    """One golden file, or a folder of them, whose snippets of one paper form one document."""
    files = [file for _, file in golden_files(path)] if path.is_dir() else [path]
    if not files:
        raise BadDocument("the folder contains no golden file, such as 11B1_golden.json", file=str(path))
    state = "\n".join(map(base.fingerprint, files))

    def papers(skip: int) -> Iterator[Item]:
        snippets = [snippet for file in files for snippet in _snippets(file)]
        try:
            yield from islice(papers_of(snippets), skip, None)
        except (ValueError, TypeError, AttributeError) as error:
            raise BadDocument(f"a snippet is not in BioASQ's form ({error})", file=str(files[0].parent)) from error

    return Input(str(path), "bioasq", state, papers)


def papers_of(snippets: Iterable[Snippet]) -> Iterator[Document]:
    """One document for each paper that the snippets are from, in order of first mention."""
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
    titles = [str(snippet["text"]).strip() for snippet in snippets if snippet.get("beginSection") == "title"]
    paragraphs = _joined([snippet for snippet in snippets if snippet.get("beginSection") != "title"])
    title = max(titles, key=len, default="")
    return make_document({"title": title, "text": "\n\n".join(paragraphs) or title, **_of_pubmed(paper)})


def _of_pubmed(paper: str) -> dict[str, Any]:
    number = paper.removeprefix("PMID:")
    url = f"https://pubmed.ncbi.nlm.nih.gov/{number}/"
    return {"id": paper, "identifiers": {"pmid": number}, "url": url}


def _joined(snippets: Sequence[Snippet]) -> Iterator[str]:
    """The texts in the paper's order, each stretch of the paper once."""
    places = [(int(snippet.get("offsetInBeginSection") or 0), str(snippet["text"]).strip()) for snippet in snippets]
    text, end = "", -1
    for start, fresh in sorted(places, key=lambda place: (place[0], -len(place[1]))):
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


# MedQuAD, COVID-QA, BioMedMCQs.

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
    """The pairs of one XML file of MedQuAD, or of its JSON Lines."""
    return read_lines(path, medquad_document) if ".json" in path.name else _medquad_pairs(path)


def read_covidqa(path: Path) -> Iterator[Item]:
    """The articles of COVID-QA, in SQuAD's JSON or as JSON Lines."""
    lines = path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return read_lines(path, covidqa_document) if lines else _squad_articles(path)


def medquad_document(record: Mapping[str, Any]) -> Document:
    """The answer of a pair as a text of its source, with the question as its title."""
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
    """An article; its id is that which the evaluation uses. Offsets of answers count from the start of its text."""
    text = _said(record, "text")
    pmc = _PMC.search(str(record.get("url") or str(text)[:_HEAD]))
    own = f"PMC:{pmc[0]}" if pmc else prefixed(f"DOC:{_said(record, 'doc_id')}")
    fields = {"id": own, "title": record.get("title", ""), "text": text, "url": record.get("url")}
    return make_document(fields | ({"identifiers": {"pmc": pmc[0]}} if pmc else {}))


def biomedmcqs_document(record: Mapping[str, Any]) -> Document:
    """An abstract of the set's literature."""
    number, title, abstract = (_said(record, name) for name in ("n", "title", "abstract"))
    return described({"id": f"BIOMEDMCQS:{number}", "title": title, "abstract": abstract})


def _medquad_pairs(path: Path) -> Iterator[Item]:
    for element in records(path, [MEDQUAD_ROOT], [MEDQUAD_ROOT]):
        focus = flat_text(element.find("Focus"))
        about = {"source": element.get("source", ""), "url": element.get("url"), "focus": focus}

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
_BESIDE_CORPUS = re.compile(r"(?:queries|claims_(?:train|dev|test))\.jsonl(?:\.gz)?|qrels(?:[_-]\w+)?\.tsv")
"""Files of BEIR and SciFact beside the corpus that are none of its literature; so is what is in a folder `qrels`."""


class _BeirRecord(BaseModel):
    own: str | int = Field(alias="_id")
    title: str = ""
    text: str


class _SciFactRecord(BaseModel):
    own: str | int = Field(alias="doc_id")
    title: str = ""
    abstract: list[str]


def is_beside_corpus(path: Path) -> bool:
    """Whether a file has the questions or judgements of a data set whose corpus is beside it."""
    judged = path.parent.name == "qrels"
    folder = path.parent.parent if judged else path.parent
    named = judged or _BESIDE_CORPUS.fullmatch(path.name)
    return bool(named) and any((folder / name).is_file() for name in CORPUS_NAMES)


def open_corpus(path: Path, reader: str, convert: Callable[[Mapping[str, Any]], Document]) -> Input:
    """A corpus in one file, or the folder that holds it as corpus.jsonl or corpus.jsonl.gz."""
    if path.is_dir():
        found = next((path / name for name in CORPUS_NAMES if (path / name).is_file()), None)
        if found is None:
            raise BadDocument(f"the folder contains no {' or '.join(CORPUS_NAMES)}", file=str(path))
        path = found
    return file_input(path, reader, partial(read_lines, convert=convert))


def beir_document(record: Mapping[str, Any]) -> Document:
    """The document of a BEIR record; an id without a prefix becomes `DOC:ID`."""
    known = validated(_BeirRecord, record)
    return _plain_document(known, known.text)


def scifact_document(record: Mapping[str, Any]) -> Document:
    """The document of a SciFact record, its sentences joined with single spaces."""
    known = validated(_SciFactRecord, record)
    return _plain_document(known, " ".join(sentence.strip() for sentence in known.abstract))


def _plain_document(known: _BeirRecord | _SciFactRecord, text: str) -> Document:
    own = known.own if ":" in str(known.own) else f"DOC:{known.own}"
    return make_document({"id": own, "title": known.title, "text": text or known.title})
