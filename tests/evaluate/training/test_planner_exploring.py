"""Exploring and judging, from files that resume to the commands: failures, labels made by hand beside the judge's."""

import asyncio
import csv
import json
import tomllib
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import run as medground
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from views import keyless

from medground.errors import BadDocument, ConfigError, ModelFailed, UsageError
from medground.home.settings import Settings
from medground.models.operators.base import InvalidOutput
from medground.recipes.omni_rag.operators import ExploredSource
from medground.values.document import Passage, SourceKind
from medground.values.question import Option, Question
from medground.values.source_plan import SourceQuery
from medground_evaluate.datasets.registry import Source
from medground_evaluate.items import Item
from medground_evaluate.planning import exploring as operators
from medground_evaluate.planning.explore import Exploration, cost_lines, explore_questions
from medground_evaluate.planning.judging import (
    agreement,
    gain,
    judge_explored,
    judged,
    log_odds,
    one_call,
    rerank_score,
    shown,
    write_sheet,
)
from medground_evaluate.planning.work import (
    Explored,
    Judged,
    Spent,
    TrainItem,
    Tried,
    WorkFile,
    read_work,
    work_through,
)

TABLES = tomllib.loads((Path(__file__).parents[1] / "tables.toml").read_text(encoding="utf-8"))


def exploring(records: Path, settings: Settings, out: Path, **options: object) -> object:
    wanted = Exploration(Source(records), **options)  # type: ignore[arg-type]
    return asyncio.run(explore_questions(wanted, settings, out, workers=2))


@pytest.fixture
def explored_file(records_file: Path, settings: Settings, tmp_path: Path) -> Path:
    out = tmp_path / "explored.jsonl"
    exploring(records_file, settings, out, queries=3)
    return out


def test_a_stopped_exploration_resumes_where_it_was(
    explored_file: Path, records_file: Path, settings: Settings, tmp_path: Path
):
    whole = explored_file.read_bytes()
    lines = whole.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[:5]) + lines[5][:40])  # killed while it wrote a line
    exploring(records_file, settings, cut, queries=3)
    again = cut.read_bytes().splitlines(keepends=True)
    assert again[:5] == lines[:5], "finished questions are kept as they are"
    assert {json.loads(line)["question"]["id"] for line in again[1:]} == {str(1000 + n) for n in range(12)}
    refused(UsageError, "different options", exploring, records_file, settings, cut, queries=4)
    refused(UsageError, "holds exploration, not judgements", read_work, cut, Judged)


def test_what_cannot_be_explored_is_one_line(records_file: Path, settings: Settings, tmp_path: Path):
    with pytest.raises(UsageError, match="there is no source to explore; name corpora with --corpus"):
        exploring(records_file, settings.with_options({"omni_rag.only": "book"}), tmp_path / "x")
    with pytest.raises(UsageError, match="0 workers cannot work"):
        asyncio.run(explore_questions(Exploration(Source(records_file)), settings, tmp_path / "x", workers=0))
    other = tmp_path / "other.jsonl"
    other.write_text('{"nothing": 1}\n')
    refused(BadDocument, "not a file of planner training", read_work, other, Explored)


def asked(answer: str = "yes", **fields: object) -> TrainItem:
    return TrainItem(
        id="1", text="Does zinc prevent gout?", task="yes-no-maybe", gold=("yes",), answer=answer, **fields
    )


def explored(kind: SourceKind = "research", passages: int = 4, **fields: object) -> Explored:
    pieces = {
        f"X:{n}#0-6": Passage(document_id=f"X:{n}", start=0, end=6, kind=kind, text=f"zinc {n}")
        for n in range(passages)
    }
    tried = Tried(source=kind, query=SourceQuery(text="zinc"), state="found", found=tuple(pieces))
    return Explored(question=asked(**fields), queries=(tried,), passages=pieces)


Makes = Callable[..., Any]


@each_row(("said", "label"), [("Yes.", "positive"), ("no", "negative"), ("it depends", "failed")])
def test_a_judge_that_says_neither_yes_nor_no_has_failed(make_run: Makes, scripted_model: Makes, said: str, label: str):
    output = operators.JudgeOutput(reason="because", answer=said)
    failed = ModelFailed("neither yes nor no", model="m", unreadable=True)
    judge = scripted_model({"judge_found": failed if label == "failed" else output})
    run = make_run("Does zinc prevent gout?", model=judge, by_model=["judge_found"])
    options = (Option(letter="A", text="gout"),)
    (query,) = asyncio.run(judged(explored(options=options), one_call, None, run)).queries
    assert query.label == label and [value.options for _, value in judge.seen] == [options]
    assert label != "failed" or "neither yes nor no" in query.why


def test_a_source_that_was_not_reached_is_not_negative_and_nothing_found_needs_no_call(make_run: Makes):
    queries = tuple(
        Tried(source="research", query=SourceQuery(text=state), state=state) for state in ("failed", "empty")
    )
    one = explored().model_copy(update={"queries": queries})
    lines = asyncio.run(judged(one, one_call, None, make_run("Does zinc prevent gout?")))
    assert [(q.label, q.why) for q in lines.queries] == [
        ("failed", "the source could not be searched"),
        ("negative", "nothing was found"),
    ]


@each_row(("kind", "found", "read"), [("research", 5, 5), ("graph", 5, 3), ("graph", 1, 1)])
def test_the_latter_half_of_a_graphs_result_is_not_judged(kind: SourceKind, found: int, read: int):
    one = explored(kind, found)
    assert [piece.document_id for piece in shown(one.queries[0], one)] == [f"X:{n}" for n in range(read)]
    assert len(shown(one.queries[0], one, 2)) == min(2, read)


def test_a_question_whose_model_is_down_is_tried_again_and_the_others_are_kept(explored_file: Path, tmp_path: Path):
    head, lines = read_work(explored_file, Explored)

    async def do(one: Explored) -> Judged:
        if one.question.id == "1003":
            raise ModelFailed("it does not answer", model="m")
        return Judged(question=one.question)

    out = tmp_path / "judged.jsonl"
    head = head.model_copy(update={"step": "judgements"})
    questions = {one.question.id: one for one in lines}
    finished = asyncio.run(work_through(questions, do, out, head, Judged, started=0.0, workers=3))
    assert finished.unfinished == {"1003": "m: it does not answer"}
    with WorkFile(out, head, Judged), pytest.raises(UsageError, match="being written by another run"):
        WorkFile(out, head, Judged)
    assert len(read_work(out, Judged)[1]) == 11


def test_the_signals_of_the_baselines(make_run: Makes, monkeypatch: pytest.MonkeyPatch):
    one, run = explored(), make_run("Does zinc prevent gout?")
    refused(ConfigError, "need a reranker", lambda: asyncio.run(rerank_score(one, [], run)))
    refused(ConfigError, "need a model that answers", lambda: asyncio.run(gain(one, [], run)))
    half = SimpleNamespace(name="half", score=lambda question, passages: [0.5 for _ in passages])
    monkeypatch.setattr("medground_evaluate.planning.judging.open_reranker", lambda name, models: half)
    made = asyncio.run(rerank_score(one, list(one.passages.values()), run))
    assert made.score == 0 and not made.positive
    assert log_odds(0.5) == 0 and log_odds(0.9089) == pytest.approx(2.3, abs=1e-2) and log_odds(1.0) < 14


def labelled(sheet: Path, label: Callable[[dict[str, str]], str]) -> None:
    """Fills the sheet in as a person would."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "supports": label(row)} for row in rows)


def test_labels_made_by_hand_beside_those_of_the_judge(explored_file: Path, settings: Settings, tmp_path: Path):
    judged_file, sheet = tmp_path / "judged.jsonl", tmp_path / "sheet.csv"
    asyncio.run(judge_explored(explored_file, settings, judged_file))
    _, lines = read_work(judged_file, Judged)
    assert write_sheet(read_work(explored_file, Explored)[1], sheet, samples=20) == 20
    assert "positive" not in sheet.read_text() and "without a model" not in sheet.read_text(), "the sheet is blind"
    refused(UsageError, "may hold labels", write_sheet, [], sheet)
    refused(UsageError, "no labelled query in common", agreement, sheet, lines)
    label_of = {(one.question.id, q.source, q.query): q.label for one in lines for q in one.queries}

    def right(row: dict[str, str]) -> bool:
        return label_of[row["id"], row["source"], SourceQuery(term=row["term"], text=row["query"])] == "positive"

    labelled(sheet, lambda row: "yes" if right(row) else "No")
    same = agreement(sheet, lines)
    assert (same.labels, same.accuracy, same.supports.f1) == (20, 1.0, 1.0)
    rest = iter(range(20))
    labelled(sheet, lambda row: ("n" if right(row) else "y") if next(rest) < 10 else "")
    assert (agreement(sheet, lines).labels, agreement(sheet, lines).accuracy) == (10, 0)
    assert "kappa" in agreement(sheet, lines).line("keyless")
    labelled(sheet, lambda row: "perhaps")
    refused(BadDocument, r"sheet\.csv:2: the label 'perhaps' is neither", agreement, sheet, lines)


def test_the_cost_and_the_gold_answer_in_words() -> None:
    spent = [
        Spent(retrieval_seconds=1, inference_seconds=2, input_tokens=100, output_tokens=10, price=Decimal("0.01")),
        Spent(retrieval_seconds=3, inference_seconds=4, input_tokens=300, output_tokens=30, price=Decimal("0.03")),
    ]
    row = " ".join(cost_lines("exploration", spent * 720, 2)[1].split())
    assert row == "exploration 1,440 2.000 3.000 200 20 0.020000 1.000"  # 5 s each, two at a time
    assert "unknown" in cost_lines("exploration", [*spent, Spent(price=None)], 1)[1]

    question = Question.ask("Which vitamin prevents scurvy?", options={"A": "A", "B": "vitamin C"})
    assert TrainItem.of(Item(id="1", question=question, gold=("B",))).answer == "B: vitamin C"
    closed = Question.ask("Does zinc prevent gout?")
    assert (
        TrainItem.of(Item(id="1", question=closed, gold=("no",), reference="It does not.")).answer == "no: It does not."
    )


run = partial(medground, "train", "planner")


def test_explore_judge_label_agree_and_export(
    settings: Settings, records_file: Path, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("MEDGROUND_HOME", str(settings.home))
    explored, judged, sheet = (str(tmp_path / name) for name in ("explored.jsonl", "judged.jsonl", "sheet.csv"))
    source = ("explore", "--from", str(records_file), "--out", explored, "-c", "small", "-q", "--queries", "2")
    assert run(*source, "--workers", "3") == 0
    said = capsys.readouterr().out
    assert "12 questions of pubmedqa, exploration by keyless" in said and "small: 24 queries (" in said
    assert "retrieval s" in said and "US$ a question" in said
    assert run("judge", explored, "--out", judged, "-q") == 0
    assert "judgements by keyless" in capsys.readouterr().out
    _, lines = read_work(Path(explored), Explored)
    assert all(key in one.passages for one in lines for tried in one.queries for key in tried.found)
    queries = [query for one in read_work(Path(judged), Judged)[1] for query in one.queries]
    assert {query.label for query in queries} <= {"positive", "negative"}
    positive = [query for query in queries if query.label == "positive"]
    assert positive and all(query.why.startswith("without a model: the gold document") for query in positive)
    assert run("label", explored, "--out", sheet, "--samples", "5") == 0
    labels = iter(["no", *["yes"] * 4])
    labelled(Path(sheet), lambda row: next(labels))
    assert run("agreement", sheet, judged) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("judge keyless: kappa ") and "with 5 labels made by hand, 4 of them yes" in told
    assert run("export", judged, "--out", str(tmp_path / "set"), "--labels", sheet) == 0
    said = capsys.readouterr().out
    assert "labelled by judge keyless" in said and "licence     small: not recorded" in said and told in said
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text())
    assert manifest["agreement"] == told and manifest["counts"]["positive"] > 0


@each_row(("words", "told"), TABLES["planner mistakes"])
def test_a_mistake_is_one_line(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    said = capsys.readouterr().err.strip()
    assert told in said and "\n" not in said
    assert not (tmp_path / "x").exists()


# The operators: every source gets different queries, and a judge says yes or no

QUESTION = "Does low-dose aspirin reduce the risk of stroke in patients with diabetes mellitus?"
SOURCES = (
    ExploredSource(name="book", kind="book", about="Textbooks."),
    ExploredSource(name="research", kind="research", about="Abstracts."),
    ExploredSource(name="graph", kind="graph", about="Concepts."),
)
ASKED = operators.ExploreInput(question=QUESTION, sources=SOURCES)


def test_without_a_model_each_source_gets_six_different_queries():
    plan = keyless(operators.explore, ASKED).plan
    assert [one.source for one in plan] == ["book", "research", "graph"]
    for one in plan:
        assert len({(query.term, query.text) for query in one.queries}) == 6
        assert all(bool(query.term) == (one.source == "graph") for query in one.queries)
    assert {query.text for query in plan[0].queries} != {query.text for query in plan[1].queries}


@given(st.text(min_size=1, max_size=300).filter(str.strip), st.integers(1, 12))
def test_any_question_can_be_explored(question: str, number: int):
    value = operators.ExploreInput(question=question, sources=SOURCES, queries_for_each=number)
    output = operators.explore.keyless(value)
    operators.explore.check(value, output)
    assert all(1 <= len(one.queries) <= number for one in output.plan)


def test_an_unknown_or_forgotten_source_is_refused():
    for names, told in ((("book", "wiki"), "unknown source ids wiki"), (("book",), "no queries for")):
        plan = tuple(
            operators.SourceQueries(source=name, queries=(operators.WrittenQuery(text="aspirin"),)) for name in names
        )
        with pytest.raises(InvalidOutput, match=told):
            operators.explore.check(ASKED, operators.ExploreOutput(plan=plan))


@each_row(("said", "read"), TABLES["yes or no"])
def test_yes_and_no_are_read_from_what_judges_write(said: object, read: str):
    assert operators.read_yes_no(said) == read


def judging(answer: str, gold: tuple[str, ...], *documents: tuple[str, str]) -> operators.JudgeInput:
    views = tuple(operators.FoundView(text=text, document_id=name) for name, text in documents)
    return operators.JudgeInput(question=QUESTION, gold_answer=answer, documents=views, gold_documents=gold)


def test_a_judge_that_says_neither_is_refused_and_gold_ids_are_not_shown():
    assert "PMID:77" not in operators.judge_found.prompt(judging("yes", ("PMID:77",), ("PMID:77", "aspirin")))
    with pytest.raises(InvalidOutput, match="neither yes nor no"):
        operators.judge_found.check(judging("yes", ()), operators.JudgeOutput(reason="", answer="maybe"))


@each_row(
    ("value", "answer", "why"),
    [
        (judging("yes", ("PMID:1",), ("PMID:2", "a"), ("PMID:1", "b")), "yes", "the gold document PMID:1 was found"),
        (judging("yes", ("PMID:1",), ("PMID:2", "aspirin")), "no", "no gold document"),
        (judging("Haemorrhage outweighs benefit", (), ("X:1", "benefit of haemorrhage")), "yes", "67%"),
        (judging("Haemorrhage outweighs benefit", (), ("X:1", "headache")), "no", "0%"),
    ],
)
def test_the_judgement_without_a_model_says_what_it_rests_on(value: operators.JudgeInput, answer: str, why: str):
    output = keyless(operators.judge_found, value)
    assert output.answer == answer
    assert output.reason.startswith("without a model") and why in output.reason
    refused(
        ModelFailed,
        "neither yes nor no",
        lambda: keyless(operators.judge_found, judging("yes", (), ("X:1", "aspirin"))),
    )
