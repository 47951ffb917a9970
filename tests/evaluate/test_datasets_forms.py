"""Each published format of each set, in files written for the test, and everything that can be wrong with one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import MedgroundError, UsageError
from medground_evaluate.datasets.omni import split_options
from medground_evaluate.datasets.registry import OwnRecord, check_file, dataset_names, open_dataset, recognised
from medground_evaluate.items import Item

RECORD = {
    "QUESTION": "Does aspirin help?",
    "CONTEXTS": ["We asked.", "It fell by half."],
    "LABELS": ["BACKGROUND", "RESULTS"],
    "MESHES": ["Aspirin"],
    "YEAR": "2010",
    "LONG_ANSWER": "It helps.",
    "final_decision": "yes",
}


def read(name: str, path: Path, split: str = "all") -> list[Item]:
    dataset = open_dataset(name)
    return list(dataset.read(dataset.find(path), split))


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_pubmedqa_in_its_authors_format(tmp_path: Path) -> None:
    path = write(tmp_path / "ori_pqal.json", {"11": RECORD, "12": RECORD | {"final_decision": "maybe"}})
    assert [item.split for item in read("pubmedqa", path)] == ["unknown", "unknown"]
    alone = open_dataset("pubmedqa").hash(path)
    write(tmp_path / "test_ground_truth.json", {"12": "maybe"})
    one, two = read("pubmedqa", tmp_path)
    assert (one.id, one.split, one.gold, one.reference) == ("11", "train", ("yes",), "It helps.")
    assert (two.split, two.gold, two.documents, two.headings) == ("test", ("maybe",), ("PMID:12",), ("Aspirin",))
    assert one.context[0].text == "We asked.\n\nIt fell by half."
    assert "helps" not in one.context[0].text
    assert open_dataset("pubmedqa").hash(path) != alone


def test_mirage_benchmark(tmp_path: Path) -> None:
    yes_no = {"A": "yes", "B": "no"}
    benchmark = {
        "medqa": {"0001": {"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "B"}},
        "pubmedqa": {
            "21": {"question": "Does it?", "options": yes_no | {"C": "maybe"}, "answer": "C", "PMID": [21]},
        },
        "bioasq": {"ab": {"question": "Is it?", "options": yes_no, "answer": "A", "PMID": [5, 6]}},
    }
    path = write(tmp_path / "benchmark.json", benchmark)
    items = {item.id: item for item in read("mirage", tmp_path)}
    assert items["medqa:0001"].question.task == "single-choice"
    assert items["medqa:0001"].gold == ("B",)
    assert (items["pubmedqa:21"].question.task, items["pubmedqa:21"].gold) == ("yes-no-maybe", ("maybe",))
    assert items["pubmedqa:21"].extra["letter"] == "C"
    assert (items["bioasq:ab"].question.task, items["bioasq:ab"].documents) == ("yes-no", ("PMID:5", "PMID:6"))
    assert [item.id for item in read("mirage-bioasq", path)] == ["bioasq:ab"]
    assert {dataset.info.name for dataset in recognised(path)} == {
        "mirage",
        "mirage-medqa",
        "mirage-pubmedqa",
        "mirage-bioasq",
    }


def test_mmlu_and_mmlu_pro(tmp_path: Path) -> None:
    write(tmp_path / "test" / "anatomy_test.csv", '"A nerve, cut,\nhurts",one,two,three,four,C\nNext?,a,b,c,d,A\n')
    write(tmp_path / "val" / "anatomy_val.csv", "Last?,a,b,c,d,D\n")
    write(tmp_path / "test" / "astronomy_test.csv", "Stars?,a,b,c,d,D\n")
    items = read("mmlu", tmp_path)
    assert [(item.id, item.split, item.gold) for item in items] == [
        ("anatomy-test-000", "test", ("C",)),
        ("anatomy-test-001", "test", ("A",)),
        ("anatomy-val-000", "validation", ("D",)),
    ]
    assert items[0].question.text == "A nerve, cut, hurts"
    with pytest.raises(UsageError, match=r"b_test\.csv: question 1: 3 columns"):
        read("mmlu", write(tmp_path / "b_test.csv", "a,b,c\n"))

    ten = [f"option {n}" for n in range(10)]
    parquet = {"question_id": 5, "question": "Which?", "options": ten, "answer_index": 9, "category": "health"}
    path = write(tmp_path / "test.jsonl", [parquet, parquet | {"question_id": 6, "category": "law"}])
    (item,) = read("mmlu-pro-health", path)
    assert (item.id, item.gold, len(item.question.options)) == ("5", ("J",), 10)
    agents = {"realidx": "0", "question": "Which?", "options": {"A": "x", "B": "y"}, "answer_idx": "B"}
    (item,) = read("mmlu-pro-health", write(tmp_path / "a.jsonl", [agents | {"category": "health"}]))
    assert item.gold == ("B",)


def test_bioasq_golden_files_alone_and_in_a_folder(tmp_path: Path) -> None:
    where = "http://www.ncbi.nlm.nih.gov/pubmed/"
    golden = {
        "questions": [
            {
                "id": "q1",
                "type": "yesno",
                "body": "Is it?",
                "exact_answer": "Yes",
                "ideal_answer": ["It is."],
                "documents": [where + "9", where + "8", "http://www.disease-ontology.org/api/x"],
                "snippets": [{"document": where + "8", "text": "One."}, {"document": where + "8", "text": "Two."}],
            },
            {"id": "q2", "type": "factoid", "body": "Which?", "exact_answer": [["TP53"]], "ideal_answer": ["TP53."]},
        ]
    }
    path = write(tmp_path / "11B1_golden.json", golden)
    one, two = read("bioasq", path)
    assert (one.gold, one.documents, one.context[0].id) == (("yes",), ("PMID:9", "PMID:8"), "PMID:8")
    assert one.context[0].text == "One.\n\nTwo."
    assert (two.question.task, two.gold, two.reference) == ("free", (), "TP53.")
    assert [item.id for item in read("bioasq-yesno", path)] == ["q1"]
    golden["questions"][0]["exact_answer"] = ""
    with pytest.raises(UsageError, match="question 1: q1: the gold answer exact_answer is ''"):
        read("bioasq", write(path, golden))

    for task in ("7B5_golden", "11B1_golden", "11B2_golden"):
        question = {"id": task, "type": "yesno", "body": "Is it?", "exact_answer": "no", "ideal_answer": "No."}
        write(tmp_path / f"{task}.json", {"questions": [question]})
    dataset = open_dataset("bioasq-yesno")
    assert dataset.find(tmp_path) == tmp_path and dataset.fits(tmp_path)
    splits = {item.id: item.split for item in dataset.read(tmp_path, "all")}
    assert splits == {"7B5_golden": "train", "11B1_golden": "test", "11B2_golden": "test"}
    before = dataset.hash(tmp_path)
    write(tmp_path / "8B1_golden.json", {"questions": []})
    assert dataset.hash(tmp_path) != before


def test_biomedmcqs_text_files(tmp_path: Path) -> None:
    text = (
        "Q1: Which two,\nof these?\nOptions:\nA: one\nB: two,\nin lines\nC: three\n\nQ2: Next?\nOptions:\nA: a\nB: b\n"
    )
    write(tmp_path / "questions_level1_final.txt", text)
    answers = write(tmp_path / "answers_level1_final.txt", "Q1 Answer: A, C\nQ2 Answer: B\n")
    one, two = read("biomedmcqs", tmp_path)
    assert (one.id, one.gold, one.question.text) == ("L1-Q1", ("A", "C"), "Which two, of these?")
    assert [option.text for option in one.question.options] == ["one", "two, in lines", "three"]
    assert (two.id, two.gold) == ("L1-Q2", ("B",))
    write(answers, "Q1 Answer: A, C\n")
    with pytest.raises(UsageError, match=r"questions_level1_final\.txt:9: L1-Q2: the gold answer is missing"):
        read("biomedmcqs", tmp_path)
    answers.unlink()
    with pytest.raises(UsageError, match="does not exist"):
        read("biomedmcqs", tmp_path)


def test_medquad_xml(tmp_path: Path) -> None:
    xml = """<?xml version="1.0" encoding="UTF-8"?>
    <Document id="1" source="CDC" url="https://example.org"><Focus>Flu</Focus><QAPairs>
    <QAPair pid="1"><Question qid="1-1" qtype="treatment">What are the treatments for Flu ?</Question>
    <Answer>Rest, &amp;
       drink.</Answer></QAPair>
    <QAPair pid="2"><Question qid="1-2" qtype="outlook">And then ?</Question><Answer/></QAPair>
    </QAPairs></Document>"""
    write(tmp_path / "9_CDC_QA" / "0000001.xml", xml)
    (item,) = read("medquad", tmp_path)
    assert (item.id, item.reference) == ("CDC:1-1:Flu", "Rest, & drink.")
    entity = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document><Focus>&x;</Focus></Document>'
    write(tmp_path / "9_CDC_QA" / "0000002.xml", entity)
    with pytest.raises(MedgroundError, match="entities"):
        read("medquad", tmp_path)


def test_liveqa_medicationqa_and_expertqa_in_their_owners_formats(tmp_path: Path) -> None:
    xml = """<LiveQA><NLM-QUESTION qid="TQ1"><Original-Question qfile="1"><SUBJECT>ear</SUBJECT>
    <MESSAGE>Why does it hurt?</MESSAGE></Original-Question><ReferenceAnswers><ReferenceAnswer aid="1">
    <ANSWER>An infection.</ANSWER></ReferenceAnswer></ReferenceAnswers></NLM-QUESTION></LiveQA>"""
    (live,) = read("liveqa", write(tmp_path / "live.xml", xml))
    assert (live.id, live.question.text, live.reference) == ("TQ1", "ear Why does it hurt?", "An infection.")
    table = 'Question,Focus (Drug),Question Type,Answer,Section Title,URL\nhow much,aspirin,Dose,"81 mg, daily",,\n'
    (drug,) = read("medicationqa", write(tmp_path / "drugs.csv", table))
    assert (drug.question.text, drug.reference) == ("how much", "81 mg, daily")
    answers = {"gpt4": {"answer_string": "Old.", "revised_answer_string": "New."}}
    rows = [
        {"question": "Why?", "answers": answers, "metadata": {"field": "Healthcare / Medicine"}},
        {"question": "Whose?", "answers": answers, "metadata": {"field": "Law"}},
    ]
    (expert,) = read("expertqa", write(tmp_path / "r2_compiled_anon.jsonl", rows))
    assert (expert.question.text, expert.reference) == ("Why?", "New.")


def test_omni_rag_lists_with_options_in_the_text(tmp_path: Path) -> None:
    text = "A. Smith, 55, was seen.\nA. not this list\nChoose one:\nA. surgery\nB. radiation (x)\n"
    rows = [
        {"id": "seer-1", "question": text, "gold": "B", "name": "seer", "long": False},
        {"id": "mimic-1", "question": "EHR\nA. Yes\nB. No", "gold": "B", "name": "mimic", "long": False},
        {"id": "ddxplus-1", "question": "Dx\nA. x\nB. y\na. z", "gold": "a", "name": "ddxplus", "long": False},
    ]
    path = write(tmp_path / "test_short.json", rows)
    (seer,) = read("seer", path)
    assert (seer.gold, seer.split) == (("B",), "test")
    assert [option.text for option in seer.question.options] == ["surgery", "radiation (x)"]
    (mimic,) = read("mimic-iv-ed", path)
    assert (mimic.question.task, mimic.gold) == ("yes-no", ("no",))
    (dx,) = read("ddxplus", path)
    assert dx.gold == ("a",)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1), min_size=2, max_size=20))
def test_options_are_read_back_from_a_text(options: list[str]) -> None:
    written = [option.strip() or "x" for option in options]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    lines = [f"{letter}. {option}" for letter, option in zip(letters, written, strict=False)]
    text, found = split_options("Which of these?\n" + "\n".join(lines))
    assert text.strip() == "Which of these?"
    assert list(found.values()) == [line[3:] for line in lines]


def test_meds_bench_tasks(tmp_path: Path) -> None:
    definition = "Suggest a treatment. Please choose from: ['Radiation after surgery', 'No radiation']"
    task = {
        "Source": "SEER",
        "Definition": [definition],
        "Instances": [{"input": "Age: 55", "output": "The treatment planning is: No radiation"}],
    }
    path = write(tmp_path / "task131_SEER_text_classification.json", task)
    (seer,) = read("seer", path)
    assert (seer.id, seer.gold) == ("task131-000001", ("B",))
    assert seer.question.text.startswith("Age: 55 Suggest")
    with pytest.raises(UsageError, match="a different MedS-Bench task"):
        read("ddxplus", path)
    stays = {"Source": "mimic4ed-benchmark", "Definition": ["Predict hospital stay."]}
    stays["Instances"] = [{"input": "Age: 1", "output": "True"}, {"input": "Age: 2", "output": ["False"]}]
    items = read("mimic-iv-ed", write(tmp_path / "task105.json", stays))
    assert [(item.question.task, item.gold) for item in items] == [("yes-no", ("yes",)), ("yes-no", ("no",))]


def test_covidqa_in_squad_format(tmp_path: Path) -> None:
    question = {
        "id": 3,
        "question": "What?",
        "answers": [{"text": "It fell", "answer_start": 8}],
        "is_impossible": False,
    }
    text = "Title\n\nhttps://www.ncbi.nlm.nih.gov/pmc/articles/PMC77/\n\nIt fell by half."
    squad = {"data": [{"paragraphs": [{"document_id": 630, "context": text, "qas": [question]}]}]}
    (item,) = read("covidqa", write(tmp_path / "COVID-QA.json", squad))
    assert (item.reference, item.documents, item.context[0].title) == ("It fell", ("PMC:PMC77",), "Title")


def test_scifact_without_its_corpus_and_its_unlabelled_split(tmp_path: Path) -> None:
    claim = {"id": 1, "claim": "It helps.", "cited_doc_ids": [4]}
    label = {"evidence": {"4": [{"sentences": [0], "label": "CONTRADICT"}]}}
    (item,) = read("scifact", write(tmp_path / "claims_dev.jsonl", [claim | label]))
    assert (item.gold, item.split, item.documents, item.context) == (("no",), "validation", ("DOC:4",), ())
    with pytest.raises(UsageError, match="all of the test split"):
        read("scifact", write(tmp_path / "claims_test.jsonl", [claim]))


def test_your_own_lines(tmp_path: Path) -> None:
    rows = [
        {"question": "Is it so?", "answer": "no", "task": "yes-no"},
        {"id": "b", "question": "Which?", "options": ["x", "y"], "answer": "B", "split": "train"},
        {"id": "c", "question": "Which two?", "options": {"A": "x", "B": "y", "C": "z"}, "answer": ["A", "C"]},
        {"id": "d", "question": "Why?", "reference": "Because.", "documents": ["PMID:1"], "group": "g"},
    ]
    path = write(tmp_path / "mine.jsonl", rows)
    tasks = [(item.question.task, item.gold) for item in read("jsonl", path)]
    assert tasks == [
        ("yes-no", ("no",)),
        ("single-choice", ("B",)),
        ("multiple-choice", ("A", "C")),
        ("free", ()),
    ]
    assert [dataset.info.name for dataset in recognised(path)] == ["jsonl"]
    assert check_file(open_dataset("jsonl"), path).sizes == {"test": 3, "train": 1}

    page = Path(__file__).resolve().parents[2] / "docs" / "evaluation.md"
    lines = [line.strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("    {")]
    path = write(tmp_path / "mine.jsonl", "\n".join(lines) + "\n")
    assert [item.gold for item in read("jsonl", path)] == [("yes",), ("A", "C"), ()]
    for field in OwnRecord.model_fields:
        assert f"| `{field}` |" in page.read_text(encoding="utf-8")


@each_row(
    ("content", "message"),
    [
        ('{"question": "Is it?", "answer": "yes"}\n{"question": "Wh', r"f\.jsonl:2: the last line is truncated"),
        ('{"question": "Is it?"}\n', r"f\.jsonl:1: .*: the gold answer is missing"),
        ('{"question": "Is it?", "answer": "perhaps"}\n', "'perhaps' is not one of yes, no, maybe"),
        ('{"question": "Which?", "options": ["a", "b"], "answer": "C"}\n', "'C' is not one of A, B"),
        ('{"question": "Which?", "options": ["a"], "answer": "A"}\n', "at least two options"),
        ('{"question": " ", "answer": "yes"}\n', "the question is empty"),
        ('{"id": "a", "question": "Is it?", "answer": "no"}\n' * 2, r"f\.jsonl:2: the id 'a' occurs twice"),
        (
            '{"question": "Is it?", "answer": "no", "gold": 1}\n',
            r"f\.jsonl:1: not a record of jsonl; the field 'gold' is unknown",
        ),
        ('{"text": "Is it?", "answer": "no"}\n', 'not a record of jsonl; the field "question" is missing'),
        (
            '{"question": "Which?", "task": "single-choice", "options": ["a", "b"], "answer": ["A", "B"]}\n',
            "2 gold answers, but a single-choice question has one",
        ),
        ("[1]\n", r"f\.jsonl:1: not a JSON object"),
        ("", "has no questions of jsonl"),
        ("\n\n", "has no questions of jsonl"),
        ('{"question": "Is it?", "answer": "no", "documents": ["1"]}\n', "not a document id"),
    ],
)
def test_an_error_is_one_line_with_its_position(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message) as refused:
        check_file(open_dataset("jsonl"), path)
    assert "\n" not in str(refused.value)


def test_a_damaged_archive_a_wrong_name_and_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"question": "Is it?", "answer": "yes"}\n' * 50)[:-12])
    with pytest.raises(UsageError, match="damaged gzip"):
        check_file(open_dataset("jsonl"), path)
    with pytest.raises(UsageError, match="unknown data set 'pubmed'; available: bioasq"):
        open_dataset("pubmed")
    with pytest.raises(UsageError, match="does not exist"):
        open_dataset("pubmedqa").find(tmp_path / "nothing.json")
    with pytest.raises(UsageError, match="contains no file of bioasq"):
        open_dataset("bioasq").find(tmp_path)
    with pytest.raises(UsageError, match="does not look like any known data set"):
        recognised(write(tmp_path / "notes.txt", "hello"))


@each_row("name", dataset_names())
def test_every_set_refuses_other_sets(tmp_path: Path, name: str) -> None:
    dataset = open_dataset(name)
    assert dataset.info.name == name
    assert dataset.info.licence
    assert dataset.info.obtain
    for file, content in (("a.json", '{"a": [1]}'), ("b.jsonl", '{"pmid": "x"}\n'), ("c.csv", "a;b\n"), ("d.txt", "?")):
        path = write(tmp_path / file, content)
        assert not dataset.fits(path)
        with pytest.raises(MedgroundError) as refused:
            check_file(dataset, path)
        assert "\n" not in str(refused.value)
