"""Data sets: each published format in files written for the test, everything that can be wrong, and the real files."""

import gzip
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from refusals import refused
from rows import each_row
from runs import write_lines

from medground.errors import BadDocument, ConfigError, MedgroundError, UsageError
from medground_evaluate.datasets.registry import (
    OwnRecord,
    check_file,
    dataset_names,
    named_dataset,
    open_dataset,
    recognised,
)
from medground_evaluate.items import Item

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

RECORD = TABLES["record"]


def read(name: str, path: Path, split: str = "all") -> list[Item]:
    dataset = open_dataset(name)
    return list(dataset.read(dataset.find(path), split))


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl" and not isinstance(content, str):
        return write_lines(path, content)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_pubmedqa_in_its_authors_format(tmp_path: Path) -> None:
    path = write(tmp_path / "ori_pqal.json", {"11": RECORD, "12": RECORD | {"final_decision": "maybe"}})
    assert [item.split for item in read("pubmedqa", path)] == ["unknown", "unknown"]
    alone = open_dataset("pubmedqa").hash(path)
    write(tmp_path / "test_ground_truth.json", {"12": "maybe"})
    one, two = read("pubmedqa", tmp_path)
    assert (one.id, one.split, one.gold, one.reference) == ("11", "train", ("yes",), "It helps.")
    assert (two.split, two.gold, two.documents, two.headings) == ("test", ("maybe",), ("PMID:12",), ("Aspirin",))
    assert one.context[0].text == "We asked.\n\nIt fell by half."  # without the long answer
    assert open_dataset("pubmedqa").hash(path) != alone


def test_pubmedqas_questions_made_of_titles(tmp_path: Path) -> None:
    made = {str(n): {**RECORD, "final_decision": said} for n, said in enumerate(["yes", "no", "yes", "no", "yes"], 1)}
    whole = write(tmp_path / "ori_pqaa.json", made)
    assert [(item.split, item.gold[0]) for item in read("pubmedqa-artificial", whole)] == [
        ("train", said) for said in ("yes", "no", "yes", "no", "yes")
    ]
    held_out = write(tmp_path / "dev" / "pqaa_dev_set.json", made)
    assert {item.split for item in read("pubmedqa-artificial", held_out)} == {"validation"}
    assert [one.info.name for one in recognised(held_out)] == ["pubmedqa-artificial"]
    with pytest.raises(MedgroundError):
        read("pubmedqa-artificial", write(tmp_path / "bad" / "ori_pqaa.json", {"1": {"QUESTION": "Is it?"}}))


def test_mirage_benchmark(tmp_path: Path) -> None:
    yes_no = {"A": "yes", "B": "no"}
    maybe = {"question": "Does it?", "options": yes_no | {"C": "maybe"}, "answer": "C", "PMID": [21]}
    benchmark = {
        "medqa": {"0001": {"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "B"}},
        "pubmedqa": {"21": maybe},
        "bioasq": {"ab": {"question": "Is it?", "options": yes_no, "answer": "A", "PMID": [5, 6]}},
    }
    path = write(tmp_path / "benchmark.json", benchmark)
    items = {item.id: item for item in read("mirage", tmp_path)}
    assert {name: (item.question.task, item.gold, item.documents) for name, item in items.items()} == {
        "medqa:0001": ("single-choice", ("B",), ()),
        "pubmedqa:21": ("yes-no-maybe", ("maybe",), ("PMID:21",)),
        "bioasq:ab": ("yes-no", ("yes",), ("PMID:5", "PMID:6")),
    }
    assert [item.id for item in read("mirage-bioasq", path)] == ["bioasq:ab"]
    sets = {dataset.info.name for dataset in recognised(path)}
    assert sets == {"mirage", "mirage-medqa", "mirage-pubmedqa", "mirage-bioasq"}


def test_mmlu_and_mmlu_pro(tmp_path: Path) -> None:
    write(tmp_path / "test" / "anatomy_test.csv", '"A nerve, cut,\nhurts",one,two,three,four,C\nNext?,a,b,c,d,A\n')
    write(tmp_path / "val" / "anatomy_val.csv", "Last?,a,b,c,d,D\n")
    write(tmp_path / "test" / "astronomy_test.csv", "Stars?,a,b,c,d,D\n")
    items = read("mmlu", tmp_path)
    assert [item.id for item in items] == ["anatomy-test-000", "anatomy-test-001", "anatomy-val-000"]
    assert [(item.split, item.gold) for item in items[1:]] == [("test", ("A",)), ("validation", ("D",))]
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
    closed = {"id": "q1", "type": "yesno", "body": "Is it?", "exact_answer": "Yes", "ideal_answer": ["It is."]}
    closed["documents"] = [where + "9", where + "8", "http://www.disease-ontology.org/api/x"]
    closed["snippets"] = [{"document": where + "8", "text": text} for text in ("One.", "Two.")]
    open_ = {"id": "q2", "type": "factoid", "body": "Which?", "exact_answer": [["TP53"]], "ideal_answer": ["TP53."]}
    path = write(tmp_path / "11B1_golden.json", {"questions": [closed, open_]})
    one, two = read("bioasq", path)
    assert (one.gold, one.documents, one.context[0].id) == (("yes",), ("PMID:9", "PMID:8"), "PMID:8")
    assert one.context[0].text == "One.\n\nTwo."
    assert (two.question.task, two.gold, two.reference) == ("free", (), "TP53.")
    assert [item.id for item in read("bioasq-yesno", path)] == ["q1"]
    with pytest.raises(UsageError, match="question 1: q1: the gold answer exact_answer is ''"):
        read("bioasq", write(path, {"questions": [closed | {"exact_answer": ""}]}))

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
    refused(BadDocument, "No such file", read, "biomedmcqs", tmp_path)


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
    refused(MedgroundError, "entities", read, "medquad", tmp_path)


def test_omni_rag_lists_with_options_in_the_text(tmp_path: Path) -> None:
    text = "A. Smith, 55, was seen.\nA. not this list\nChoose one:\nA. surgery\nB. radiation (x)\n"
    asked = {"seer": (text, "B"), "mimic": ("EHR\nA. Yes\nB. No", "B"), "ddxplus": ("Dx\nA. x\nB. y\na. z", "a")}
    rows = [
        {"id": f"{name}-1", "question": question, "gold": gold, "name": name, "long": False}
        for name, (question, gold) in asked.items()
    ]
    path = write(tmp_path / "test_short.json", rows)
    ((seer,), (mimic,), (dx,)) = (read(name, path) for name in ("seer", "mimic-iv-ed", "ddxplus"))
    assert (seer.gold, seer.split, dx.gold) == (("B",), "test", ("a",))
    assert [option.text for option in seer.question.options] == ["surgery", "radiation (x)"]
    assert (mimic.question.task, mimic.gold) == ("yes-no", ("no",))


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
    refused(UsageError, "a different MedS-Bench task", read, "ddxplus", path)
    stays = {"Source": "mimic4ed-benchmark", "Definition": ["Predict hospital stay."]}
    stays["Instances"] = [{"input": "Age: 1", "output": "True"}, {"input": "Age: 2", "output": ["False"]}]
    items = read("mimic-iv-ed", write(tmp_path / "task105.json", stays))
    assert [(item.question.task, item.gold) for item in items] == [("yes-no", ("yes",)), ("yes-no", ("no",))]


def test_covidqa_in_squad_format(tmp_path: Path) -> None:
    answers = [{"text": "It fell", "answer_start": 8}]
    question = {"id": 3, "question": "What?", "answers": answers, "is_impossible": False}
    text = "Title\n\nhttps://www.ncbi.nlm.nih.gov/pmc/articles/PMC77/\n\nIt fell by half."
    squad = {"data": [{"paragraphs": [{"document_id": 630, "context": text, "qas": [question]}]}]}
    (item,) = read("covidqa", write(tmp_path / "COVID-QA.json", squad))
    assert (item.reference, item.documents, item.context[0].title) == ("It fell", ("PMC:PMC77",), "Title")


def test_directions_of_reviews(tmp_path: Path) -> None:
    asked = {"question_id": 7, "question": "Is pain higher, lower, or the same?", "original_review": "1"}
    asked |= {"relevant_sources": ["9"], "answer": "uncertain effect"}
    lower = asked | {"question_id": 8, "answer": "lower"}
    found = read("medevidence", write(tmp_path / "questions.jsonl", [asked, lower]))
    assert [(one.question.task, one.gold) for one in found] == [
        ("direction", ("uncertain",)),
        ("direction", ("lower",)),
    ]
    assert found[0].documents == ("PMID:9",)
    mine = {"question": asked["question"], "answer": "no difference"}
    (own,) = read("jsonl", write(tmp_path / "mine.jsonl", [mine]))
    assert (own.question.task, own.gold) == ("direction", ("no difference",))
    with pytest.raises(UsageError, match="the gold answer is 'better', not a direction"):
        read("medevidence", write(tmp_path / "questions.jsonl", [asked | {"answer": "better"}]))


def test_scifact_without_its_corpus_and_its_unlabelled_split(tmp_path: Path) -> None:
    claim = {"id": 1, "claim": "It helps.", "cited_doc_ids": [4]}
    label = {"evidence": {"4": [{"sentences": [0], "label": "CONTRADICT"}]}}
    (item,) = read("scifact", write(tmp_path / "claims_dev.jsonl", [claim | label]))
    assert (item.gold, item.split, item.documents, item.context) == (("no",), "validation", ("DOC:4",), ())
    with pytest.raises(UsageError, match="all of the test split"):
        read("scifact", write(tmp_path / "claims_test.jsonl", [claim]))


def test_claims_with_a_text_that_supports_or_contradicts_them(tmp_path: Path) -> None:
    rows = [
        {"dataset": name, "claim": "Statins help.", "source": source, "label": label, "user_prompt": "Article: ..."}
        for name, source, label in (("scifact", "A trial\nThey helped.", "SUPPORT"), ("medaesqa", "None did.", "NEI"))
    ]
    path = write(tmp_path / "rows.jsonl", rows)
    one, two = read("medfact-bench", path)
    assert (one.id, one.gold) == ("scifact:1", ("yes",))
    assert (one.context[0].title, one.context[0].text) == ("A trial", "They helped.")
    assert (two.id, two.gold, two.context[0].text, two.group) == ("medaesqa:2", ("maybe",), "None did.", one.group)
    assert [dataset.info.name for dataset in recognised(path)] == ["medfact-bench"]
    with pytest.raises(UsageError, match=r"rows\.jsonl: row 1: scifact:1: the label is 'TRUE', not one of SUPPORT"):
        read("medfact-bench", write(path, [rows[0] | {"label": "TRUE"}]))
    arrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet

    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "train-00000-of-00001.parquet")
    assert read("medfact-bench", tmp_path) == [one, two]


def test_sentences_with_papers_that_support_or_contradict_them(tmp_path: Path) -> None:
    labelled = {"text": "Losing weight helps.", "existing_supported_citations": [1]}
    labelled["supported_citations_labels"] = {"2": "Supports", "3": "Neutral", "4": "Contradicts"}
    labelled["contradicted_citations_labels"] = {"5": "Contradict", "6": "Not relevant"}
    topic = {"qa_id": "116", "question": "Can it be prevented?"}
    answer = [labelled, {"text": "So does sport.", "existing_supported_citations": None}]
    path = write(tmp_path / "2025_task_a.json", [{"meta_data": topic, "answer": answer}])
    one, two = read("biogen-2025", tmp_path)
    assert (one.id, one.documents) == ("116-1", ("PMID:1", "PMID:2", "PMID:4", "PMID:5"))
    assert (one.extra["supports"], one.extra["contradicts"]) == (["PMID:2"], ["PMID:4", "PMID:5"])
    assert (two.id, two.documents, two.group, two.extra["question"]) == ("116-2", (), "116", topic["question"])
    assert read("biogen-2025", write(tmp_path / "run.jsonl", [{"metadata": topic, "answer": answer}])) == [one, two]
    refused(UsageError, "not a list of questions", read, "biogen-2025", write(path, {"a": 1}))

    rows = ['116,Losing weight helps.,"A title\nPMID: 7",Supports', "116,Losing weight helps.,PMID: 8,contradicted"]
    head = "qid,answer_sentence,citation,judgement"
    (judged,) = read("biogen-2025", write(tmp_path / "judged.csv", "\n".join([head, *rows]) + "\n"))
    assert (judged.id, judged.extra["supports"], judged.extra["contradicts"]) == ("116-1", ["PMID:7"], ["PMID:8"])
    short = write(tmp_path / "short.csv", f"{head}\n116\n")
    refused(UsageError, "row 2: not a judgement of BioGen", read, "biogen-2025", short)


def test_a_set_of_your_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_sets.py").write_text(
        "from medground_evaluate.datasets.registry import OWN as MINE\nSIZE = 3\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    refused(UsageError, "unknown data set 'my_own_sets:MINE'", open_dataset, "my_own_sets:MINE")
    assert named_dataset("my_own_sets:MINE").info.name == "jsonl"
    for name, message in (("my_own_sets:NO", "no attribute 'NO'"), ("no_sets:NO", "No module named 'no_sets'")):
        refused(ConfigError, message, named_dataset, name)
    refused(ConfigError, "is not a Loader, but int", named_dataset, "my_own_sets:SIZE")


def test_your_own_lines(tmp_path: Path) -> None:
    rows = [
        {"question": "Is it so?", "answer": "no", "task": "yes-no"},
        {"id": "b", "question": "Which?", "options": ["x", "y"], "answer": "B", "split": "train"},
        {"id": "c", "question": "Which two?", "options": {"A": "x", "B": "y", "C": "z"}, "answer": ["A", "C"]},
        {"id": "d", "question": "Why?", "reference": "Because.", "documents": ["PMID:1"], "group": "g"},
    ]
    path = write(tmp_path / "mine.jsonl", rows)
    found = {item.question.task: item.gold for item in read("jsonl", path)}
    assert found == {"yes-no": ("no",), "single-choice": ("B",), "multiple-choice": ("A", "C"), "free": ()}
    assert [dataset.info.name for dataset in recognised(path)] == ["jsonl"]
    assert check_file(open_dataset("jsonl"), path).sizes == {"test": 3, "train": 1}

    page = Path(__file__).resolve().parents[2] / "docs" / "evaluation.md"
    lines = [line.strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("    {")]
    path = write(tmp_path / "mine.jsonl", "\n".join(lines) + "\n")
    assert [item.gold for item in read("jsonl", path)] == [("yes",), ("A", "C"), ()]
    for field in OwnRecord.model_fields:
        assert f"| `{field}` |" in page.read_text(encoding="utf-8")


@each_row(("lines", "message"), TABLES["own lines"])
def test_an_error_is_one_line_with_its_position(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UsageError, match=message) as refused:
        check_file(open_dataset("jsonl"), path)
    assert "\n" not in str(refused.value)


def test_a_damaged_archive_a_wrong_name_and_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"question": "Is it?", "answer": "yes"}\n' * 50)[:-12])
    refused(BadDocument, "gzip file ends early", lambda: check_file(open_dataset("jsonl"), path))
    refused(UsageError, "unknown data set 'pubmed'; available: bioasq", open_dataset, "pubmed")
    refused(UsageError, "does not exist", lambda: open_dataset("pubmedqa").find(tmp_path / "nothing.json"))
    refused(UsageError, "contains no file of bioasq", lambda: open_dataset("bioasq").find(tmp_path))
    with pytest.raises(UsageError, match="does not look like any known data set"):
        recognised(write(tmp_path / "notes.txt", "hello"))


def test_every_set_refuses_other_sets(tmp_path: Path) -> None:
    others = {"a.json": '{"a": [1]}', "b.jsonl": '{"pmid": "x"}\n', "c.csv": "a;b\n", "d.txt": "?"}
    paths = [write(tmp_path / file, content) for file, content in others.items()]
    for name in dataset_names():
        dataset = open_dataset(name)
        assert dataset.info.name == name and dataset.info.licence and dataset.info.obtain
        for path in paths:
            assert not dataset.fits(path)
            with pytest.raises(MedgroundError) as refused:
                check_file(dataset, path)
            assert "\n" not in str(refused.value)


@pytest.mark.slow
@each_row(("name", "place", "sizes", "tasks"), TABLES["counts"])
def test_counts_and_hash(shared: Path, name: str, place: str, sizes: dict[str, int], tasks: dict[str, int]) -> None:
    found = check_file(open_dataset(name), shared / place)
    assert (found.sizes, found.tasks) == (sizes, tasks) and found.known
    assert name in {dataset.info.name for dataset in recognised(shared / place)}


def test_items_come_with_their_answers_documents_and_abstracts(shared: Path) -> None:
    dataset = open_dataset("pubmedqa")
    items = list(dataset.read(dataset.find(shared / "pubmedqa"), "test"))
    assert Counter(item.gold for item in items) == {("yes",): 276, ("no",): 169, ("maybe",): 55}
    assert (items[0].documents, items[0].context[0].id) == (("PMID:21645374",), "PMID:21645374")
    assert all(item.reference not in item.context[0].text for item in items if len(item.reference) > 40)

    dataset = open_dataset("scifact")
    items = list(dataset.read(shared / "scifact", "validation"))
    assert Counter(item.gold for item in items) == {("yes",): 124, ("maybe",): 112, ("no",): 64}
    assert all(tuple(d.id for d in item.context) == item.documents for item in items)


def test_a_changed_release_is_refused(shared: Path, tmp_path: Path) -> None:
    release = gzip.decompress((shared / "pubmedqa/pqa_l.jsonl.gz").read_bytes())
    path = tmp_path / "pqa_l.jsonl"
    path.write_bytes(release.replace(b"mitochondria", b"chloroplast"))
    with pytest.raises(UsageError, match=r"pqa_l\.jsonl has the hash .*--accept dataset_hash"):
        check_file(open_dataset("pubmedqa"), path)
