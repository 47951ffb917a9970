"""One run measured from its stored answers and traces, by hand; and several runs as samples."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from medground.errors import UsageError
from medground.faces.cli.app import main
from medground.values.answer import Answer
from medground.values.question import Question
from medground.values.statement import Assessment
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item, RunHeader, RunLine
from medground_evaluate.metrics.evidence import assessments
from medground_evaluate.metrics.measures import measure, was_rewritten
from medground_evaluate.metrics.uncertainty import read_samples, uncertainty_of

HEADER = RunHeader(
    dataset="jsonl",
    dataset_hash="h",
    split="test",
    recipe="pubmed-reasoner",
    model="keyless",
    items=4,
    settings={"model": {"temperature": 0.7, "cache": False}},
    settings_hash="s",
    prompts_hash="p",
)


def line(n: int, text: str = "", answer: tuple[str, ...] = ("yes",)) -> RunLine:
    return RunLine(
        id=f"q{n}",
        question="Is it?",
        task="yes-no",
        gold=("yes",),
        answer=answer,
        status="answered" if answer else "failed",
        cited=("PMID:1",) if answer else (),
        text=text,
        trace=f"20260101-000000-0000000{n}",
    )


def trace(home: Path, n: int, *spans: tuple[str, Mapping[str, Any]]) -> None:
    folder = home / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"name": name, "start": k, "attributes": dict(given)} for k, (name, given) in enumerate(spans)]
    (folder / f"20260101-000000-0000000{n}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def batches(*documents: Sequence[str], sufficient: bool, query: str) -> list[tuple[str, Mapping[str, Any]]]:
    spans: list[tuple[str, Mapping[str, Any]]] = [("final query", {"medground.text.query": query})]
    for number, batch in enumerate(documents, start=1):
        said = sufficient and number == len(documents)
        spans.append(("read batch", {"medground.documents": [*batch]}))
        spans.append(("operator sufficient", {"medground.text.output": json.dumps({"sufficient": said})}))
    return spans


@pytest.fixture
def items() -> list[Item]:
    asked = Question.ask("Is it?", task="yes-no")
    known = {"question": asked, "gold": ("yes",), "reference": "the gunman was killed", "headings": ("Asthma", "Child")}
    return [Item.model_validate({"id": f"q{n}", **known}) for n in (1, 2, 3)]


def test_a_run_by_hand(home: Path, items: list[Item]) -> None:
    trace(home, 1, *batches(["a", "b"], ["c"], sufficient=True, query='"Asthma"[mh]'))
    trace(home, 2, *batches(["a"], sufficient=False, query='"Asthma"[mh] AND "Adult"[mh]'))
    trace(home, 3, ("round", {"medground.answer": ["no"], "medground.steering_score": 0.1}))
    lines = [line(1, "the gunman killed"), line(2, "nobody"), line(3, answer=())]
    found = measure(HEADER, lines, home, items)
    assert (found.items, found.untraced) == (4, 1)  # the fourth is unfinished
    assert (found.grounded.right, found.grounded.of) == (2, 4)
    assert found.checked is not None
    assert (found.checked.right, found.checked.of) == (1, 4)  # the second never had enough
    assert found.depths is not None
    assert (found.depths.mean, dict(found.depths.distribution), found.depths.never) == (3.0, {3: 1}, 3)
    assert (found.depths.within(5).right, found.depths.within(5).of) == (1, 4)
    assert found.headings is not None
    assert (found.headings.precision, found.headings.recall) == ((1 + 1 / 2 + 0) / 3, (1 / 2 + 1 / 2 + 0) / 3)
    assert [(point.asked, point.accuracy.right, point.accuracy.of) for point in found.rounds] == [(1, 0, 3)]
    assert found.rouge is not None
    assert found.rouge.value == pytest.approx((2 * 3 / (3 + 4) + 0 + 0) / 3)  # `the gunman killed`, of three and four


def test_how_often_questions_were_rewritten_and_what_a_model_said_of_answers(home: Path) -> None:
    """Reason and Verify, section 4.1.3 (8 % and 12 % of questions) and section 4.2.1."""
    for n, low in ((1, True), (2, False), (3, False)):
        trace(home, n, ("rewrite trigger", {"medground.overlap": 0.2, "medground.rewrite": low}))
    found = measure(HEADER, [line(1), line(2), line(3)], home)
    assert found.rewritten is not None
    assert (found.rewritten.right, found.rewritten.of) == (1, 3)
    assert was_rewritten([]) is None
    said = [Assessment(verdict="CORRECT", quality=4, assessed_by="m"), Assessment(quality=1, assessed_by="m"), None]
    answers = [cast("Answer", SimpleNamespace(assessment=one)) for one in said]
    counted = assessments([*answers, None])
    assert counted is not None
    assert (counted.correct.right, counted.correct.of, counted.quality.value, counted.quality.of) == (1, 1, 2.5, 2)
    assert assessments([answers[2]]) is None


def test_metrics_that_do_not_apply_are_none_and_not_zero(home: Path) -> None:
    found = measure(HEADER, [line(1)], home)
    assert (found.depths, found.headings, found.rouge, found.rounds) == (None, None, None, ())
    assert (found.queries, found.untraced, found.rewritten, found.assessed) == ({}, 4, None, None)


def written(path: Path, *lines: RunLine, **header: object) -> Path:
    content = [HEADER.model_copy(update=header), *lines]
    path.write_text("".join(f"{entry.model_dump_json()}\n" for entry in content), encoding="utf-8")
    return path


def medground(*words: str) -> int | str | None:
    with pytest.raises(SystemExit) as stopped:
        main([*words])
    return stopped.value.code


def test_as_a_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "questions.jsonl"
    record = {"question": "Is it?", "answer": "yes", "task": "yes-no", "reference": "it is", "headings": ["Asthma"]}
    data.write_text("".join(json.dumps({"id": f"q{n}", **record}) + "\n" for n in (1, 2)), encoding="utf-8")
    low = ("rewrite trigger", {"medground.overlap": 0.2, "medground.rewrite": True})
    trace(home, 1, *batches(["a", "b"], sufficient=True, query='"Asthma"[mh]'), low)
    run = written(tmp_path / "run.jsonl", line(1, "it is"), dataset_hash=open_dataset("jsonl").hash(data), items=2)
    assert medground("eval", "measure", str(run), "--data", str(data)) == 0
    said = capsys.readouterr().out
    for part in (
        "2 questions; 1 without a stored trace",
        "mean 2.000, median 2.000",
        "2: 1; never 1",
        "5 50.0%",
        "precision 1.000, recall 1.000",
        "ROUGE-L against the reference: F1 1.000 (1 questions)",
        "questions rewritten because too little was found: 100.0% [20.7%, 100.0%] of 1",
    ):
        assert part in said
    assert medground("eval", "measure", str(run), "--json") == 0
    assert json.loads(capsys.readouterr().out)["depths"]["never"] == 1


def test_uncertainty_of_runs_by_hand(tmp_path: Path) -> None:
    async def same_words(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        return [1.0 if premise == sentence else 0.25 for premise, sentence in pairs]

    texts = [("It helps.", "It is so."), ("It helps.", ""), ("It harms.", "")]
    paths = [written(tmp_path / f"{n}.jsonl", line(1, a), line(2, b)) for n, (a, b) in enumerate(texts)]
    found = asyncio.run(uncertainty_of(read_samples(paths), same_words))
    assert (found.samples, found.temperature) == (3, 0.7)
    confidence = [(1 + 0.25) / 2, (1 + 0.25) / 2, 0.25]
    assert found.each["q1"].value == pytest.approx(sum(1 - c for c in confidence) / 3)
    assert (found.mean.of, found.mean.without) == (1, 1)  # a single answer has no uncertainty


def test_runs_that_are_not_samples_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "1.jsonl", line(1, "It helps."))
    with pytest.raises(UsageError, match="two or more runs"):
        read_samples([one, one])
    other = written(tmp_path / "2.jsonl", line(1, "It helps."), recipe="rag")
    with pytest.raises(UsageError, match="differs from the first run: recipe was pubmed-reasoner, is rag"):
        read_samples([one, other])
    fixed = {"model": {"temperature": 0.0, "cache": True}}
    same = [written(tmp_path / f"{n}.jsonl", line(1, "It helps."), settings=fixed) for n in (3, 4)]
    assert medground("eval", "uncertainty", *map(str, same), "--nli", "nowhere") == 2
    assert "--set model.temperature=0.7 --set model.cache=false" in capsys.readouterr().err
