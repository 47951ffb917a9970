"""SciFact: claims that abstracts support, contradict or do not address, asked as yes, no or maybe.

`claims_train.jsonl` and `claims_dev.jsonl` have labels; `claims_test.jsonl` has none and cannot be scored here. If the
set's `corpus.jsonl` is in the same folder, each claim comes with the abstracts that it cites.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import lru_cache
from pathlib import Path

from medground.corpus.readers.beir import scifact_document
from medground.document import Document
from medground.evaluate.base import Item, Split
from medground.evaluate.datasets.asking import asked
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_lines

_FILES: Mapping[str, Split] = {"claims_train.jsonl": "train", "claims_dev.jsonl": "validation"}
_SCIFACT_GOLD = {"SUPPORT": "yes", "CONTRADICT": "no"}
_CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")


def _scifact_parts(path: Path) -> tuple[Path, ...]:
    corpus = _corpus_beside(path if path.is_dir() else path.parent)
    return (*_claims(path), *((corpus,) if corpus else ()))


def _claims(path: Path) -> tuple[Path, ...]:
    return tuple(path / name for name in _FILES if (path / name).is_file()) if path.is_dir() else (path,)


def _corpus_beside(folder: Path) -> Path | None:
    return next((folder / name for name in _CORPUS if (folder / name).is_file()), None)


def _scifact_records(path: Path) -> Generator[Placed]:
    for file in _claims(path):
        split = _FILES.get(file.name.removesuffix(".gz"), "unknown")
        for where, record in json_lines(file):
            yield where, {**record, "split": split, "corpus": _corpus_beside(file.parent)}


@lru_cache(maxsize=1)
def _abstracts(corpus: Path) -> Mapping[str, Record]:
    return {str(record["doc_id"]): record for _, record in json_lines(corpus)}


def _scifact_item(record: Record) -> Item:
    if "evidence" not in record:
        raise ValueError("the gold label is missing, as in all of the test split; use --split validation")
    labels = {part["label"] for parts in record["evidence"].values() for part in parts}
    if len(labels) > 1:
        raise ValueError(f"its evidence has conflicting labels: {', '.join(sorted(labels))}")
    cited = [str(i) for i in record.get("cited_doc_ids") or record["evidence"]]
    return Item(
        id=str(record["id"]),
        question=asked(record["claim"], "yes-no-maybe"),
        gold=(_SCIFACT_GOLD[labels.pop()] if labels else "maybe",),
        documents=tuple(f"DOC:{i}" for i in cited),
        context=_context(record["corpus"], cited),
        split=record["split"],
        group=cited[0] if cited else "",
        extra={"evidence": record["evidence"]},
    )


def _context(corpus: Path | None, cited: list[str]) -> tuple[Document, ...]:
    if corpus is None:
        return ()
    abstracts = _abstracts(corpus)
    return tuple(scifact_document(abstracts[i]) for i in cited if i in abstracts)


def _scifact_split(record: Record) -> Split:
    split: Split = record["split"]
    return split


SCIFACT = Loader(
    info=described("scifact"),
    files=tuple(_FILES),
    records=_scifact_records,
    known=lambda record: {"id", "claim"} <= record.keys(),
    split=_scifact_split,
    item=_scifact_item,
    parts=_scifact_parts,
    folder=lambda path: bool(_claims(path)),
)
