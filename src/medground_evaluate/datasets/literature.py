"""Sets of questions about papers, which come with them: PubMedQA, BioASQ, SciFact, COVID-QA, MedEvidence."""

from collections.abc import Generator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from medground.errors import UsageError
from medground.values import CLOSED
from medground_evaluate.datasets import readers, snippets
from medground_evaluate.datasets.loader import (
    Loader,
    Placed,
    Record,
    an_object,
    asked,
    for_set,
    is_json_lines,
    json_file,
    json_lines,
    or_json_lines,
)
from medground_evaluate.items import Item, Split

# PubMedQA, the 1,000 expert-labelled questions (PQA-L): yes, no or maybe, with the abstract without its conclusion.

_OFFICIAL = "ori_pqal.json"
_TEST = "test_ground_truth.json"
_MADE = ("ori_pqaa", "pqaa_")
_GOLD = ("yes", "no", "maybe")
_SPLITS: Mapping[str, Split] = {"test": "test", "train": "train", "train_dev": "train"}


def _beside(path: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """The first file of these names next to a file, if there is one."""
    return tuple(file for name in names if (file := path.with_name(name)).is_file())[:1]


@or_json_lines
def _pubmedqa_records(path: Path) -> Generator[Placed]:
    test = next((frozenset(json_file(file)) for file in _beside(path, [_TEST])), None)
    for pmid, record in readers.pubmedqa_entries(path):
        where, split = f"{path.name}: {pmid}", "unknown" if test is None else "test" if pmid in test else "train"
        lowered = {name.lower(): value for name, value in an_object(record, where).items()}
        yield where, {"pmid": pmid, "split": split, "artificial": path.name.startswith(_MADE), **lowered}


def _pubmedqa_item(record: Record, i: str) -> Item:
    gold = record.get("final_decision")
    if gold not in _GOLD:
        raise ValueError(f"the gold answer final_decision is {gold!r}, not yes, no or maybe")
    document = readers.pubmedqa_document(record)
    return Item(
        id=i,
        question=asked(record["question"], "yes-no-maybe"),
        gold=(gold,),
        reference=record.get("long_answer") or "",
        documents=(document.id,),
        context=(document,),
        headings=tuple(record.get("meshes") or ()),
        group=i,
        extra={"year": record.get("year")},
    )


PUBMEDQA = for_set(
    "pubmedqa",
    _pubmedqa_item,
    records=_pubmedqa_records,
    split=lambda record: _SPLITS.get(record.get("split", ""), "unknown"),
    ours=lambda record: not record.get("artificial"),
    parts=lambda path: (path, *_beside(path, [_TEST] if path.name == _OFFICIAL else [])),
)


# PubMedQA, the questions made of titles (PQA-A): yes or no, by the negation in a title. Its authors train with them.

_HELD_OUT = "pqaa_dev_set.json"


def _artificial_records(path: Path) -> Generator[Placed]:
    split = "validation" if path.name.startswith(_HELD_OUT) else "train"
    yield from ((where, {**record, "split": split}) for where, record in _pubmedqa_records(path))


ARTIFICIAL = for_set(
    "pubmedqa-artificial",
    _pubmedqa_item,
    records=_artificial_records,
    ours=lambda record: bool(record.get("artificial")),
)


# BioASQ Task B golden files: expert questions with documents, snippets, exact and ideal answers.

_TYPES = ("yesno", "factoid", "list", "summary")


def _bioasq_records(path: Path) -> Generator[Placed]:
    if path.is_dir():
        files = snippets.golden_files(path)
        newest = max(task for task, _ in files)
        for task, file in files:
            for where, record in _bioasq_records(file):
                yield where, {**record, "split": "test" if task == newest else "train"}
        return
    for number, record in enumerate(snippets.golden_questions(path), start=1):
        yield f"{path.name}: question {number}", record


def _bioasq_item(record: Record, i: str) -> Item:
    ideal = record.get("ideal_answer") or ()
    reference = ideal if isinstance(ideal, str) else next(iter(ideal), "")
    decided = record["type"] == "yesno"
    gold = str(record.get("exact_answer") or "").strip().lower()
    if decided and gold not in ("yes", "no"):
        raise ValueError(f"the gold answer exact_answer is {record.get('exact_answer')!r}, not yes or no")
    if not decided and not reference:
        raise ValueError("the gold answer ideal_answer is missing")
    return Item(
        id=i,
        question=asked(record["body"], "yes-no" if decided else "free"),
        gold=(gold,) if decided else (),
        reference=reference,
        documents=tuple(dict.fromkeys(filter(None, map(snippets.paper_id, record.get("documents") or ())))),
        context=tuple(snippets.papers_of(record.get("snippets") or ())),
        group=i,
        extra={"set": record["type"], "exact": record.get("exact_answer"), "batch": record.get("batch", "")},
    )


def _loader(name: str, only: str | None) -> Loader:
    return for_set(
        name,
        _bioasq_item,
        records=_bioasq_records,
        known=lambda record: record.get("type") in _TYPES and {"id", "body"} <= record.keys(),
        ours=lambda record: only in (None, record["type"]),
        parts=lambda path: tuple(file for _, file in snippets.golden_files(path)) if path.is_dir() else (path,),
        folder=lambda path: path.is_dir() and bool(snippets.golden_files(path)),
    )


BIOASQ = _loader("bioasq", None)
YES_NO = _loader("bioasq-yesno", "yesno")


# SciFact: claims that abstracts support, contradict or do not address, asked as yes, no or maybe.

_CLAIMS = "claims_dev.jsonl"
_FILES: Mapping[str, Split] = {"claims_train.jsonl": "train", _CLAIMS: "validation"}
_SCIFACT_GOLD = {"SUPPORT": "yes", "CONTRADICT": "no"}


def _claims(path: Path) -> tuple[Path, ...]:
    return tuple(path / name for name in _FILES if (path / name).is_file()) if path.is_dir() else (path,)


def _scifact_records(path: Path) -> Generator[Placed]:
    for file in _claims(path):
        split = _FILES.get(file.name.removesuffix(".gz"), "unknown")
        for where, record in json_lines(file):
            yield where, {**record, "split": split, "corpus": readers.corpus_in(file.parent)}


@lru_cache(maxsize=2)
def _by_document(path: Path) -> Mapping[str, Record]:
    return {str(record["doc_id"]): record for _, record in json_lines(path)}


def _scifact_item(record: Record, i: str) -> Item:
    if "evidence" not in record:
        raise ValueError("the gold label is missing, as in all of the test split; use --split validation")
    labels = {part["label"] for parts in record["evidence"].values() for part in parts}
    if len(labels) > 1:
        raise ValueError(f"its evidence has conflicting labels: {', '.join(sorted(labels))}")
    cited = [str(one) for one in record.get("cited_doc_ids") or record["evidence"]]
    abstracts = _by_document(record["corpus"][0]) if record["corpus"] else {}
    return Item(
        id=i,
        question=asked(record["claim"], "yes-no-maybe"),
        gold=(_SCIFACT_GOLD[labels.pop()] if labels else "maybe",),
        documents=tuple(f"DOC:{one}" for one in cited),
        context=tuple(readers.scifact_document(abstracts[one]) for one in cited if one in abstracts),
        group=cited[0] if cited else "",
        extra={"evidence": record["evidence"]},
    )


SCIFACT = for_set(
    "scifact",
    _scifact_item,
    records=_scifact_records,
    known=lambda record: {"id", "claim"} <= record.keys() and "cit|>" not in str(record["claim"]),
    parts=lambda path: (*_claims(path), *readers.corpus_in(path if path.is_dir() else path.parent)),
    folder=lambda path: bool(_claims(path)),
)


# COVID-QA: expert questions with their answer span in a full text; SQuAD's JSON, or two JSON Lines files.

_DOCUMENTS = ("documents.jsonl", "documents.jsonl.gz")


def _documents_of(path: Path) -> Path:
    if found := _beside(path, _DOCUMENTS):
        return found[0]
    raise UsageError(f"{path} needs {' or '.join(_DOCUMENTS)} in the same folder; copy it there")


def _covidqa_records(path: Path) -> Generator[Placed]:
    if is_json_lines(path):
        articles = None
        for where, record in json_lines(path):
            if "doc_id" in record:
                articles = articles or _documents_of(path)
            yield where, {**record, "articles": articles}
        return
    for paragraph in readers.squad_paragraphs(path):
        known = readers.squad_article(paragraph)
        for question in paragraph["qas"]:
            yield f"{path.name}: {question.get('id')}", {**question, "doc_id": known["doc_id"], "article": known}


def _covidqa_item(record: Record, i: str) -> Item:
    answers = record["answers"]
    if not answers or not answers[0]["text"].strip():
        raise ValueError("the gold answer is missing")
    article = readers.covidqa_document(record.get("article") or _by_document(record["articles"])[str(record["doc_id"])])
    return Item(
        id=i,
        question=asked(record["question"], "free"),
        reference=answers[0]["text"].strip(),
        documents=(article.id,),
        context=(article,),
        group=article.id,
        extra={"answers": answers},
    )


COVIDQA = for_set(
    "covidqa",
    _covidqa_item,
    records=_covidqa_records,
    parts=lambda path: (path, _documents_of(path)) if is_json_lines(path) else (path,),
)

# MedEvidence: whether an outcome of a Cochrane review is higher, lower or the same.

_DIRECTIONS = {"uncertain effect": "uncertain", "insufficient data": "uncertain"}
"""Its other answers are the words of the task."""


def _medevidence_item(record: Record, i: str) -> Item:
    gold = _DIRECTIONS.get(record["answer"], record["answer"])
    if gold not in CLOSED["direction"]:
        raise ValueError(f"the gold answer is {record['answer']!r}, not a direction")
    return Item(
        id=i,
        question=asked(record["question"], "direction"),
        gold=(gold,),
        documents=tuple(f"PMID:{pmid}" for pmid in record["relevant_sources"]),
        group=str(record["original_review"]),
        extra={"certainty": record.get("evidence_certainty"), "answer": record["answer"]},
    )


MEDEVIDENCE = for_set("medevidence", _medevidence_item)

ALL = (ARTIFICIAL, BIOASQ, YES_NO, COVIDQA, MEDEVIDENCE, PUBMEDQA, SCIFACT)
