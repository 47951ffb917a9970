"""The real files: the number of questions, their answers, and that they never change."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from rows import each_row

from medground.errors import UsageError
from medground_evaluate.datasets.registry import check_file, open_dataset, recognised


@pytest.mark.slow
@each_row(
    ("name", "place", "sizes", "tasks"),
    [
        ("pubmedqa", "pubmedqa", {"test": 500, "train": 500}, {"yes-no-maybe": 1000}),
        ("mirage", "mirage", {"test": 3274}, {"single-choice": 3274}),
        ("mirage-medqa", "mirage/questions.jsonl.gz", {"test": 637}, {"single-choice": 637}),
        ("biomedmcqs", "biomedsearch", {"test": 1000}, {"multiple-choice": 1000}),
        ("scifact", "scifact", {"train": 809, "validation": 300}, {"yes-no-maybe": 1109}),
        ("omni-long", "omni_long", {"train": 1165, "test": 401, "validation": 232}, {"free": 1798}),
        ("liveqa", "omni_long", {"train": 341, "test": 101, "validation": 68}, {"free": 510}),
        ("expertqa", "omni_long", {"train": 374, "test": 150, "validation": 75}, {"free": 599}),
        ("covidqa", "covidqa", {"test": 1388}, {"free": 1388}),
        ("medquad", "medquad", {"test": 16407}, {"free": 16407}),
    ],
)
def test_counts_and_hash(shared: Path, name: str, place: str, sizes: dict[str, int], tasks: dict[str, int]) -> None:
    found = check_file(open_dataset(name), shared / place)
    assert found.sizes == sizes
    assert found.tasks == tasks
    assert found.known


def test_items_come_with_their_answers_documents_and_abstracts(shared: Path) -> None:
    dataset = open_dataset("pubmedqa")
    items = list(dataset.read(dataset.find(shared / "pubmedqa"), "test"))
    assert Counter(item.gold for item in items) == {("yes",): 276, ("no",): 169, ("maybe",): 55}
    assert items[0].documents == ("PMID:21645374",)
    assert items[0].context[0].id == "PMID:21645374"
    assert "Mitochondria" in items[0].headings
    assert all(item.reference not in item.context[0].text for item in items if len(item.reference) > 40)

    dataset = open_dataset("scifact")
    items = list(dataset.read(shared / "scifact", "validation"))
    assert Counter(item.gold for item in items) == {("yes",): 124, ("maybe",): 112, ("no",): 64}
    assert all(tuple(d.id for d in item.context) == item.documents for item in items)

    dataset = open_dataset("mirage-mmlu")
    assert max(len(item.question.text) for item in dataset.read(shared / "mirage/questions.jsonl.gz", "test")) > 4000


@each_row(
    ("file", "names"),
    [
        ("pubmedqa/pqa_l.jsonl.gz", {"pubmedqa"}),
        ("biomedsearch/mcq_level1.jsonl.gz", {"biomedmcqs"}),
        ("covidqa/questions.jsonl", {"covidqa"}),
        ("scifact/claims_dev.jsonl", {"scifact"}),
        ("medquad/qa.jsonl.gz", {"medquad"}),
        ("omni_long/questions.jsonl.gz", {"omni-long", "liveqa", "medicationqa", "expertqa"}),
    ],
)
def test_a_file_is_recognised(shared: Path, file: str, names: set[str]) -> None:
    assert {dataset.info.name for dataset in recognised(shared / file)} == names


def test_a_changed_release_is_refused(shared: Path, tmp_path: Path) -> None:
    import gzip

    changed = gzip.decompress((shared / "pubmedqa/pqa_l.jsonl.gz").read_bytes()).replace(
        b"mitochondria", b"chloroplast"
    )
    path = tmp_path / "pqa_l.jsonl"
    path.write_bytes(changed)
    with pytest.raises(UsageError, match=r"pqa_l\.jsonl has the hash .*--accept dataset_hash"):
        check_file(open_dataset("pubmedqa"), path)
