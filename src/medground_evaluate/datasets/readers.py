"""Readers of the literature of sets, which join: PubMedQA, MedQuAD, COVID-QA, BioMedMCQs, BEIR, SciFact."""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from medground.corpus import base, compose, entry, lines, xml
from medground.errors import BadDocument
from medground.values import Document
from medground_evaluate.datasets.snippets import of_pubmed

_BLOCK = 1 << 20
_FIRST_ENTRY = re.compile(r'\s*\{\s*"\d+"\s*:\s*\{')
_KEY = re.compile(r'\s*[,{]\s*"([^"\\]{1,200})"\s*:\s*')


class _Record(BaseModel):
    pmid: str | int
    question: str
    contexts: list[str]
    labels: list[str] = []
    meshes: list[str] = []
    year: int | None = None


def open_pubmedqa(path: Path) -> base.Input:
    """One file of PubMedQA, as JSON Lines or as one JSON object."""
    published = _FIRST_ENTRY.match(base.head(path).decode("utf-8-sig", "replace"))
    items = _objects if published else partial(lines.read_lines, convert=pubmedqa_document)
    return base.file_input(path, "pubmedqa", items)


def pubmedqa_document(record: Mapping[str, Any]) -> Document:
    """The document of one record, field names in either case."""
    known = compose.validated(_Record, {key.lower(): value for key, value in record.items()})
    composition = compose.Composition()
    for number, context in enumerate(known.contexts):
        composition.add(context.strip(), known.labels[number] if number < len(known.labels) else None)
    return compose.make_document(
        {
            "title": known.question,
            "text": composition.text or known.question,
            "sections": composition.sections,
            "year": known.year,
            "mesh": [{"descriptor": heading} for heading in known.meshes],
            **of_pubmed(f"PMID:{known.pmid}"),
        }
    )


def _objects(path: Path) -> Iterator[base.Item]:
    """The entries of one JSON object, read as a stream: PQA-A is a single object of half a gigabyte."""

    def document(keyed: tuple[str, Any]) -> Iterator[Document]:
        if not isinstance(keyed[1], dict):
            raise ValueError("not a JSON object")
        yield pubmedqa_document({"pmid": keyed[0], **keyed[1]})

    yield from base.numbered(pubmedqa_entries(path), document, path, "record")


def pubmedqa_entries(path: Path) -> Iterator[tuple[str, Any]]:
    """The records of one JSON object by PMID."""
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
                    raise BadDocument(f"record {key[1]!r} is nested too deeply", file=path) from error
            more = text.read(_BLOCK)
            buffer, position = buffer[position:] + more, 0
            if not more or len(buffer) > 2 * base.LONGEST_RECORD:
                if buffer.strip() in ("}", "{}"):
                    return
                raise BadDocument(f"the JSON object is broken or ends early near {buffer[:40]!r}", file=path)


_ROOT = "Document"
_PMC = re.compile(r"PMC\d+")
_HEAD = 600


def read_medquad(path: Path) -> Iterator[base.Item]:
    """The pairs of one XML file of MedQuAD, or of its JSON Lines."""
    if ".json" in path.name:
        return lines.read_lines(path, medquad_document)
    return base.numbered(medquad_pairs(path), lambda pair: [medquad_document(pair)], path, "pair")


def read_covidqa(path: Path) -> Iterator[base.Item]:
    """The articles of COVID-QA, in SQuAD's JSON or as JSON Lines."""
    if path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return lines.read_lines(path, covidqa_document)
    return base.numbered(
        squad_paragraphs(path), lambda paragraph: [covidqa_document(squad_article(paragraph))], path, "paragraph"
    )


def medquad_pairs(path: Path) -> Iterator[lines.Record]:
    """The fields of each pair in an XML file; a pair without a question has no `qid`."""
    for element in xml.records(path, [_ROOT], [_ROOT]):
        about = {"source": element.get("source", ""), "url": element.get("url")}
        about["focus"] = xml.flat_text(element.find("Focus"))
        for pair in element.iter("QAPair"):
            question, told = pair.find("Question"), {"answer": xml.flat_text(pair.find("Answer"))}
            own = {} if question is None else {"qid": question.get("qid", ""), "qtype": question.get("qtype")}
            yield {**about, **told, **own, "question": xml.flat_text(question)}


def medquad_document(record: Mapping[str, Any]) -> Document:
    """The answer of a pair as a text of its source, with the question as its title."""
    if not (answer := " ".join(str(record.get("answer") or "").split())):
        raise ValueError("the answer was removed by the authors of the set")
    told = {"focus": record.get("focus"), "question_type": record.get("qtype"), "collection": record.get("collection")}
    return entry.described(
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
    own = f"PMC:{pmc[0]}" if pmc else entry.prefixed(f"DOC:{_said(record, 'doc_id')}")
    fields = {"id": own, "title": record.get("title", ""), "text": text, "url": record.get("url")}
    return compose.make_document(fields | ({"identifiers": {"pmc": pmc[0]}} if pmc else {}))


def biomedmcqs_document(record: Mapping[str, Any]) -> Document:
    """An abstract of the set's literature."""
    number, title, abstract = (_said(record, name) for name in ("n", "title", "abstract"))
    return entry.described({"id": f"BIOMEDMCQS:{number}", "title": title, "abstract": abstract})


def squad_paragraphs(path: Path) -> list[Any]:
    """The paragraphs of all articles in a file in SQuAD's format."""
    try:
        articles = json.loads(compose.decoded(base.content_of(path)))["data"]
        return [paragraph for article in articles for paragraph in article["paragraphs"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadDocument("not in SQuAD's format: no list of data with paragraphs", file=path) from error


def squad_article(paragraph: Any) -> lines.Record:
    """The article that a paragraph of COVID-QA is, as its JSON Lines have it."""
    text = str(_said(paragraph, "context"))
    return {"doc_id": paragraph.get("document_id", ""), "title": text.partition("\n")[0], "text": text}


def _said(record: Any, name: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        raise ValueError(f"{name}: the field is missing")
    return record[name]


# BEIR's corpus.jsonl (`_id`, `title`, `text`), and SciFact's own format (`doc_id`, `abstract` in sentences).

_CORPUS_NAMES = ("corpus.jsonl", "corpus.jsonl.gz")
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


def corpus_in(folder: Path) -> tuple[Path, ...]:
    """The file of a folder that is a corpus, if there is one."""
    return tuple(file for name in _CORPUS_NAMES if (file := folder / name).is_file())[:1]


def is_beside_corpus(path: Path) -> bool:
    """Whether a file has the questions or judgements of a data set whose corpus is beside it."""
    judged = path.parent.name == "qrels"
    named = judged or _BESIDE_CORPUS.fullmatch(path.name)
    return bool(named and corpus_in(path.parent.parent if judged else path.parent))


def open_corpus(reader: str, convert: Callable[[Mapping[str, Any]], Document], path: Path) -> base.Input:
    """A corpus in one file, or the folder that holds it as corpus.jsonl or corpus.jsonl.gz."""
    if path.is_dir():
        if not (found := corpus_in(path)):
            raise BadDocument(f"the folder contains no {' or '.join(_CORPUS_NAMES)}", file=path)
        path = found[0]
    return base.file_input(path, reader, partial(lines.read_lines, convert=convert))


def beir_document(record: Mapping[str, Any]) -> Document:
    """The document of a BEIR record; an id without a prefix becomes `DOC:ID`."""
    known = compose.validated(_BeirRecord, record)
    own = known.own if ":" in str(known.own) else f"DOC:{known.own}"
    return compose.make_document({"id": own, "title": known.title, "text": known.text or known.title})


def scifact_document(record: Mapping[str, Any]) -> Document:
    """The document of a SciFact record, its sentences joined with single spaces."""
    known = compose.validated(_SciFactRecord, record)
    text = " ".join(sentence.strip() for sentence in known.abstract)
    return beir_document({"_id": known.own, "title": known.title, "text": text})


_FIELDS = {"pubmedqa": {"question", "contexts"}, "beir": {"_id"}, "medquad": {"qid", "question", "answer", "source"}}


def _set_of(record: Mapping[str, Any]) -> str | None:
    """The set of which a record is, or None."""
    names = {name.lower() for name in record}
    if known := next((name for name, fields in _FIELDS.items() if fields <= names), None):
        return known
    if {"doc_id", "title", "text"} <= names <= {"doc_id", "title", "text", "url"}:
        return "covidqa"
    if names == {"n", "title", "abstract"}:
        return "biomedmcqs"
    return "scifact" if "doc_id" in names and isinstance(record.get("abstract"), list) else None


def _is(name: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda record: _set_of(record) == name


_SQUAD = re.compile(r'\s*\{\s*"(?:version"\s*:\s*"[^"]*"\s*,\s*")?data"\s*:\s*\[')
_abstracts = partial(lines.read_lines, convert=biomedmcqs_document)

PUBMEDQA = base.Reader(open_pubmedqa, base.LINES, begins=_FIRST_ENTRY, fits=_is("pubmedqa"))
MEDQUAD = base.of_files("medquad", read_medquad, *base.XML, *base.LINES, root=_ROOT, fits=_is("medquad"))
COVIDQA = base.of_files("covidqa", read_covidqa, *base.LINES, begins=_SQUAD, fits=_is("covidqa"))
BIOMEDMCQS = base.of_files("biomedmcqs", _abstracts, *base.LINES, fits=_is("biomedmcqs"))
BEIR = base.Reader(partial(open_corpus, "beir", beir_document), fits=_is("beir"), beside=is_beside_corpus)
SCIFACT = base.Reader(partial(open_corpus, "scifact", scifact_document), fits=_is("scifact"))
