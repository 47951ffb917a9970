"""MedQuAD: consumer health questions with answers from NIH pages; the authors' XML folders, or JSON Lines.

Questions whose answers the authors removed for copyright reasons are left out.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from medground.corpus.readers.xml import flat_text, records
from medground_evaluate.datasets.loader import Loader, Placed, Record, asked, described, json_lines
from medground_evaluate.items import Item

_ROOT = "Document"


def _parts(path: Path) -> tuple[Path, ...]:
    return tuple(sorted(path.rglob("*.xml"))) if path.is_dir() else (path,)


def _records(path: Path) -> Generator[Placed]:
    if path.is_dir() or path.suffix == ".xml":
        for file in _parts(path):
            yield from _pairs(file)
        return
    yield from ((where, record) for where, record in json_lines(path) if record.get("answer", True))


def _pairs(file: Path) -> Generator[Placed]:
    for element in records(file, [_ROOT], [_ROOT]):
        focus, source = flat_text(element.find("Focus")), element.get("source", "")
        for pair in element.iter("QAPair"):
            question, answer = pair.find("Question"), flat_text(pair.find("Answer"))
            if question is not None and answer:
                qid = question.get("qid", "")
                yield (
                    f"{file.name}: {qid}",
                    {
                        "qid": qid,
                        "qtype": question.get("qtype", ""),
                        "question": flat_text(question),
                        "answer": answer,
                        "focus": focus,
                        "source": source,
                        "url": element.get("url", ""),
                    },
                )


def _item(record: Record) -> Item:
    answer = " ".join(str(record["answer"]).split())
    if not answer:
        raise ValueError("the gold answer is empty")
    return Item(
        id=_key(record),
        question=asked(record["question"], "free"),
        reference=answer,
        group=f"{record['source']}:{record['qid'].partition('-')[0]}",
        extra={"set": record["source"], "kind": record["qtype"], "url": record.get("url", "")},
    )


def _key(record: Record) -> str:
    return f"{record['source']}:{record['qid']}:{record['focus']}"


MEDQUAD = Loader(
    info=described("medquad"),
    files=("qa.jsonl",),
    records=_records,
    known=lambda record: {"qid", "qtype", "question", "focus", "source"} <= record.keys(),
    key=_key,
    item=_item,
    parts=_parts,
    folder=lambda path: next(path.glob("*_QA*/*.xml"), None) is not None,
)
