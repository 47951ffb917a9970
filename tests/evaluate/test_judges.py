"""Judges: both orders, ties, only where both are correct, unusable replies never win, people in the same format."""

import asyncio
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_peer import ChatPeer, chat
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from runs import header, line, write_lines, write_run
from typer.testing import CliRunner

from medground.errors import ConfigError, ModelFailed, UsageError
from medground.models.operators.base import EvidenceView
from medground.models.registry import Models
from medground_evaluate.agreement import judges_agreement
from medground_evaluate.cli.commands import eval_app
from medground_evaluate.compare import Result
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.experiments.figures import read_row
from medground_evaluate.experiments.form import PAPERS, read_experiment
from medground_evaluate.experiments.judging import check_judge, judge_rows
from medground_evaluate.experiments.run import Made, Options
from medground_evaluate.experiments.table import notes, results, table
from medground_evaluate.judges import results as summaries
from medground_evaluate.judges.judge import judge_long, judge_pairs, pairs_of
from medground_evaluate.judges.judgements import (
    LONG_AXES,
    CompareInput,
    CompareOutput,
    ExplanationMarks,
    Judgement,
    LongAnswerMarks,
    Mark,
    RateInput,
    RateOutput,
)

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

Scripted = Callable[..., Any]


def a_run(
    name: str, texts: Mapping[str, str], *, right: bool = True, model: str = "openai:small", **more: Any
) -> Result:
    said = "yes" if right else "no"
    lines = {i: line(i, "yes", said, question=f"Is {i} so?", task="yes-no", text=text) for i, text in texts.items()}
    return Result(name, header(dataset="jsonl", model=model, items=len(texts), **more), lines)


def written(folder: Path, run: Result) -> Path:
    return write_run(folder / f"{run.name}.jsonl", run.lines.values(), **run.header.model_dump())


def output(*words: str) -> str:
    return CliRunner().invoke(eval_app, words, catch_exceptions=False).output


def marks(score: int) -> ExplanationMarks:
    mark = Mark(score=score, justification="so it reads")
    return ExplanationMarks(soundness=mark, grounding=mark, relevance=mark, trustworthiness=mark)


def prefers(word: str) -> Callable[[CompareInput], CompareOutput]:
    """A judge that prefers the answer containing `word`."""

    def say(value: CompareInput) -> CompareOutput:
        likes = [word in text for text in (value.first, value.second)]
        better: Any = {(True, False): "first", (False, True): "second"}.get((likes[0], likes[1]), "tie")
        return CompareOutput(first=marks(5 if likes[0] else 2), second=marks(5 if likes[1] else 2), better=better)

    return say


def judged(model: Any, one: Result, other: Result, out: Path, **more: Any) -> list[Judgement]:
    models = Models(model.name, {}, {model.name: model})
    return asyncio.run(judge_pairs(models, one, other, out, **more))


def only(lines: list[Judgement]) -> summaries.PairResult:
    (result,) = summaries.pair_results(lines)
    return result


GOOD = {"q1": "a good reason", "q2": "a good reason", "q3": "a poor reason"}
PLAIN = {"q1": "a poor reason", "q2": "a good reason", "q3": "a good reason"}


@pytest.fixture
def judge(scripted_model: Scripted) -> Any:
    """A judge that prefers what is good."""
    return scripted_model({"compare_explanations": prefers("good")}, name="openai:judge")


def test_win_tie_and_loss_in_both_orders(judge: Any, tmp_path: Path) -> None:
    out = tmp_path / "j.jsonl"
    result = only(judged(judge, a_run("ours", GOOD), a_run("base", PLAIN), out, concurrency=3))
    assert (result.one, result.other, result.questions, result.judged) == ("ours", "base", 3, 3)
    assert result.first_preferred == 0.5
    assert len(judge.seen) == 6
    for axis in result.axes:
        assert (axis.wins, axis.ties, axis.losses, axis.flipped) == (1, 1, 1, 0)
    assert result.axes[1].mean == pytest.approx((5 + 5 + 2) / 3)
    assert summaries.read_marked([out]).lines[0].marks[0]["soundness"].justification == "so it reads"


def test_runs_that_are_compared() -> None:
    one, other = a_run("a", {"q1": "x", "q2": "x", "q3": " "}), a_run("b", {"q1": "x", "q2": "x", "q3": "x", "q4": "x"})
    other.lines["q2"] = other.lines["q2"].model_copy(update={"answer": ("no",)})
    found = pairs_of(one, other)
    assert (found.right, found.both, found.unexplained) == (("q1",), 3, 1)

    other = a_run("b", GOOD)
    changed = Result("b", other.header.model_copy(update={"dataset_hash": "other"}), other.lines)
    a = a_run("a", GOOD)
    for second, message in (
        (changed, "differ in dataset_hash"),
        (a, "both runs are called a"),
        (a_run("b", {"q9": "x"}), "no question in common"),
    ):
        refused(UsageError, message, pairs_of, a, second)


def test_an_unusable_reply_is_counted_and_is_never_a_win(scripted_model: Scripted, tmp_path: Path) -> None:
    """One order has a usable reply and the other does not: the question is not judged."""
    honest = prefers("good")

    def say(value: CompareInput) -> Any:
        if "q1" in value.question and "good" in value.second:
            return ModelFailed("no valid answer to 'compare_explanations' after all attempts: x", model="m")
        return honest(value)

    model = scripted_model({"compare_explanations": say})
    out = tmp_path / "j.jsonl"
    result = only(judged(model, a_run("ours", GOOD), a_run("base", PLAIN), out))
    assert (result.questions, result.judged, result.not_judged, result.failed) == (3, 2, 0, 1)
    assert all((axis.wins, axis.ties, axis.losses) == (0, 1, 1) for axis in result.axes)
    assert any(
        line.status == "failed" and "no valid answer" in line.error for line in summaries.read_marked([out]).lines
    )


def test_a_served_judge_and_the_command_line(home: Path, tmp_path: Path, loopback: None) -> None:
    paths = [written(tmp_path, run) for run in (a_run("ours", GOOD), a_run("base", PLAIN))]
    reply = CompareOutput(first=marks(5), second=marks(1), better="first").model_dump_json()
    with ChatPeer(chat(reply)) as peer:
        words = ["judge", *map(str, paths), "--model", "openai:judge", "--set", f"model.base_url={peer.url}", "--quiet"]
        shown = output(*words)
        again = CliRunner().invoke(eval_app, [*words, "--json"], catch_exceptions=False).stdout
        assert len(peer.requests) == 5  # two equal explanations share one call; the second command makes none
    assert "3 questions: 3 judged, 0 not judged, 0 failed" in shown
    assert "the answer shown first won 100% of decided comparisons" in shown
    assert "both correct: 3 of 3 questions" in shown
    overall = json.loads(again)["pairs"][0]["axes"][0]
    assert (overall["axis"], overall["wins"], overall["ties"], overall["flipped"]) == ("overall", 0, 3, 3)
    (out,) = (home / "judgements").glob("*.jsonl")
    assert "ours against base, judged by openai:judge" in output("judged", str(out))


def test_a_model_may_not_judge_itself(scripted_model: Scripted, tmp_path: Path) -> None:
    by_operator = {"settings": {"model": {"operators": {"write": "openai:gpt-5"}}}}
    for name, run in (
        ("openai:gpt-5", {"model": "openai:gpt-5"}),
        ("openrouter:openai/gpt-5", {"model": "openai:GPT-5"}),
        ("openai:gpt-5", by_operator),
    ):
        model = scripted_model({}, name=name)
        with pytest.raises(UsageError, match="wrote answers of base"):
            judged(model, a_run("ours", GOOD), a_run("base", PLAIN, **run), tmp_path / "j.jsonl")
        assert model.seen == []


def test_a_file_of_judgements_resumes_for_its_own_judge_only(
    judge: Any, scripted_model: Scripted, tmp_path: Path
) -> None:
    out = tmp_path / "j.jsonl"
    one, other = a_run("ours", GOOD), a_run("base", PLAIN)
    judged(judge, one, other, out, limit=2)
    out.write_bytes(out.read_bytes()[:-20])  # interrupted within the last line
    refusing = scripted_model({"compare_explanations": ConfigError("the key is refused")}, name=judge.name)
    refused(ConfigError, "refused", judged, refusing, one, other, out)
    assert len(summaries.read_marked([out]).lines) == 3
    assert len(judge.seen) == 4
    lines = judged(judge, one, other, out)
    assert (len(judge.seen), len(lines)) == (7, 6)
    assert summaries.read_marked([out]).lines == lines

    notes = tmp_path / "notes.md"
    notes.write_text("my notes, without a line end")
    for path, problem in ((out, "with different runs, judge or instructions"), (notes, "not a file of judgements")):
        before = path.read_bytes()
        with pytest.raises(UsageError, match=problem):
            judged(scripted_model({}, name="other:judge"), one, other, path)
        assert path.read_bytes() == before


def rate(value: RateInput) -> RateOutput:
    scores = {"relevance": 4, "completeness": 5 if value.reference in value.answer else 1, "proficiency": 3}
    scores |= {"interpretability": 2 if value.documents else 0}
    marks = {axis: Mark(score=n, justification="as the rubric says") if n else None for axis, n in scores.items()}
    return RateOutput(marks=LongAnswerMarks(**marks))


def test_long_answers_against_references(scripted_model: Scripted, tmp_path: Path) -> None:
    model = scripted_model({"rate_long_answer": rate})
    models = Models(model.name, {}, {model.name: model})
    run = a_run("long", {"q1": "It is aspirin.", "q2": "It is rest.", "q3": "It is other.", "q4": " "})
    references = {"q1": "aspirin", "q2": "sleep", "q4": "none"}
    documents = {"q1": (EvidenceView(id="E1", quote="Aspirin helps."),)}
    lines = asyncio.run(judge_long(models, run, references, tmp_path / "l.jsonl", documents=documents))
    (result,) = summaries.long_results(lines)
    assert (result.questions, result.judged) == (2, 2)
    assert result.means == {"relevance": 4.0, "completeness": 3.0, "proficiency": 3.0, "interpretability": 2.0}
    with pytest.raises(UsageError, match="no long answer with a reference"):
        asyncio.run(judge_long(models, run, {}, tmp_path / "m.jsonl"))


def person(name: str, said: Mapping[str, str], shown: tuple[str, str] = ("ours", "base")) -> list[Judgement]:
    return [Judgement(item=i, judge=name, shown=shown, better=word) for i, word in said.items()]  # type: ignore[arg-type]


def test_people_and_models_agree_by_kappa(judge: Any, tmp_path: Path) -> None:
    """Hand-computed: outcomes (win, tie, loss) and (win, loss, loss): observed 2/3, chance 1/9 + 0 + 2/9, kappa 1/2."""
    lines = judged(judge, a_run("ours", GOOD), a_run("base", PLAIN), tmp_path / "j.jsonl")
    anna = person("anna", {"q1": "second", "q2": "first", "q3": "first"}, shown=("base", "ours"))
    written = tmp_path / "anna.jsonl"
    written.write_text("".join(line.model_dump_json(exclude_defaults=True) + "\n" for line in anna), encoding="utf-8")
    (agreement,) = judges_agreement([*lines, *summaries.read_marked([written]).lines])
    assert (agreement.axis, agreement.items) == (summaries.OVERALL, 3)
    assert agreement.observed == pytest.approx(2 / 3)
    assert agreement.kappa == pytest.approx(0.5)
    assert agreement.words == "moderate"

    refused(UsageError, "two judges", lambda: judges_agreement(person("anna", {"q1": "first"})))
    with pytest.raises(UsageError, match="judged the same"):
        judges_agreement([*person("anna", {"q1": "first"}), *person("bert", {"q2": "first"})])

    path = tmp_path / "j.jsonl"
    path.write_text('{"item": "q", "judge": "a", "shown": ["x", "y"], "better": "tie"}\n' * 2)
    refused(UsageError, "2 times", summaries.read_marked, [path])
    path.write_text("")
    refused(UsageError, "no judgements", summaries.read_marked, [path])


@each_row(("line", "problem"), [*TABLES["judgements"], ("[" * 100_000, "bad.jsonl:1: not JSON")])
def test_a_line_that_is_not_a_judgement(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line + "\n\n")
    refused(UsageError, problem, summaries.read_marked, [path])


BETTER = st.sampled_from(("first", "second", "tie", None))


@given(st.lists(st.tuples(BETTER, BETTER), min_size=1, max_size=20))
def test_orders_are_symmetric_and_nothing_is_lost(said: list[tuple[Any, Any]]) -> None:
    lines = [
        Judgement(item=f"q{n}", judge="m", pin="p", shown=shown, better=word, status="judged" if word else "not judged")
        for n, words in enumerate(said)
        for shown, word in zip((("a", "b"), ("b", "a")), words, strict=True)
    ]
    result = only(lines)
    assert result.judged + result.not_judged + result.failed == result.questions == len(said)
    assert result.judged == sum(None not in words for words in said)
    swapped = {"win": "loss", "loss": "win", "tie": "tie"}
    ours, theirs = summaries.outcomes(lines, "a", summaries.OVERALL), summaries.outcomes(lines, "b", summaries.OVERALL)
    assert theirs == {item: swapped[word] for item, word in ours.items()}
    assert sum(word == "win" for word in ours.values()) == sum(words == ("first", "second") for words in said)


FILES = PAPERS


def made_of(folder: Path, name: str, first: Result, second: Result) -> Made:
    """An experiment whose two judged rows were run on PubMedQA."""
    experiment = read_experiment(FILES / f"{name}.toml")
    assert experiment.judged is not None
    runs = {
        (row, "pubmedqa"): read_row(written(folder, run), {}, folder)
        for row, run in zip(experiment.judged, (first, second), strict=True)
    }
    return Made(experiment, runs, {}, {}, {})


def judge_made(made: Made, model: Any, home: Path, concurrency: int = 1) -> Made:
    models = Models(model.name, {}, {model.name: model})
    return asyncio.run(judge_rows(made, models, home, concurrency=concurrency))


def test_a_comparison_table_has_our_row_under_each_axis(judge: Any, tmp_path: Path) -> None:
    made = judge_made(made_of(tmp_path, "000/table-2", a_run("ours", GOOD), a_run("base", PLAIN)), judge, tmp_path, 3)
    rows = table(made)
    assert [row[0] for row in rows[2:5]] == ["ours: soundness", "Evidence Grounding", "ours: grounding"]
    assert rows[2][1] == f"judged by {judge.name}"
    loss, tie, win, base, ours = rows[2][2:7]
    assert (loss, tie, base, ours) == ("33.33", "33.33", "4", "4")
    assert win.startswith("33.33 [")
    assert rows[2][7:] == ["needs a judge"] * 5  # MMLU-CK was not run
    said = " ".join(notes(made))
    assert "compared pubmed-reasoner (win) with model only (loss) on 3 questions" in said
    assert results(made)["openai:small"]["judged"]["pubmedqa"]["judged"] == 3
    judge_made(made, judge, tmp_path)
    assert len(judge.seen) == 6  # nothing is judged twice

    runs = a_run("ours", dict.fromkeys(GOOD, "good")), a_run("all", dict.fromkeys(GOOD, "poor"))
    made = judge_made(made_of(tmp_path, "000/table-6", *runs), judge, tmp_path)
    cells = {row[0]: row[3:] for row in table(made)}  # no line of these runs searched
    assert cells["ours: pubmed-reasoner (incomplete)"] == ["5"] * 4
    assert cells["ours: pubmed-reasoner w/o reflective retrieval (incomplete)"] == ["2"] * 4


def test_columns_of_a_judge_without_one_or_without_a_pair_and_an_unusable_judge(
    scripted_model: Scripted, tmp_path: Path
) -> None:
    runs = a_run("ours", GOOD), a_run("base", PLAIN, right=False)
    made = made_of(tmp_path, "000/table-8", *runs)
    assert table(made)[2] == ["ours: soundness", "not judged", *["needs a judge"] * 5]
    assert "name one with --judge" in " ".join(notes(made))
    said = " ".join(notes(judge_made(made, scripted_model({}), tmp_path)))
    assert "judge on pubmedqa: no question that both rows answer correctly" in said
    broken = scripted_model({"compare_explanations": lambda _: ModelFailed("unusable", model="m")})
    failed = judge_made(made_of(tmp_path, "000/table-8", a_run("a", GOOD), a_run("b", PLAIN)), broken, tmp_path)
    assert table(failed)[2][2:] == ["needs a judge"] * 5
    assert "judged 0, not judged 0, failed 3" in " ".join(notes(failed))

    one, two = (read_experiment(FILES / "000" / f"table-{n}.toml") for n in (1, 2))
    for experiment, name, words in ((one, "openai:gpt-5", "has no column that"), (two, "groq:small", "answers a row")):
        with pytest.raises(UsageError, match=words):
            check_judge(experiment, name, Options(data=FILES, model="openai:small"))


REFERENCES = {"q1": "With rest.", "q2": "With sleep.", "q4": "With food."}
TREATED = {"q1": "It is treated with rest.", "q2": "It is treated with sleep.", "q3": "Unknown.", "q4": ""}


def a_form(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    quotes = {"q1": (EvidenceView(id="E1", quote="Rest helps."),)}
    path = folder / "form.jsonl"
    summaries.write_form(list(summaries.blank_form(a_run("long", TREATED), REFERENCES, quotes)), path)
    return path, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def scores_of(*scores: int | str | None) -> list[dict[str, Any]]:
    """Marks on each axis; a single one is that of all axes."""
    each = scores if len(scores) > 1 else scores * len(LONG_AXES)
    return [{axis: {"score": score} for axis, score in zip(LONG_AXES, each, strict=True)}]


def test_a_form_is_blank_and_filled_lines_are_averaged(tmp_path: Path) -> None:
    path, records = a_form(tmp_path)
    assert [record["item"] for record in records] == ["q1", "q2"]  # q3 has no reference, q4 no text
    assert records[0]["documents"] == ["Rest helps."]
    assert records[0]["marks"] == scores_of(None)
    assert set(records[1]["marks"][0]) == set(LONG_AXES) - {"interpretability"}  # no documents, nothing to mark
    refused(UsageError, "all 2 lines are still blank", summaries.read_marked, [path])
    with pytest.raises(UsageError, match="may hold marks"):
        summaries.write_form(list(summaries.blank_form(a_run("long", TREATED), REFERENCES, {})), path)
    refused(UsageError, "no long answer", summaries.write_form, [], tmp_path / "none.jsonl")

    path.unlink()
    path, records = a_form(tmp_path)
    records[0] |= {"judge": "anna", "marks": scores_of(5, 4, 3, 2)}
    other = [{**records[0], "judge": "bert", "marks": scores_of(4)}]
    found = summaries.read_marked([write_lines(path, records), write_lines(tmp_path / "bert.jsonl", other)])
    assert found.blank == 1
    by_judge = {result.judge: result.means for result in summaries.long_results(found.lines)}
    assert by_judge["anna"] == dict(zip(LONG_AXES, (5.0, 4.0, 3.0, 2.0), strict=True))
    assert by_judge["bert"]["relevance"] == 4.0
    refused(UsageError, "2 times", summaries.read_marked, [path, path])


@each_row(
    ("change", "problem"),
    [
        ({"marks": scores_of(4, None, None, None)}, "marks.0.completeness.score"),
        ({"marks": scores_of(6)}, "less than or equal to 5"),
        ({"marks": scores_of(4), "judge": ""}, "judge"),
        ({"marks": [{"beauty": {"score": 4}}]}, "unknown axes beauty"),
        ({"marks": scores_of("good")}, "marks"),
        ({"marks": scores_of(4), "colour": "red"}, "colour"),
    ],
)
def test_a_line_that_is_not_well_marked_is_refused(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path, records = a_form(tmp_path)
    refused(
        UsageError, problem, summaries.read_marked, [write_lines(path, [{**records[0], "judge": "anna", **change}])]
    )


def test_the_commands_of_a_form(home: Path, tmp_path: Path) -> None:
    asked = {"id": "q1", "question": "How is it treated?", "reference": "With rest."}
    questions = write_lines(tmp_path / "questions.jsonl", [asked])
    path = written(tmp_path, a_run("long", TREATED, dataset_hash=open_dataset("jsonl").hash(questions)))
    form = tmp_path / "form.jsonl"
    words = ["form", str(path), "--data", str(questions), "--out", str(form)]
    shown = output(*words)
    assert "1 answer to mark" in shown
    assert "completeness" in shown
    words = ["judge", str(path), "--model", "keyless", "--data", str(questions), "--quiet"]
    assert "1 questions: 0 judged, 1 not judged, 0 failed" in output(*words)
    refused(UsageError, "give two runs", lambda: output(*words[:4]))
    record = json.loads(form.read_text(encoding="utf-8"))
    filled = {**record, "judge": "anna", "marks": [{axis: {"score": 4} for axis in record["marks"][0]}]}
    write_lines(form, [filled, {**record, "item": "q9"}])
    shown = output("judged", str(form))
    assert "marked by anna" in shown
    assert "1 answer not marked yet" in shown
