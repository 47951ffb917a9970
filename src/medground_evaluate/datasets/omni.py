"""The sets of Omni-RAG: long answers; the clinical sets of MedS-Bench, also in its own format; MedQuAD."""

import ast
import contextlib
import re
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from medground.errors import UsageError
from medground_evaluate.datasets import readers
from medground_evaluate.datasets.loader import (
    LETTERS,
    Loader,
    Placed,
    Record,
    asked,
    closed,
    for_set,
    is_json_lines,
    json_file,
    json_lines,
    or_json_lines,
)
from medground_evaluate.items import Item, Split

# The questions of Omni-RAG: long ones (LiveQA, MedicationQA, ExpertQA) with a reference, short ones with options.

_SPLITS: Mapping[str, Split] = {"train": "train", "dev": "validation", "test": "test"}
_OPTION = re.compile(r"^([A-Za-z])\. (.*)$", re.MULTILINE)
_HOLES = frozenset(
    {
        *("expertqa-000025", "liveqa-000223", "liveqa-000232", "liveqa-000420", "liveqa-000444", "liveqa-000513"),
        "medicationqa-000212",
    }
)
"""Seven of the authors' 1,805 long questions have no text or no reference, so they cannot be asked or scored."""


@or_json_lines
def omni_records(path: Path) -> Generator[Placed]:
    """The records of an Omni-RAG file."""
    content = json_file(path)
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise UsageError(f"{path} is not an Omni-RAG file: it is not a list of questions")
    split = path.name.partition("_")[0]
    for number, record in enumerate(content, start=1):
        yield f"{path.name}: question {number}", {"split": split, **record}


def is_omni(record: Record) -> bool:
    """Whether a record has Omni-RAG's format."""
    return {"id", "question", "gold", "name", "long"} <= record.keys()


def omni_split(record: Record) -> Split:
    """The split of a record."""
    return _SPLITS.get(record.get("split", ""), "unknown")


def omni_item(record: Record, i: str) -> Item:
    """The item of a record."""
    known = {"id": i, "extra": {"set": record["name"]}}
    if record["long"]:
        if not record["gold"]:
            raise ValueError("the gold answer is missing")
        return Item(question=asked(record["question"], "free"), reference=record["gold"], **known)
    text, options = split_options(record["question"])
    question, gold = closed(text, options, record["gold"])
    return Item(question=question, gold=gold, **known)


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """A question and the options at its end: the last block of lines `A. ...`, `B. ...` and so on."""
    found = list(_OPTION.finditer(text))
    start = max((number for number, option in enumerate(found) if option[1] == "A"), default=None)
    if start is None:
        raise ValueError("the question does not end with options, one per line, such as `A. yes`")
    return text[: found[start].start()], {option[1]: option[2] for option in found[start:]}


# Questions with long answers: LiveQA, MedicationQA, ExpertQA.


def _long_answers(name: str, only: str = "") -> Loader:
    return for_set(
        name,
        omni_item,
        ours=lambda record: only in ("", record["name"]) and record["id"] not in _HOLES,
        records=omni_records,
        known=lambda record: is_omni(record) and bool(record["long"]),
        split=omni_split,
    )


LIVEQA, MEDICATIONQA, EXPERTQA = (_long_answers(name, name) for name in ("liveqa", "medicationqa", "expertqa"))
OMNI_LONG = _long_answers("omni-long")


# Three clinical sets of MedS-Bench: SEER (treatment), DDXPlus (diagnosis), MIMIC-IV-ED (outcomes of a visit).

_LISTED = re.compile(r"\[[^\[\]]*\]")
_ANSWER_AFTER = re.compile(r"^[^:]{1,60} is:\s*", re.IGNORECASE)
_YES_NO = {"true": "yes", "false": "no", "1": "yes", "0": "no"}
_SOURCES = {"seer": ("seer",), "ddxplus": ("ddxplus",), "mimic-iv-ed": ("mimic",)}
_SHORT = {name: (name,) for name in ("medqa", "medmcqa", "pubmedqa", "bioasq")}
"""The other closed sets of Omni-RAG, in its own split with training questions."""


def _records(path: Path, name: str) -> Generator[Placed]:
    content = None if is_json_lines(path) else json_file(path)
    yield from _instances(path, content, name) if isinstance(content, dict) else omni_records(path)


def _instances(path: Path, content: Mapping[str, Any], name: str) -> Generator[Placed]:
    instances, definition = content.get("Instances"), content.get("Definition")
    if not isinstance(instances, list) or not isinstance(definition, list) or not definition:
        raise UsageError(f'{path} is not a MedS-Bench task: it has no lists "Definition" and "Instances"')
    if not any(part in f"{path.name} {content.get('Source')}".lower() for part in _SOURCES.get(name, ())):
        raise UsageError(f"{path} is a different MedS-Bench task, not {name}; its file name or source says which")
    outputs = [_output(instance) for instance in instances]
    options = _options(definition[0], outputs)
    known = {"options": options, "name": name, "split": "test"}
    for number, (instance, output) in enumerate(zip(instances, outputs, strict=True), start=1):
        letter = next((letter for letter, option in options.items() if option.lower() == output.lower()), None)
        own = {"id": f"{path.name.partition('_')[0]}-{number:06d}", "gold": letter, "output": output}
        question = f"{instance.get('input')}\n{definition[0]}"
        yield f"{path.name}: instance {number}", {**known, **own, "question": question}


def _output(instance: Mapping[str, Any]) -> str:
    """The answer alone: `The treatment planning is: X` is X, `True` is yes."""
    given = instance.get("output")
    text = str(given[0] if isinstance(given, list) and given else given)
    text = _ANSWER_AFTER.sub("", text.strip()).strip().rstrip(".")
    return _YES_NO.get(text.lower(), text)


def _options(definition: str, outputs: Sequence[str]) -> dict[str, str]:
    named: Sequence[str] = sorted(set(outputs), reverse={*outputs} <= {"yes", "no"})
    for listed in _LISTED.findall(definition):
        with contextlib.suppress(ValueError, SyntaxError):
            options = ast.literal_eval(listed)
            if len(options) > 1 and all(isinstance(option, str) for option in options):
                named = options
                break
    return dict(zip(LETTERS, named, strict=False))


def _item(record: Record, i: str) -> Item:
    if is_omni(record):
        return omni_item(record, i)
    if record["gold"] is None:
        raise ValueError(f"the gold answer {record['output'][:60]!r} is not one of the options")
    question, gold = closed(record["question"], record["options"], record["gold"])
    return Item(id=i, question=question, gold=gold, extra={"set": record["name"]})


def _closed_loader(name: str, described: str, parts: tuple[str, ...]) -> Loader:
    return for_set(
        described,
        _item,
        records=partial(_records, name=name),
        known=lambda record: is_omni(record) or {"options", "gold", "output", "name"} <= record.keys(),
        ours=lambda record: str(record["name"]).startswith((name, *parts)),
        split=omni_split,
    )


SEER, DDXPLUS, MIMIC_IV_ED = (_closed_loader(name, name, parts) for name, parts in _SOURCES.items())
OMNI_SHORT = [_closed_loader(name, f"omni-{name}", parts) for name, parts in _SHORT.items()]


# MedQuAD: consumer health questions with answers from NIH pages; the authors' XML folders, or JSON Lines. Questions
# whose answers the authors removed for copyright reasons are left out.


def _medquad_parts(path: Path) -> tuple[Path, ...]:
    return tuple(sorted(path.rglob("*.xml"))) if path.is_dir() else (path,)


def _medquad_records(path: Path) -> Generator[Placed]:
    if path.is_dir() or path.suffix == ".xml":
        pairs = ((file, pair) for file in _medquad_parts(path) for pair in readers.medquad_pairs(file))
        yield from ((f"{file.name}: {pair['qid']}", pair) for file, pair in pairs if pair["answer"] and "qid" in pair)
        return
    yield from ((where, record) for where, record in json_lines(path) if record.get("answer", True))


def _medquad_item(record: Record, i: str) -> Item:
    answer = " ".join(str(record["answer"]).split())
    if not answer:
        raise ValueError("the gold answer is empty")
    return Item(
        id=i,
        question=asked(record["question"], "free"),
        reference=answer,
        group=f"{record['source']}:{record['qid'].partition('-')[0]}",
        extra={"set": record["source"], "kind": record["qtype"], "url": record.get("url", "")},
    )


MEDQUAD = for_set(
    "medquad",
    _medquad_item,
    records=_medquad_records,
    parts=_medquad_parts,
    folder=lambda path: next(path.glob("*_QA*/*.xml"), None) is not None,
)

ALL = (SEER, DDXPLUS, MIMIC_IV_ED, EXPERTQA, LIVEQA, MEDICATIONQA, MEDQUAD, OMNI_LONG, *OMNI_SHORT)
