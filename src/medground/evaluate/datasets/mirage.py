"""MIRAGE: five sets of medical questions in one `benchmark.json`, or as JSON Lines with the set's name.

Questions whose options are yes, no (and maybe) become yes/no(/maybe) questions, so that recipes can decide them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import DataSetInfo, Item, Split
from medground.evaluate.datasets.asking import closed
from medground.evaluate.datasets.loader import Loader
from medground.evaluate.datasets.records import Placed, Record, json_file, json_lines
from medground.question import Task

SETS: Mapping[str, tuple[str, int, tuple[Task, ...], str]] = {
    "medqa": ("MedQA-US", 1273, ("single-choice",), "MIT"),
    "medmcqa": ("MedMCQA, development split", 4183, ("single-choice",), "MIT"),
    "mmlu": ("MMLU, six medical subjects", 1089, ("single-choice",), "MIT"),
    "pubmedqa": ("PubMedQA*, the test split without abstracts", 500, ("yes-no-maybe",), "MIT"),
    "bioasq": ("BioASQ-Y/N, 2019 to 2023", 618, ("yes-no",), "as for BioASQ: registration, research use"),
}
_HASHES = {"questions.jsonl": ("7b48042f29a42bda2534f1345d7035f5ce58a83d572a0cd8338a9f2589b0a851",)}


def _records(path: Path) -> Generator[Placed]:
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_lines(path)
        return
    content = json_file(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path} is not MIRAGE's benchmark.json: it is not an object with the five sets")
    for name, questions in content.items():
        if name not in SETS or not isinstance(questions, dict):
            raise UsageError(f"{path.name}: {name!r} is not a MIRAGE set; the sets are {', '.join(SETS)}")
        for i, record in questions.items():
            if not isinstance(record, dict):
                raise UsageError(f"{path.name}: {name}: {i}: not a JSON object")
            yield f"{path.name}: {name}: {i}", {**record, "set": name, "id": i}


def _known(record: Record) -> bool:
    return record.get("set") in SETS and {"id", "question", "options", "answer"} <= record.keys()


def _key(record: Record) -> str:
    return f"{record['set']}:{record['id']}"


def _test(record: Record) -> Split:
    return "test"


def _item(record: Record) -> Item:
    question, gold = closed(record["question"], record["options"], record["answer"])
    pmids = record.get("gold_pmids") or record.get("PMID") or ()
    return Item(
        id=_key(record),
        question=question,
        gold=gold,
        documents=tuple(f"PMID:{pmid}" for pmid in pmids),
        group=str(record["id"]) if record["set"] == "pubmedqa" else "",
        extra={"set": record["set"], "letter": record["answer"], "letters": record["options"]},
    )


def _loader(name: str) -> Loader:
    title, size, tasks, licence = SETS[name]
    return Loader(
        info=DataSetInfo(
            name=f"mirage-{name}",
            title=f"MIRAGE: {title}",
            tasks=tasks,
            sizes={"test": size},
            licence=licence,
            obtain="github.com/Teddy-XiongGZ/MIRAGE: benchmark.json",
            paper="Xiong et al., Benchmarking Retrieval-Augmented Generation for Medicine, ACL 2024",
            hashes=_HASHES,
            seen="part" if name in ("medqa", "medmcqa", "mmlu") else "form",
        ),
        files=("benchmark.json", "questions.jsonl"),
        records=_records,
        known=_known,
        ours=lambda record: bool(record["set"] == name),
        key=_key,
        split=_test,
        item=_item,
    )


MEDQA, MEDMCQA, MMLU, PUBMEDQA, BIOASQ = (_loader(name) for name in SETS)

MIRAGE = Loader(
    info=DataSetInfo(
        name="mirage",
        title="MIRAGE, all five sets",
        tasks=("single-choice", "yes-no-maybe", "yes-no"),
        sizes={"test": sum(size for _, size, _, _ in SETS.values())},
        licence="the licence of each set",
        obtain="github.com/Teddy-XiongGZ/MIRAGE: benchmark.json",
        paper="Xiong et al., Benchmarking Retrieval-Augmented Generation for Medicine, ACL 2024",
        hashes=_HASHES,
        seen="part",
    ),
    files=("benchmark.json", "questions.jsonl"),
    records=_records,
    known=_known,
    key=_key,
    split=_test,
    item=_item,
)
