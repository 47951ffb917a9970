"""Every loader is tried: on five records of the published set where some are here, else on its documented form."""

import json
import re
from itertools import islice
from pathlib import Path

import pytest

from medground_evaluate.datasets.registry import dataset_names, open_dataset

REAL = {
    "bioasq": "bioasq",
    "bioasq-yesno": "bioasq",
    "biomedmcqs": "biomedsearch",
    "citation-integrity": "audit/citation_integrity",
    "covidqa": "covidqa",
    "expertqa": "omni_long",
    "liveqa": "omni_long",
    "medevidence": "medevidence",
    "medicationqa": "omni_long",
    "medquad": "medquad",
    "mirage": "mirage",
    "mirage-medmcqa": "mirage",
    "mirage-medqa": "mirage",
    "mirage-mmlu": "mirage",
    "omni-long": "omni_long",
    "pubmedqa": "pubmedqa",
    "scifact": "scifact",
}
"""The sets of which records are in the folder of real data. The others are in `test_datasets.py`, and below."""
OWN = "jsonl"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "evaluation.md"
WORDS = {"whole": "the whole set", "part": "a part of the set", "form": "files in its documented form"}


@pytest.mark.shared
@pytest.mark.parametrize("name", sorted(REAL))
def test_five_real_records_are_read(name: str, shared: Path) -> None:
    dataset = open_dataset(name)
    items = list(islice(dataset.read(dataset.find(shared / REAL[name]), "all"), 5))
    assert len(items) == 5 and len({item.id for item in items}) == 5
    for item in items:
        assert item.question.text and (item.gold or item.reference)
        assert item.question.task in dataset.info.tasks
        assert all(letter in {option.letter for option in item.question.options} for letter in item.gold) or (
            not item.question.options
        )


@pytest.mark.parametrize("name", ["medqa", "medmcqa", "pubmedqa", "bioasq"])
def test_omni_rags_short_questions_in_their_documented_form(name: str, tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{name}-{n}",
            "question": f"What is it, case {n}?\nA. one\nB. two",
            "gold": "B",
            "name": name,
            "long": False,
        }
        for n in range(5)
    ]
    other = {**rows[0], "id": "other-1", "name": "seer"}
    path = tmp_path / "test_short.json"
    path.write_text(json.dumps([*rows, other]), encoding="utf-8")
    items = list(open_dataset(f"omni-{name}").read(path, "all"))
    assert [(item.id, item.gold, item.split) for item in items] == [(row["id"], ("B",), "test") for row in rows]
    assert [option.text for option in items[0].question.options] == ["one", "two"]


def test_the_page_says_what_each_loader_was_tried_on() -> None:
    told = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    for name in set(dataset_names()) - {OWN}:
        seen = open_dataset(name).info.seen
        assert told.get(name) == WORDS[seen], name
        assert seen != "form" or name not in REAL, name
        assert seen == "form" or name in REAL, name
