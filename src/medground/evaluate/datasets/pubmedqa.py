"""PubMedQA, the 1,000 expert-labelled questions (PQA-L): yes, no or maybe, with the abstract without its conclusion.

The authors' `ori_pqal.json` has no splits. They are in `test_ground_truth.json`, which is read if it is next to it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path

from medground.corpus.readers.pubmedqa import pubmedqa_document
from medground.errors import UsageError
from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import asked
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_file, json_lines

_OFFICIAL = "ori_pqal.json"
_TEST = "test_ground_truth.json"
_GOLD = ("yes", "no", "maybe")
_SPLITS: Mapping[str, Split] = {"test": "test", "train": "train", "train_dev": "train"}


def _pubmedqa_records(path: Path) -> Generator[Placed]:
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_lines(path)
        return
    content = json_file(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not a PubMedQA file: it is not an object of records by PMID")
    beside = path.with_name(_TEST)
    test = frozenset(json_file(beside)) if beside.is_file() else None
    for pmid, record in content.items():
        if not isinstance(record, dict):
            raise UsageError(f"{path.name}: {pmid}: not a JSON object")
        split = "unknown" if test is None else "test" if pmid in test else "train"
        yield f"{path.name}: {pmid}", {"pmid": pmid, "split": split, **{k.lower(): v for k, v in record.items()}}


def _pubmedqa_parts(path: Path) -> tuple[Path, ...]:
    beside = path.with_name(_TEST)
    return (path, beside) if path.name == _OFFICIAL and beside.is_file() else (path,)


def _pubmedqa_split(record: Record) -> Split:
    return _SPLITS.get(record.get("split", ""), "unknown")


def _pubmedqa_item(record: Record) -> Item:
    gold = record.get("final_decision")
    if gold not in _GOLD:
        raise ValueError(f"the gold answer final_decision is {gold!r}, not yes, no or maybe")
    document = pubmedqa_document(record)
    return Item(
        id=_key(record),
        question=asked(record["question"], "yes-no-maybe"),
        gold=(gold,),
        reference=record.get("long_answer") or "",
        documents=(document.id,),
        context=(document,),
        headings=tuple(record.get("meshes") or ()),
        split=_pubmedqa_split(record),
        group=_key(record),
        extra={"year": record.get("year")},
    )


def _key(record: Record) -> str:
    return str(record["pmid"])


PUBMEDQA = Loader(
    info=described("pubmedqa"),
    files=("pqa_l.jsonl", _OFFICIAL),
    records=_pubmedqa_records,
    known=lambda record: {"pmid", "question", "contexts"} <= record.keys(),
    key=_key,
    split=_pubmedqa_split,
    item=_pubmedqa_item,
    parts=_pubmedqa_parts,
)
