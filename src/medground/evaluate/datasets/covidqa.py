"""COVID-QA: expert questions with their answer span in a full text; SQuAD's JSON, or two JSON Lines files.

`questions.jsonl` needs `documents.jsonl` (or `.gz`) in the same folder. Each question comes with its article.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from functools import lru_cache
from pathlib import Path

from medground.corpus.readers.compose import make_document
from medground.document import Document
from medground.errors import UsageError
from medground.evaluate.base import Item
from medground.evaluate.datasets.asking import asked
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_file, json_lines

_DOCUMENTS = ("documents.jsonl", "documents.jsonl.gz")
_PMC = re.compile(r"PMC\d+")
_HEAD = 600


def _covidqa_parts(path: Path) -> tuple[Path, ...]:
    return (path, _documents_beside(path)) if _is_lines(path) else (path,)


def _is_lines(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".jsonl")


def _documents_beside(path: Path) -> Path:
    found = next((path.with_name(name) for name in _DOCUMENTS if path.with_name(name).is_file()), None)
    if found is None:
        raise UsageError(f"{path} needs {' or '.join(_DOCUMENTS)} in the same folder; copy it there")
    return found


def _covidqa_records(path: Path) -> Generator[Placed]:
    if _is_lines(path):
        articles = None
        for where, record in json_lines(path):
            if "doc_id" in record:
                articles = articles or _documents_beside(path)
            yield where, {**record, "articles": articles}
        return
    content = json_file(path)
    if not isinstance(content, dict) or not isinstance(content.get("data"), list):
        raise UsageError(f'{path} is not in SQuAD format: it has no list "data"')
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            known = {"doc_id": paragraph.get("document_id", ""), "title": text.partition("\n")[0], "text": text}
            for question in paragraph["qas"]:
                yield f"{path.name}: {question.get('id')}", {**question, "doc_id": known["doc_id"], "article": known}


@lru_cache(maxsize=1)
def _articles(path: Path) -> Mapping[str, Record]:
    return {str(record["doc_id"]): record for _, record in json_lines(path)}


def _covidqa_item(record: Record) -> Item:
    answers = record["answers"]
    if not answers or not answers[0]["text"].strip():
        raise ValueError("the gold answer is missing")
    article = _article(record.get("article") or _articles(record["articles"])[str(record["doc_id"])])
    return Item(
        id=str(record["id"]),
        question=asked(record["question"], "free"),
        reference=answers[0]["text"].strip(),
        documents=(article.id,),
        context=(article,),
        group=article.id,
        extra={"answers": answers},
    )


def _article(record: Record) -> Document:
    """The article, by its PMC id if its head names one. Answer offsets count from the start of its text."""
    pmc = _PMC.search(str(record.get("url") or record["text"][:_HEAD]))
    i = f"PMC:{pmc[0]}" if pmc else f"DOC:{record['doc_id']}"
    return make_document({"id": i, "title": record.get("title", ""), "text": record["text"]})


COVIDQA = Loader(
    info=described("covidqa"),
    files=("questions.jsonl", "COVID-QA.json"),
    records=_covidqa_records,
    known=lambda record: {"id", "question", "answers", "doc_id"} <= record.keys(),
    item=_covidqa_item,
    parts=_covidqa_parts,
)
