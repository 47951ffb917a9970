"""Sets of claims with what supports and contradicts them: MedFact-Bench, and task A of TREC BioGen 2025."""

import hashlib
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from medground.corpus import compose, lines
from medground.errors import UsageError
from medground_evaluate.datasets.loader import (
    Placed,
    Record,
    an_object,
    asked,
    csv_rows,
    for_set,
    is_json_lines,
    json_file,
    json_lines,
)
from medground_evaluate.items import Item

# MedFact-Bench: pairs of a claim and a text, as parquet (with the extra `parquet`) or its rows as JSON Lines.

_COLUMNS = ("dataset", "claim", "source", "label")
_GOLD = {"SUPPORT": "yes", "NEI": "maybe", "CONTRADICT": "no"}


def _pairs(path: Path) -> Generator[Placed]:
    if not is_json_lines(path) and path.suffix != lines.SUFFIX:
        raise UsageError(f"{path} is neither parquet nor JSON Lines, as MedFact-Bench is; give its file")
    rows = (row for _, row in json_lines(path)) if is_json_lines(path) else lines.rows(path, _COLUMNS)
    for number, row in enumerate(rows, start=1):
        yield f"{path.name}: row {number}", {**row, "id": f"{row.get('dataset')}:{number}"}


def _pair(record: Record, i: str) -> Item:
    if record["label"] not in _GOLD:
        raise ValueError(f"the label is {record['label']!r}, not one of {', '.join(_GOLD)}")
    title, _, text = record["source"].strip().partition("\n")
    name = f"MEDFACT:{hashlib.sha256(record['source'].encode()).hexdigest()[:16]}"
    source = compose.make_document({"id": name, "title": title, "text": text or title})
    return Item(
        id=i,
        question=asked(record["claim"], "yes-no-maybe"),
        gold=(_GOLD[record["label"]],),
        documents=(source.id,),
        context=(source,),
        group=record["claim"],
        extra={"set": record["dataset"]},
    )


MEDFACT_BENCH = for_set("medfact-bench", _pair, records=_pairs)


# BioGen, task A: sentences of answers, with the PMIDs that assessors or a program found to support or contradict each.

_JUDGED = ("qid", "answer_sentence", "citation", "judgement")
_LABELS = ("supported_citations_labels", "contradicted_citations_labels")


def _sentences(path: Path) -> Generator[Placed]:
    """The sentences of questions with their answers, in one list or one question a line."""
    of_lines = is_json_lines(path)
    topics = [topic for _, topic in json_lines(path)] if of_lines else json_file(path)
    if not isinstance(topics, list):
        raise UsageError(f"{path} is not of BioGen's task A: it is not a list of questions with their answers")
    for number, topic in enumerate(topics, start=1):
        where = f"{path.name}: question {number}"
        about = (topic := an_object(topic, where)).get("meta_data") or topic.get("metadata") or {}
        sentences = topic.get("answer")
        for n, sentence in enumerate(sentences if isinstance(sentences, list) else [{}], start=1):
            place = f"{where}, sentence {n}"
            yield place, {**an_object(sentence, place), **an_object(about, where), "n": n}


def _judged(path: Path) -> Generator[Placed]:
    """The judgements of assessors: a row for each sentence and citation."""
    names, *rows = [*csv_rows(path)] or [[]]
    found: dict[str, dict[str, dict[str, str]]] = {}
    for number, row in enumerate(rows, start=2):
        record = dict(zip(names, row, strict=False))
        if not {*_JUDGED} <= record.keys():
            raise UsageError(f"{path.name}: row {number}: not a judgement of BioGen; it has {', '.join(_JUDGED)}")
        pmids = [line.lower().partition("pmid:")[2].strip() for line in record["citation"].splitlines()]
        labels = found.setdefault(record["qid"].strip(), {}).setdefault(record["answer_sentence"].strip(), {})
        labels |= {pmid: record["judgement"] for pmid in pmids if pmid}
    for question, sentences in found.items():
        for n, (text, labels) in enumerate(sentences.items(), start=1):
            yield f"{path.name}: {question}", {"qa_id": question, "n": n, "text": text, _LABELS[0]: labels}


def _sentence(record: Record, i: str) -> Item:
    existing = _ids(record.get("existing_supported_citations") or ())
    labels = {p: str(said).strip().lower() for name in _LABELS for p, said in (record.get(name) or {}).items()}
    supports, contradicts = (
        _ids(pmid for pmid, said in labels.items() if said.startswith(kind)) for kind in ("support", "contradict")
    )
    papers = {"existing": existing, "supports": supports, "contradicts": contradicts}
    return Item(
        id=i,
        question=asked(record["text"], "yes-no-maybe"),
        documents=tuple(dict.fromkeys(paper for those in papers.values() for paper in those)),
        group=str(record["qa_id"]),
        extra={"question": record.get("question", ""), **papers},
    )


def _ids(pmids: Iterable[Any]) -> list[str]:
    return [f"PMID:{str(pmid).removeprefix('PMID:')}" for pmid in pmids]


BIOGEN = for_set("biogen-2025", _sentence, records=lambda path: (_judged if ".csv" in path.name else _sentences)(path))

ALL = (BIOGEN, MEDFACT_BENCH)
