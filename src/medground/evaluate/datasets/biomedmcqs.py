"""BioMedMCQs: four options, two or three of them correct; the authors' text files, or JSON Lines.

The authors publish `questions_levelN_*.txt` (`Q1: ...`, `Options:`, `A: ...`) and `answers_levelN_*.txt`
(`Q1 Answer: A, C`) for three levels.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item
from medground.evaluate.datasets.asking import asked
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.records import Placed, Record, json_lines, unpacked_text

_QUESTION = re.compile(r"Q(\d+):\s*(.*)")
_ANSWER = re.compile(r"Q(\d+)\s+Answer:\s*(.*)")
_OPTION = re.compile(r"([A-Z]):\s*(.*)")
_LEVEL = re.compile(r"questions_level(\d)_")


def _parts(path: Path) -> tuple[Path, ...]:
    if not path.is_dir():
        return (path, _answers_of(path)) if _LEVEL.match(path.name) else (path,)
    files = sorted(path.glob("questions_level*.txt"))
    return tuple(part for file in files for part in (file, _answers_of(file)))


def _answers_of(questions: Path) -> Path:
    return questions.with_name(questions.name.replace("questions_", "answers_", 1))


def _biomedmcqs_records(path: Path) -> Generator[Placed]:
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_lines(path)
        return
    for file in _parts(path)[::2]:
        level = _LEVEL.match(file.name)
        if level is None:
            raise UsageError(f"{file} is not named questions_levelN_*.txt; give it the authors' name")
        answers = dict(_answers(_answers_of(file)))
        for where, number, text, options in _questions(file):
            answer = answers.get(number, [])
            yield where, {"level": int(level[1]), "n": number, "question": text, "options": options, "answer": answer}


def _questions(file: Path) -> Iterator[tuple[str, int, str, dict[str, str]]]:
    number, start = 0, 0
    text: list[str] = []
    options: dict[str, str] = {}
    for line_number, line in _lines(file):
        if found := _QUESTION.match(line):
            if number:
                yield f"{file.name}:{start}", number, "\n".join(text), options
            number, start, text, options = int(found[1]), line_number, [found[2]], {}
        elif option := _OPTION.match(line):
            options[option[1]] = option[2]
        elif options:
            last = next(reversed(options))
            options[last] += "\n" + line
        elif line.strip() != "Options:":
            text.append(line)
    if not number:
        raise UsageError(f"{file} has no line that begins with `Q1:`; use the authors' file")
    yield f"{file.name}:{start}", number, "\n".join(text), options


def _answers(file: Path) -> Iterator[tuple[int, list[str]]]:
    for line_number, line in _lines(file):
        if line.strip():
            found = _ANSWER.match(line)
            if found is None:
                raise UsageError(f"{file.name}:{line_number}: not of the form `Q1 Answer: A, C`")
            yield int(found[1]), [letter.strip() for letter in found[2].split(",") if letter.strip()]


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    with unpacked_text(file) as text:
        for number, line in enumerate(text, start=1):
            yield number, line.rstrip("\r\n")


def _biomedmcqs_item(record: Record) -> Item:
    question = asked(record["question"], "multiple-choice", record["options"])
    gold = tuple(record["answer"])
    if not gold or not set(gold) <= set(record["options"]):
        raise ValueError(f"the gold answer is {', '.join(map(str, gold)) or 'missing'}, not a selection of the options")
    return Item(id=_biomedmcqs_key(record), question=question, gold=gold, extra={"set": f"level {record['level']}"})


def _biomedmcqs_key(record: Record) -> str:
    return f"L{record['level']}-Q{record['n']}"


BIOMEDMCQS = Loader(
    info=described("biomedmcqs"),
    files=("mcq_level1.jsonl",),
    records=_biomedmcqs_records,
    known=lambda record: {"level", "n", "question", "options", "answer"} <= record.keys(),
    key=_biomedmcqs_key,
    item=_biomedmcqs_item,
    parts=_parts,
    folder=lambda path: any(path.glob("questions_level*.txt")),
)
