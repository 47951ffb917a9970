"""Comparison of runs: by hand, against SciPy, through the command, with invalid files; MIRAGE's scorer beside ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from rows import each_row
from runs import header, line, write_lines, write_run
from scipy.stats import binomtest
from typer.testing import CliRunner

from medground.errors import UsageError
from medground_evaluate.cli.compare import compare_runs
from medground_evaluate.compare import compare, items_of, read_result, read_results
from medground_evaluate.datasets.choice import MIRAGE
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.mirage_scorer import MirageScores, Reply, published_choice, score_replies, score_run
from medground_evaluate.statistics import holm, mcnemar, paired_bootstrap


def write(path: Path, answers: str, **fields: Any) -> Path:
    """A run over questions q1, q2, ... with gold `yes yes no no ...`; `-` is a question without an answer."""
    gold = ["yes", "yes", "no", "no"] * 20
    usage = {"model_calls": 2, "input_tokens": 100 * len(answers.split())}
    lines = [
        line(f"q{n}", gold[n - 1], given.strip("-"), usage=usage, text="text " * 9)
        for n, given in enumerate(answers.split(), start=1)
    ]
    settings = {"recipe": {"rounds": 3}}
    return write_run(path, lines, **{"limit": 4, "settings": settings, "snapshots": {"corpus": "c"}, **fields})


def test_holm_and_mcnemar_by_hand() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(1, 0) == 1.0
    assert mcnemar(5, 0) == 2 / 32
    assert mcnemar(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert mcnemar(5_200, 4_800) == pytest.approx(binomtest(4_800, 10_000).pvalue)  # no overflow

    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_paired_bootstrap() -> None:
    found = paired_bootstrap([0, 0, 0], [1, 1, 1])
    assert found is not None
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert found.p == pytest.approx(2 / 10_001)
    same = paired_bootstrap([0.5, 1], [0.5, 1])
    assert same is not None
    assert (same.value, same.low, same.high, same.p) == (0.0, 0.0, 0.0, 1.0)
    assert paired_bootstrap([], []) is None
    assert paired_bootstrap([0], [1], samples=10) == paired_bootstrap([0], [1], samples=10)

    first, other = [0] * 60 + [1] * 340, [1] * 60 + [0] * 20 + [1] * 320
    found = paired_bootstrap(first, other)
    assert found is not None
    deviation = ((80 / 400 - 0.1**2) / 400) ** 0.5  # standard error of the mean of 60 wins and 20 losses
    assert (found.value, found.low, found.high) == pytest.approx(
        (0.1, 0.1 - 1.96 * deviation, 0.1 + 1.96 * deviation), abs=0.004
    )
    assert found.p < 0.001


def test_two_runs_by_hand(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes no no -"), write(tmp_path / "b.jsonl", "yes yes yes no", recipe="ground")]
    found = compare(read_results(paths))
    assert [(row.name, row.accuracy.right, row.accuracy.of) for row in found.rows] == [("rag", 2, 4), ("ground", 3, 4)]
    assert found.majority is not None
    assert (found.majority[0], found.majority[1].value) == ("yes", 0.5)
    (pair,) = found.pairs
    assert (pair.won, pair.lost, pair.both, pair.neither) == (("q2", "q4"), ("q3",), 1, 0)
    assert pair.p == 1.0
    assert pair.difference is not None
    assert pair.difference.value == 0.25
    assert pair.chosen == ("recipe was rag, is ground",)
    assert pair.warnings == ()
    assert found.rows[0].statuses == {"answered": 3, "not judged": 1}

    paths = [write(tmp_path / "a.jsonl", "yes no"), write(tmp_path / "b.jsonl", "yes", recipe="model-only")]
    found = compare(read_results(paths))
    assert found.cost_base == "model-only"
    assert found.rows[0].cost_ratio["input_tokens"] == 2.0
    assert found.rows[0].cost_ratio["model_calls"] == 1.0

    one = write(tmp_path / "a.jsonl", "yes")
    assert compare(read_results([one])).pairs == ()
    names = [r.name for r in read_results([one, write(tmp_path / "b.jsonl", "no", model="other")])]
    assert names == ["rag keyless", "rag other"]
    names = [r.name for r in read_results([one, write(tmp_path / "c.jsonl", "no")])]
    assert names == [f"rag keyless {tmp_path / name}" for name in ("a.jsonl", "c.jsonl")]


@each_row(
    ("field", "value", "said"),
    [
        ("dataset_hash", "other", "dataset_hash was h, is other"),
        ("with_context", True, "with_context was false, is true"),
        ("prompts_hash", "q", "prompts_hash was p, is q"),
        ("snapshots", {"corpus": "d"}, "snapshots.corpus was c, is d"),
        ("versions", {"medground": "0.2.0"}, "medground was 0.1.0, is 0.2.0"),
    ],
)
def test_rows_that_are_not_comparable(tmp_path: Path, field: str, value: Any, said: str) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes"), write(tmp_path / "b.jsonl", "no", **{field: value})]
    (pair,) = compare(read_results(paths)).pairs
    assert [w for w in pair.warnings if said in w], pair.warnings
    assert pair.chosen == ()


def test_what_differs_by_design_between_recipes_is_not_listed(tmp_path: Path) -> None:
    """Each recipe has its own prompts and its own section, which is listed where it differs from its defaults."""
    plain = {"recipe": {"rounds": 3}}
    ten, three = (plain | {"pubmed_reasoner": {"signals": signals, "critic": False}} for signals in (10, 3))
    runs = [("rag", ten), ("self-medrag", plain), ("pubmed-reasoner", three)]
    paths = [
        write(tmp_path / f"{recipe}.jsonl", "yes", prompts_hash=recipe, recipe=recipe, settings=settings)
        for recipe, settings in runs
    ]
    one, other = compare(read_results(paths)).pairs
    assert one.chosen == ("recipe was rag, is self-medrag", "pubmed_reasoner.critic was false, is true")
    assert other.chosen == ("recipe was rag, is pubmed-reasoner", "pubmed_reasoner.signals was 10, is 3")
    assert (one.warnings, other.warnings) == ((), ())


def test_warnings_of_rows(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes yes no no"), write(tmp_path / "b.jsonl", "yes yes")]
    found = compare(read_results(paths))
    assert found.rows[1].accuracy.value == 0.5
    assert found.rows[1].warnings == ("2 of 4 questions are unfinished and count as wrong",)
    assert found.pairs[0].questions == 2
    assert "left out of paired tests: 2" in found.pairs[0].warnings[0]

    path = write(tmp_path / "a.jsonl", "yes no no no", accepted=("medground was 0.1.0, is 0.2.0",))
    assert compare(read_results([path])).rows[0].warnings == ("resumed although medground was 0.1.0, is 0.2.0",)

    path = write(tmp_path / "a.jsonl", "yes no")
    path.write_bytes(path.read_bytes()[:-40])
    assert list(read_result(path).lines) == ["q1"]


def test_an_invalid_file_is_a_one_line_error(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", "yes no")

    def refused(*paths: Path) -> str:
        with pytest.raises(UsageError) as caught:
            compare(read_results(paths))
        return str(caught.value)

    assert "compare runs over the same data set" in refused(
        good, write(tmp_path / "other.jsonl", "yes", dataset="medqa")
    )
    assert "no finished question" in refused(write(tmp_path / "empty.jsonl", ""))
    assert "no runs to compare" in refused()
    assert "given twice" in refused(good, tmp_path / "." / "good.jsonl")
    assert "cannot be read" in refused(tmp_path / "missing.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b"\x00\xff\n")
    assert "not a Medground run" in refused(tmp_path / "bytes.jsonl")
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(good.read_bytes() + good.read_bytes().splitlines(keepends=True)[-1])
    assert "'q2' has two lines" in refused(twice)
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(good.read_bytes() + b'{"id": 3}\n')
    assert "broken.jsonl:4: this line is invalid" in refused(broken)
    renamed = tmp_path / "renamed.jsonl"
    renamed.write_text(good.read_text().replace('"id":"q', '"id":"z'))
    assert "no question in common" in refused(good, renamed)
    renamed.write_text(good.read_text().replace('"gold":["yes"]', '"gold":["no"]'))
    assert "different gold answers for 'q1'" in refused(good, renamed)


def shown(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(compare_runs)
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_shows_everything_a_reader_needs(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", "yes no no -"), write(tmp_path / "b.jsonl", "yes yes yes no", recipe="ground")]
    text = shown(*map(str, paths), "--classes", "--questions", "1")
    assert "always 'yes'" in text
    assert "50.0%" in text
    assert "won 2, lost 1, both correct 1, both wrong 0; exact McNemar p 1" in text
    assert "won: q2, and 1 more" in text
    assert "classes of ground" in text
    assert "warnings" not in text

    path = write(tmp_path / "a.jsonl", "yes no", limit=None)
    assert "no question has gold documents" in shown(str(path), "--retrieval")
    text = path.read_text().replace('"found":[],"gold_documents":[]', '"found":["D:2","D:1"],"gold_documents":["D:1"]')
    path.write_text(text)
    found = shown(str(path), "--retrieval").split("retrieval", 1)[1].splitlines()
    assert found[0].split()[-1] == "MRR"
    assert found[1].split()[-1] == "0.500"

    path = write(tmp_path / "a.jsonl", "yes no - no", dataset="mirage")
    path.write_text(path.read_text().replace('"id":"q', '"id":"pubmedqa:').replace('"gold":["no"]', '"gold":["A"]', 1))
    assert "1 replies name no letter but are read as one, 1 of them as correct" in shown(str(path))

    paths = [write(tmp_path / f"{name}.jsonl", "yes no", model=name) for name in "ab"]
    for path in paths:
        path.write_text(path.read_text().replace('"gold":["yes"]', '"gold":[]'))
    text = shown(*map(str, paths))
    assert "none of these questions has a gold answer" in text
    assert "always" not in text

    paths = [write(tmp_path / f"{name}.jsonl", "yes yes no no", model=name) for name in "abc"]
    found = json.loads(shown(*map(str, paths), "--json"))
    assert [row["name"] for row in found["rows"]] == ["rag a", "rag b", "rag c"]
    assert [pair["won"] for pair in found["pairs"]] == [[], []]

    text = shown(str(write(tmp_path / "a.jsonl", "yes", recipe="rag\x1b[31m")))
    assert "\x1b" not in text


def test_the_command_shows_the_best_baseline_without_evidence(tmp_path: Path) -> None:
    records = [{"id": f"q{n}", "question": f"Is number {n} right?", "answer": "yes"} for n in range(1, 5)]
    data = write_lines(tmp_path / "questions.jsonl", records)
    digest = open_dataset("jsonl").hash(data)
    run = write(tmp_path / "a.jsonl", "yes no", dataset="jsonl", dataset_hash=digest)
    rows = shown(str(run), "--data", str(data)).splitlines()
    assert rows[2].startswith("best blind: ")
    assert "2 of 2" in rows[2]
    assert json.loads(shown(str(run), "--data", str(data), "--json"))["best_blind"]["share"] == 1.0
    with pytest.raises(UsageError, match="is not the file that rag was made from"):
        items_of(read_results([write(tmp_path / "b.jsonl", "yes", dataset="jsonl")])[0], data)

    run = write(tmp_path / "a.jsonl", "yes no", dataset="jsonl (yes or no)", dataset_hash=digest)
    text = run.read_text(encoding="utf-8").replace('"task":"yes-no-maybe"', '"task":"yes-no"')
    run.write_text(text, encoding="utf-8")
    assert [item.question.task for item in items_of(read_results([run])[0], data)] == ["yes-no"] * 2
    assert "best blind: " in shown(str(run), "--data", str(data))


@each_row(
    ("reply", "published"),
    [
        ('{"step_by_step_thinking": "x", "answer_choice": "C"}', "C"),
        ("D.", "D"),
        ('{"answer_choice": "B: hypertension"}', "B"),
        # Here the script is wrong.
        ("", "A"),
        ('{"answer_choice": "E"}', "A"),
        ('{"answer_choice": "B", "step_by_step_thinking": "Option C is wrong"}', "C"),
        ("Both are wrong. Note: Common sense says no.", "C"),
    ],
)
def test_what_the_script_reads(reply: str, published: str) -> None:
    assert published_choice(reply) == published


def test_both_scores_by_hand() -> None:
    read = [("A", "A", "A"), ("B", "C", "C"), ("A", "A", None), ("B", "A", None), ("B", "B", "B")]
    score = score_replies([Reply("medqa", *one) for one in read]).whole
    assert (score.published.value, score.honest.value) == (3 / 5, 2 / 5)
    assert (score.read_as_a, score.lucky, score.misread) == (2, 1, 0)
    assert score.note == "2 replies name no letter but are read as one, 1 of them as correct"
    nothing = score_replies([])
    assert (nothing.whole.published.value, nothing.sets, nothing.average) == (None, (), None)
    scores = score_replies([Reply("mmlu", "A", "A", "A")], 1)
    assert scores.sets == (scores.whole,)
    assert (scores.whole.published.value, scores.whole.honest.value) == (1.0, 0.5)
    assert "unfinished" in scores.whole.note


def scored(*lines: tuple[str, str, str], dataset: str = "mirage", items: int = 0) -> MirageScores:
    read = [
        line(i, gold, answer, task="yes-no-maybe" if gold.islower() else "single-choice") for i, gold, answer in lines
    ]
    return score_run(header(dataset=dataset, items=items or len(read)), read)


def test_a_run_by_set_and_what_is_refused() -> None:
    scores = scored(
        ("medqa:1", "B", "B"), ("medqa:2", "A", ""), ("pubmedqa:1", "maybe", "maybe"), ("pubmedqa:2", "no", "")
    )
    assert [(s.name, s.published.value, s.honest.value) for s in scores.sets] == [
        ("medqa", 1.0, 0.5),
        ("pubmedqa", 0.5, 0.5),
    ]
    assert scores.average == (0.75, 0.5)
    assert (scores.whole.published.value, scores.whole.honest.value) == (0.75, 0.5)

    scores = scored(("medqa:1", "B", "B"), ("mmlu:1", "C", "C"), items=8)
    assert scores.whole.honest.value == 2 / 8
    assert [s.honest.value for s in scores.sets] == [1.0, 1.0]
    assert "6 questions are unfinished" in scores.whole.note

    with pytest.raises(UsageError, match="not pubmedqa"):
        scored(("1", "A", "A"), dataset="pubmedqa")
    with pytest.raises(UsageError, match="'E' is not a MIRAGE answer"):
        scored(("medqa:1", "E", "A"))


def test_a_system_that_answers_nothing_scores_on_the_real_questions(shared: Path) -> None:
    """On MIRAGE's own questions the script gives a score of 25 to 33 % to a system that never answers."""
    items = list(MIRAGE.read(MIRAGE.find(shared / "mirage"), "test"))
    nothing = scored(*((item.id, item.gold[0], "") for item in items))
    assert sum(s.published.of for s in nothing.sets) == len(items) > 3_000
    for score in nothing.sets:
        assert score.honest.right == 0
        assert 0.15 < (score.published.value or 0) < 0.35
