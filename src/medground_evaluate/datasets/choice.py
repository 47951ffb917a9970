"""Sets of questions with options: MIRAGE, MMLU, MMLU-Pro, BioMedMCQs."""

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from medground.errors import UsageError
from medground_evaluate.datasets.loader import (
    LETTERS,
    Loader,
    Placed,
    Record,
    an_object,
    asked,
    closed,
    csv_rows,
    for_set,
    json_file,
    json_lines,
    or_json_lines,
    unpacked_text,
)
from medground_evaluate.items import Item, Split

# MIRAGE: five sets of medical questions in one `benchmark.json`, or as JSON Lines with the set's name.

SETS = ("medqa", "medmcqa", "mmlu", "pubmedqa", "bioasq")


@or_json_lines
def _mirage_records(path: Path) -> Generator[Placed]:
    content = json_file(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not MIRAGE's benchmark.json: it is not an object with the five sets")
    for name, questions in content.items():
        if name not in SETS or not isinstance(questions, dict):
            raise UsageError(f"{path.name}: {name!r} is not a MIRAGE set; the sets are {', '.join(SETS)}")
        for i, record in questions.items():
            where = f"{path.name}: {name}: {i}"
            yield where, {**an_object(record, where), "set": name, "id": i}


def _mirage_item(record: Record, i: str) -> Item:
    question, gold = closed(record["question"], record["options"], record["answer"])
    pmids = record.get("gold_pmids") or record.get("PMID") or ()
    return Item(
        id=i,
        question=question,
        gold=gold,
        documents=tuple(f"PMID:{pmid}" for pmid in pmids),
        group=str(record["id"]) if record["set"] == "pubmedqa" else "",
        extra={"set": record["set"], "letter": record["answer"], "letters": record["options"]},
    )


def _mirage(name: str, only: str | None = None) -> Loader:
    return for_set(
        name,
        _mirage_item,
        records=_mirage_records,
        known=lambda record: {"id", "question", "options", "answer"} <= record.keys() and record.get("set") in SETS,
        ours=lambda record: only in (None, record["set"]),
    )


MIRAGE = _mirage("mirage")
MIRAGE_SETS = tuple(_mirage(f"mirage-{name}", name) for name in SETS)


# MMLU, six medical subjects: CSV files without a header, one per subject and split, such as `anatomy_test.csv`.

SUBJECTS = (
    "anatomy",
    "clinical_knowledge",
    "college_biology",
    "college_medicine",
    "medical_genetics",
    "professional_medicine",
)
_SPLITS: Mapping[str, Split] = {"test": "test", "val": "validation", "dev": "train"}
_COLUMNS = ("question", "A", "B", "C", "D", "answer")


def parts(path: Path) -> tuple[Path, ...]:
    """The files of the six subjects in a folder and its subfolders, sorted by name; a single file is the whole set."""
    if not path.is_dir():
        return (path,)
    named = [file for file in path.rglob("*.csv") if _subject(file)[0] in SUBJECTS and _subject(file)[1] in _SPLITS]
    return tuple(sorted(named, key=lambda file: file.name))


def _mmlu_records(path: Path) -> Generator[Placed]:
    for file in parts(path):
        subject, split = _subject(file)
        for number, row in enumerate(csv_rows(file)):
            where = f"{file.name}: question {number + 1}"
            if len(row) != len(_COLUMNS):
                raise UsageError(f"{where}: {len(row)} columns; MMLU has {len(_COLUMNS)}: {', '.join(_COLUMNS)}")
            named = dict(zip(_COLUMNS, row, strict=True))
            known = {"id": f"{subject}-{split}-{number:03d}", "subject": subject, **named}
            yield where, {**known, "split": _SPLITS.get(split, "unknown")}


def _subject(file: Path) -> tuple[str, str]:
    subject, _, split = file.name.removesuffix(".gz").removesuffix(".csv").rpartition("_")
    return subject, split


def _mmlu_item(record: Record, i: str) -> Item:
    question, gold = closed(record["question"], {letter: record[letter] for letter in "ABCD"}, record["answer"])
    return Item(id=i, question=question, gold=gold, extra={"set": record["subject"]})


MMLU = for_set(
    "mmlu",
    _mmlu_item,
    records=_mmlu_records,
    known=lambda record: record.get("answer") in ("A", "B", "C", "D") and "subject" in record,
    parts=parts,
    folder=lambda path: bool(parts(path)),
)


# MMLU-Pro, category health: up to ten options; JSON Lines made from the published parquet, or by medagents-benchmark.

_CATEGORY = "health"


def _mmlu_pro_records(path: Path) -> Generator[Placed]:
    """The questions; they belong to the validation split if the file's name starts with `validation`."""
    split = "validation" if path.name.startswith("validation") else "test"
    yield from ((where, {**record, "split": split}) for where, record in json_lines(path))


def _mmlu_pro_item(record: Record, i: str) -> Item:
    given, letter = record["options"], record.get("answer_idx")
    options = given if isinstance(given, Mapping) else dict(zip(LETTERS, given, strict=False))
    question, gold = closed(record["question"], options, letter or LETTERS[int(record["answer_index"])])
    return Item(id=i, question=question, gold=gold, extra={"set": record.get("src")})


MMLU_PRO = for_set(
    "mmlu-pro-health",
    _mmlu_pro_item,
    records=_mmlu_pro_records,
    known=lambda record: (
        {"question", "options", "category"} <= record.keys()
        and ({"question_id", "answer_index"} <= record.keys() or {"realidx", "answer_idx"} <= record.keys())
    ),
    ours=lambda record: bool(record["category"] == _CATEGORY),
    key=lambda record: str(record.get("question_id", record.get("realidx"))),
)


# BioMedMCQs: four options, two or three of them correct; the authors' text files, or JSON Lines.

_QUESTION = re.compile(r"^Q(\d+):", re.MULTILINE)
_OPTION = re.compile(r"^([A-Z]):", re.MULTILINE)
_OPTIONS = re.compile(r"^Options:\s*$", re.MULTILINE)
_ANSWER = re.compile(r"Q(\d+)\s+Answer:\s*(.*)")
_LEVEL = re.compile(r"questions_level(\d)_")


def _parts(path: Path) -> tuple[Path, ...]:
    """The files of questions, each followed by that of its answers."""
    if not path.is_dir() and not _LEVEL.match(path.name):
        return (path,)
    files = sorted(path.glob("questions_level*.txt")) if path.is_dir() else [path]
    pairs = ((file, file.with_name(file.name.replace("questions_", "answers_", 1))) for file in files)
    return tuple(file for pair in pairs for file in pair)


@or_json_lines
def _biomedmcqs_records(path: Path) -> Generator[Placed]:
    files = _parts(path)
    if len(files) % 2:
        raise UsageError(f"{path} is not named questions_levelN_*.txt; give it the authors' name")
    for file, answered in zip(files[::2], files[1::2], strict=True):
        level, answers = file.name.removeprefix("questions_level")[0], dict(_answers(answered))
        for where, number, text, options in _questions(file):
            answer = answers.get(number, [])
            yield where, {"level": int(level), "n": number, "question": text, "options": options, "answer": answer}


def _questions(file: Path) -> Iterator[tuple[str, int, str, dict[str, str]]]:
    with unpacked_text(file) as text:
        content = text.read()
    found = [*_QUESTION.finditer(content)]
    if not found:
        raise UsageError(f"{file} has no line that begins with `Q1:`; use the authors' file")
    for one, end in zip(found, [*(later.start() for later in found[1:]), len(content)], strict=True):
        stem, *options = _OPTION.split(content[one.end() : end])
        where = f"{file.name}:{content.count(chr(10), 0, one.start()) + 1}"
        yield where, int(one[1]), _OPTIONS.sub("", stem), dict(zip(options[::2], options[1::2], strict=True))


def _answers(file: Path) -> Iterator[tuple[int, list[str]]]:
    with unpacked_text(file) as text:
        for line_number, line in enumerate(text, start=1):
            if line.strip():
                found = _ANSWER.match(line)
                if found is None:
                    raise UsageError(f"{file.name}:{line_number}: not of the form `Q1 Answer: A, C`")
                yield int(found[1]), [letter.strip() for letter in found[2].split(",") if letter.strip()]


def _biomedmcqs_item(record: Record, i: str) -> Item:
    question = asked(record["question"], "multiple-choice", record["options"])
    gold = tuple(record["answer"])
    if not gold or not set(gold) <= set(record["options"]):
        raise ValueError(f"the gold answer is {', '.join(map(str, gold)) or 'missing'}, not a selection of the options")
    return Item(id=i, question=question, gold=gold, extra={"set": f"level {record['level']}"})


BIOMEDMCQS = for_set(
    "biomedmcqs",
    _biomedmcqs_item,
    records=_biomedmcqs_records,
    parts=_parts,
    folder=lambda path: any(path.glob("questions_level*.txt")),
)

ALL = (BIOMEDMCQS, MIRAGE, *MIRAGE_SETS, MMLU, MMLU_PRO)
