"""Letters: each is for a sentence that is there, and those that measure are about nothing that was learned from."""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LEARNED, CHOOSING = ROOT / "scripts" / "letters.jsonl", ROOT / "scripts" / "letters_choosing.jsonl"
EARLIER = ROOT / "benchmarks" / "earlier_letters.jsonl"
HELD_OUT, TO_MEND_BY = ROOT / "benchmarks" / "held_out_letters.jsonl", ROOT / "benchmarks" / "letters_to_mend_by.jsonl"
MEASURED = (EARLIER, HELD_OUT, TO_MEND_BY)
LEAST = 0.23
"""Least share of letters that measure or choose to which the collection has no answer."""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])


def papers(data: Path, task: int) -> Iterator[str]:
    content = json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))
    for question in content["questions"]:
        links = [*question["documents"], *(snippet["document"] for snippet in question["snippets"])]
        yield from (f"PMID:{link.rsplit('/', 1)[1]}" for link in links)


@pytest.mark.usefixtures("scripts")
def test_each_letter_is_for_a_whole_sentence_of_its_document(shared: Path) -> None:
    from letters import read_letters, texts

    from medground.language.sentences import sentence_spans

    letters, whole = read_letters(shared), texts(shared)
    assert len(letters) >= 3000
    for letter in letters:
        sentences = [whole[letter.document][start:end] for start, end in sentence_spans(whole[letter.document])]
        assert any(letter.target in one or one in letter.target for one in sentences), letter


@pytest.mark.usefixtures("scripts")
def test_letters_that_measure_are_about_other_diseases_and_papers(shared: Path) -> None:
    from letters import held_out
    from marked import covidqa
    from marked_people import identity, people, records, things

    by_id = {identity(record): record for record in records(shared)}
    ninth = {*papers(shared, 9)}
    before = {*papers(shared, 7), *papers(shared, 8)}
    articles = {f"COV:{one.group.split()[1]}" for one in covidqa(shared, "test")}
    asked = people(shared, "people", seed=7, each=10, wordings=ROOT / "benchmarks" / "people_wordings.json")
    measured = set[str]().union(*(things(by_id[one.id]) for one in asked)) - {""}
    for path in (LEARNED, CHOOSING):
        for document in filter(None, (row["document"] for row in rows(path))):
            assert document not in ninth
            if record := by_id.get(document):
                assert not held_out(record, shared) and things(record).isdisjoint(measured)
    for document in filter(None, (row["document"] for path in MEASURED for row in rows(path))):
        if document.startswith("PMID:") and document not in ninth:
            assert document not in before  # a record of PubMed that no set has
        elif record := by_id.get(document):
            assert held_out(record, shared)
        else:
            assert document in articles or (document in ninth and document not in before)


@pytest.mark.usefixtures("scripts")
def test_letters_that_choose_are_about_other_diseases_and_papers(shared: Path) -> None:
    from marked_people import identity, records, things

    by_id = {identity(record): record for record in records(shared)}

    def about(path: Path) -> set[str]:
        documents = {row["document"] for row in rows(path)} - {None}
        return documents.union(*(things(by_id[one]) for one in documents if one in by_id)) - {""}

    assert about(LEARNED).isdisjoint(about(CHOOSING))


def test_no_script_opens_the_letters_that_are_held_out() -> None:
    opening = [path for path in (ROOT / "scripts").rglob("*.*") if HELD_OUT.stem.encode() in path.read_bytes()]
    assert opening == []


@pytest.mark.usefixtures("scripts")
def test_letters_that_are_held_out_are_about_nothing_that_was_looked_at(shared: Path) -> None:
    from marked_people import identity, records, things

    by_id = {identity(record): record for record in records(shared)}

    def about(path: Path) -> set[str]:
        documents = {row["document"] for row in rows(path)} - {None}
        articles = {one for one in documents if one.startswith("COV:")}  # there are few; each has many sentences
        diseases = set[str]().union(*(things(by_id[one]) for one in documents if one in by_id))
        return (documents | diseases) - articles - {""}

    looked_at = set[str]().union(*map(about, (LEARNED, CHOOSING, EARLIER, TO_MEND_BY)))
    assert about(HELD_OUT).isdisjoint(looked_at)


@pytest.mark.parametrize("path", [HELD_OUT, TO_MEND_BY])
def test_of_a_third_of_the_new_letters_the_answer_is_taken_out(path: Path) -> None:
    letters = rows(path)
    assert sum(row.get("removed", False) for row in letters) * 3 == len(letters)
    assert all(row["document"] and row["answer"] and row["subject"] and row["reason"] for row in letters)


@pytest.mark.parametrize(("path", "least"), [(CHOOSING, 150), (EARLIER, 200)])
def test_letters_with_a_verdict_say_why_and_some_have_no_answer(path: Path, least: int) -> None:
    letters = rows(path)
    unanswered = [row for row in letters if row["answer"] is None]
    assert len(letters) >= least and len(unanswered) >= LEAST * least
    assert all(row["reason"] for row in letters)
    assert all((row["answer"] is None) == (row["document"] is None) for row in letters)
