"""Sets of real sentences that cite a paper, with what people found: Citation-Integrity, and ReferenceErrorDetection.

Each sentence comes with the text that it cites; marks of that paper are `[1]` in it, and those of other papers `[2]`.
"""

import re
from collections.abc import Generator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from medground.corpus import compose, workbook
from medground.errors import BadDocument, UsageError
from medground_evaluate.datasets import readers
from medground_evaluate.datasets.loader import Placed, Record, asked, csv_rows, for_set, json_lines
from medground_evaluate.items import Item

MARK = "[1]"
_GOLD = {"ACCURATE": "yes", "CONTRADICT": "no", "Fully": "yes", "Partially": "maybe", "Unsubstantiated": "maybe"}
"""The answers of labels, by their first words; all others leave it open whether the paper says it."""


def _item(said: str, label: str, paper: dict[str, str], i: str) -> Item:
    """An item whose only document is the cited paper."""
    document = compose.make_document(paper)
    return Item(
        id=i,
        question=asked(said, "yes-no-maybe"),
        gold=(_GOLD.get(label.partition(" ")[0], "maybe"),),
        documents=(document.id,),
        context=(document,),
        group=document.id,
        extra={"label": label},
    )


# Citation-Integrity: SciFact's form, where each paragraph of the one paper that is cited is a document of its own; or
# sentences beside whole papers.

_PAPERS = ("references.jsonl", "references.jsonl.gz")
_OTHER, _OWN = re.compile(r"<\|other_cit\|>"), re.compile(r"<\|(?:multi_)?cit\|>|\[\*\]")
_BRACKETED = re.compile(r"\[(\[\d\])\]")
_PARAGRAPHS = 1_000
"""Ids of paragraphs: the number of the paper, and three digits."""


@lru_cache(maxsize=2)
def _papers(folder: Path) -> dict[str, dict[str, str]]:
    """The papers beside the sentences, by their names."""
    if whole := [folder / name for name in _PAPERS if (folder / name).is_file()]:
        return {str(row["id"]): {**row, "id": f"PMC:{row['id']}"} for _, row in json_lines(whole[0])}
    if not (found := readers.corpus_in(folder)):
        raise UsageError(f"{folder} has neither corpus.jsonl nor {_PAPERS[0]}; copy it there")
    papers: dict[str, dict[str, str]] = {}
    for _, row in json_lines(found[0]):
        number = str(int(row["doc_id"]) // _PARAGRAPHS)
        text = " ".join(sentence.strip() for sentence in row["abstract"])
        own = {"id": f"CITATION-INTEGRITY:{number}", "title": row.get("title") or "", "text": text}
        if number in papers:
            own["text"] = f"{papers[number]['text']}\n\n{text}"
        papers[number] = own
    return papers


def _sentences(path: Path) -> Generator[Placed]:
    for where, record in json_lines(path):
        yield where, {**record, "folder": path.parent}


def _citing(record: Record, i: str) -> Item:
    text = _OTHER.sub("[2]", str(record.get("sentence") or record["claim"]))
    said = _BRACKETED.sub(r"\1", _OWN.sub(MARK, text))
    given = [part["label"] for parts in record.get("evidence", {}).values() for part in parts]
    label = record.get("label") or next(iter(sorted(given)), "NONE")
    own = record.get("ref") or str(int(record["cited_doc_ids"][0]) // _PARAGRAPHS)
    return _item(said, label, _papers(record["folder"])[own], i)


CITATION_INTEGRITY = for_set(
    "citation-integrity",
    _citing,
    files=("claims.jsonl", "claims-test.jsonl", "claims_test.jsonl", "claims-dev.jsonl", "claims_dev.jsonl"),
    records=_sentences,
    known=lambda record: {"id", "sentence", "ref"} <= record.keys() or "cit|>" in str(record.get("claim", "")),
    parts=lambda path: (
        path,
        *(path.parent / name for name in _PAPERS if (path.parent / name).is_file()),
        *readers.corpus_in(path.parent),
    ),
)


# ReferenceErrorDetection: a sheet with a row for each sentence, its paper's title and abstract, and a label.

_SAID, _LABEL, _TITLE, _TEXT = (
    "Statement with Citation",
    "Label",
    "Reference Article Title",
    "Reference Article Abstract",
)
_PLACE = re.compile(r"\[citation(?: \d+)?\]", re.IGNORECASE)


def _rows(path: Path) -> Generator[Placed]:
    names, *rows = [*(csv_rows(path) if ".csv" in path.name else _cells(path))] or [[]]
    for number, row in enumerate(rows, start=2):
        record = {name.strip(): value for name, value in zip_longest(names, row, fillvalue="")}
        if record.get(_SAID, "").strip():
            yield f"{path.name}: row {number}", {**record, "id": str(number)}


def _cells(path: Path) -> Generator[list[str]]:
    """The rows of the first sheet of an Excel file."""
    try:
        for _, rows in workbook.sheets_of(path):
            yield from (cells for _, cells in rows)
            return
    except BadDocument as error:
        raise UsageError(f"{path} is no Excel file with a sheet ({error.reason}); save it as CSV") from None


def _reference_error(record: Record, i: str) -> Item:
    if record[_LABEL].partition(" ")[0].capitalize() not in _GOLD:
        raise ValueError(f"the label is {record[_LABEL]!r}, not fully, partially or unsubstantiated")
    paper = {"id": f"REFERENCE-ERROR:{i}", "title": record[_TITLE], "text": record[_TEXT].strip() or record[_TITLE]}
    return _item(_PLACE.sub(MARK, record[_SAID]), record[_LABEL].capitalize(), paper, i)


REFERENCE_ERRORS = for_set(
    "reference-errors",
    _reference_error,
    files=("ReferenceErrorDetection_data.xlsx", "ReferenceErrorDetection_data.csv"),
    records=_rows,
    known=lambda record: {_SAID, _LABEL, _TITLE, _TEXT} <= record.keys(),
)

ALL = (CITATION_INTEGRITY, REFERENCE_ERRORS)
