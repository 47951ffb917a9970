"""Questions with long answers: LiveQA, MedicationQA, ExpertQA, in their owners' formats and in Omni-RAG's."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

from medground.corpus.readers.xml import flat_text, records, root_name
from medground.errors import UsageError
from medground.evaluate.base import Split
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.omni import is_omni, is_whole, omni_item, omni_records, omni_split
from medground.evaluate.datasets.records import Placed, Record, json_lines, unpacked_text

_EXPERT_FIELDS = ("healthcare", "medicine", "biology")


def _record(name: str, i: str, question: str, gold: str, split: Split = "test") -> dict[str, Any]:
    """A question in Omni-RAG's format."""
    return {"id": i, "question": question, "gold": gold, "name": name, "long": True, "split": split}


def _liveqa(path: Path) -> Generator[Placed]:
    """The XML of TREC 2017: subject and message make the question; the first reference answer is the reference."""
    for element in records(path, ["NLM-QUESTION"], [root_name(path)]):
        i = element.get("qid", "")
        parts = [flat_text(element.find(f"Original-Question/{tag}")) for tag in ("SUBJECT", "MESSAGE")]
        answer = flat_text(next(element.iter("ANSWER"), None))
        yield f"{path.name}: {i}", _record("liveqa", i, " ".join(filter(None, parts)), answer)


def _medicationqa(path: Path) -> Generator[Placed]:
    """The table of MedInfo 2019, saved as CSV with its header."""
    with unpacked_text(path) as text:
        try:
            rows = csv.DictReader(text, strict=True)
            for number, row in enumerate(rows, start=1):
                if not {"Question", "Answer"} <= row.keys():
                    raise UsageError(
                        f"{path} has no columns Question and Answer in its first line; save the table with its header"
                    )
                where = f"{path.name}: question {number}"
                yield where, _record("medicationqa", f"medicationqa-{number:03d}", row["Question"], row["Answer"])
        except csv.Error as error:
            raise UsageError(f"{path} is not a CSV file ({error}); save the table again") from None


def _expertqa(path: Path) -> Generator[Placed]:
    """`r2_compiled_anon.jsonl`: the medicine and biology questions, with the answers as revised by the experts."""
    for number, (where, record) in enumerate(json_lines(path), start=1):
        if is_omni(record):
            yield where, record
            continue
        if not {"question", "answers", "metadata"} <= record.keys():
            raise UsageError(f"{where}: not a record of ExpertQA, which has question, answers and metadata")
        field = str(record["metadata"].get("field", "")).lower()
        if any(name in field for name in _EXPERT_FIELDS):
            answer: Record = next(iter((record["answers"] or {}).values()), {})
            reference = answer.get("revised_answer_string") or answer.get("answer_string") or ""
            yield where, _record("expertqa", f"expertqa-{number:04d}", record["question"], reference)


def _either(path: Path, suffix: str, own: Callable[[Path], Generator[Placed]]) -> Generator[Placed]:
    """Records in the owner's format, recognised by the file's suffix, or in Omni-RAG's."""
    yield from own(path) if path.name.removesuffix(".gz").endswith(suffix) else omni_records(path)


def _long_answers_loader(name: str, read: Callable[[Path], Generator[Placed]], only: str | None = None) -> Loader:
    return Loader(
        info=described(name),
        ours=lambda record: only in (None, record["name"]) and is_whole(record),
        files=("questions.jsonl", "test_long.json"),
        records=read,
        known=lambda record: is_omni(record) and bool(record["long"]),
        split=omni_split,
        item=omni_item,
    )


LIVEQA = _long_answers_loader("liveqa", partial(_either, suffix=".xml", own=_liveqa), "liveqa")
MEDICATIONQA = _long_answers_loader("medicationqa", partial(_either, suffix=".csv", own=_medicationqa), "medicationqa")
EXPERTQA = _long_answers_loader("expertqa", partial(_either, suffix=".jsonl", own=_expertqa), "expertqa")
OMNI_LONG = _long_answers_loader("omni-long", omni_records)
