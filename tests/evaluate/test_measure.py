"""One run measured from its stored answers and traces, by hand; and several runs as samples."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from runs import header, line, write_lines, write_run

from medground.answering.trace import read_trace
from medground.answering.verify.nli_model import NliModel
from medground.engine.answers import Answers
from medground.engine.engine import Engine
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.registry import Models
from medground.recipes.base import open_recipe
from medground.testing.command import run
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.question import Question
from medground.values.statement import Assessment
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item, RunLine
from medground_evaluate.metrics.answers import accuracy, assessments, grounded_rate, round_curve
from medground_evaluate.metrics.cost import mean_cost
from medground_evaluate.metrics.measures import (
    answers_by_round,
    final_query,
    measure,
    queries_by_source,
    reading,
    was_rewritten,
)
from medground_evaluate.metrics.searching import evidence_depths, headings_of, query_statistics, retrieval_scores
from medground_evaluate.metrics.uncertainty import luq, nli_entailment, read_samples, uncertainty_of
from medground_evaluate.run_file import read_run
from medground_evaluate.runner import Selection, run_set

HEADER = header(dataset="jsonl", settings={"model": {"temperature": 0.7, "cache": False}})


def asked(n: int, text: str = "", answer: str = "yes") -> RunLine:
    cited = ("PMID:1",) if answer else ()
    return line(f"q{n}", "yes", answer, cited=cited, text=text, trace=f"20260101-000000-0000000{n}")


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
    known = {
        "question": Question.ask("Is it?", task="yes-no"),
        "gold": ("yes",),
        "reference": "the gunman was killed",
        "headings": ("Asthma", "Child"),
    }
    return [Item.model_validate({"id": f"q{n}", **known}) for n in (1, 2, 3)]


def test_a_run_by_hand(home: Path, items: list[Item]) -> None:
    trace(home, 1, *batches(["a", "b"], ["c"], sufficient=True, query='"Asthma"[mh]'))
    trace(home, 2, *batches(["a"], sufficient=False, query='"Asthma"[mh] AND "Adult"[mh]'))
    trace(home, 3, ("round", {"medground.answer": ["no"], "medground.steering_score": 0.1}))
    lines = [asked(1, "the gunman killed"), asked(2, "nobody"), asked(3, answer="")]
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
    found = measure(HEADER, [asked(1), asked(2), asked(3)], home)
    assert found.rewritten is not None
    assert (found.rewritten.right, found.rewritten.of) == (1, 3)
    assert was_rewritten([]) is None
    said = [Assessment(verdict="CORRECT", quality=4, assessed_by="m"), Assessment(quality=1, assessed_by="m"), None]
    answers = [cast("Answer", SimpleNamespace(assessment=one)) for one in said]
    counted = assessments([*answers, None])
    assert counted is not None
    assert (counted.correct.right, counted.correct.of, counted.quality.value, counted.quality.of) == (1, 1, 2.5, 2)
    assert assessments([answers[2]]) is None
    assert (found.depths, found.headings, found.rouge, found.rounds) == (None, None, None, ())
    assert (found.queries, found.untraced, found.assessed) == ({}, 1, None)


def written(path: Path, *lines: RunLine, **fields: Any) -> Path:
    return write_run(path, lines, **{**HEADER.model_dump(), **fields})


def test_as_a_command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"question": "Is it?", "answer": "yes", "task": "yes-no", "reference": "it is", "headings": ["Asthma"]}
    data = write_lines(tmp_path / "questions.jsonl", [{"id": f"q{n}", **record} for n in (1, 2)])
    low = ("rewrite trigger", {"medground.overlap": 0.2, "medground.rewrite": True})
    trace(home, 1, *batches(["a", "b"], sufficient=True, query='"Asthma"[mh]'), low)
    path = written(tmp_path / "run.jsonl", asked(1, "it is"), dataset_hash=open_dataset("jsonl").hash(data), items=2)
    assert run("eval", "measure", str(path), "--data", str(data)) == 0
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
    assert run("eval", "measure", str(path), "--json") == 0
    assert json.loads(capsys.readouterr().out)["depths"]["never"] == 1


def test_uncertainty_of_runs_by_hand(tmp_path: Path) -> None:
    async def same_words(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        return [1.0 if premise == sentence else 0.25 for premise, sentence in pairs]

    texts = [("It helps.", "It is so."), ("It helps.", ""), ("It harms.", "")]
    paths = [written(tmp_path / f"{n}.jsonl", asked(1, a), asked(2, b)) for n, (a, b) in enumerate(texts)]
    found = asyncio.run(uncertainty_of(read_samples(paths), same_words))
    assert (read_samples(paths).runs, read_samples(paths).temperature) == (3, 0.7)
    confidence = [(1 + 0.25) / 2, (1 + 0.25) / 2, 0.25]
    assert found.each["q1"].value == pytest.approx(sum(1 - c for c in confidence) / 3)
    assert (found.mean.of, found.mean.without) == (1, 1)  # a single answer has no uncertainty


def test_runs_that_are_not_samples_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "1.jsonl", asked(1, "It helps."))
    with pytest.raises(UsageError, match="two or more runs"):
        read_samples([one, one])
    other = written(tmp_path / "2.jsonl", asked(1, "It helps."), recipe="ground")
    with pytest.raises(UsageError, match="differs from the first run: recipe was rag, is ground"):
        read_samples([one, other])
    fixed = {"model": {"temperature": 0.0, "cache": True}}
    same = [written(tmp_path / f"{n}.jsonl", asked(1, "It helps."), settings=fixed) for n in (3, 4)]
    assert run("eval", "uncertainty", *map(str, same), "--nli", "nowhere") == 2
    assert "--set model.temperature=0.7 --set model.cache=false" in capsys.readouterr().err


DOCUMENTS = [
    Document(id="PMID:1", kind="research", title="Aspirin and stroke", text="Aspirin prevents stroke in adults."),
    Document(id="PMID:2", kind="research", title="Asthma", text="Steroids help children with asthma."),
]


@pytest.fixture
def engine(home: Path, memory_source: type) -> Callable[[str], Engine]:
    def make(recipe: str) -> Engine:
        settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"recipe.name": recipe})
        return Engine(
            settings, open_recipe(recipe), [memory_source(DOCUMENTS)], Models("keyless", {}, {"keyless": Keyless()})
        )

    return make


def answered(engine: Engine, folder: Path) -> list[RunLine]:
    folder.mkdir(exist_ok=True)
    records = [
        {"id": "q1", "question": "Does aspirin prevent stroke?", "answer": "yes", "documents": ["PMID:1"]},
        {"id": "q2", "question": "Do steroids help children with asthma?", "answer": "yes", "documents": ["PMID:2"]},
    ]
    path = write_lines(folder / "questions.jsonl", records)
    asyncio.run(run_set(engine, Selection(open_dataset("jsonl"), path), folder / "run.jsonl"))
    return list(read_run(folder / "run.jsonl")[1])


def test_a_run_that_reads_in_batches_and_one_in_rounds(engine: Callable[[str], Engine], tmp_path: Path) -> None:
    opened = engine("pubmed-reasoner")
    lines = answered(opened, tmp_path)
    home = opened.settings.home
    spans = [read_trace(home / "traces", line.trace) for line in lines]
    answers = [Answers(home).as_given(line.trace) for line in lines]
    assert all(spans)
    assert all(answers)
    assert accuracy(lines, 2).of == 2
    assert grounded_rate(lines).value == 1.0
    assert retrieval_scores(lines, depths=(1,)).mean["R@1"] == 1.0
    assert mean_cost(line.usage for line in lines).searches >= 1
    readings = [found for trace in spans if trace and (found := reading(trace))]
    assert sum(evidence_depths(readings).distribution.values()) + evidence_depths(readings).never == 2
    assert all(1 <= found.articles <= 2 for found in readings)
    assert "asthma" in map(str.casefold, headings_of(final_query(spans[1] or ()) or ""))
    statistics = query_statistics([queries_by_source(answer) for answer in answers if answer])
    assert statistics["corpus:test"].queries >= 1
    assert (statistics["corpus:test"].words.value or 0) > 1

    opened = engine("self-medrag")
    lines = answered(opened, tmp_path / "rounds")
    histories = [(line, answers_by_round(read_trace(opened.settings.home / "traces", line.trace))) for line in lines]
    curve = round_curve(histories)
    assert curve[0].asked == 2
    assert [point.accuracy.of for point in curve] == [2] * len(curve)


class Fixed:
    """A network that always rates entailment three times as likely as contradiction, and neutral most likely."""

    def __init__(self, *logits: float) -> None:
        self._logits = logits

    def logits(self, ids: NDArray[np.int64], mask: Any, types: Any) -> NDArray[np.float32]:
        return np.tile(np.array(self._logits, dtype=np.float32), (len(ids), 1))


def model(labels: list[str], *logits: float) -> NliModel:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "it": 1, "helps": 2, ".": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return NliModel("fixed", {"id2label": dict(enumerate(labels))}, tokenizer, Fixed(*logits))


def test_luq_ignores_neutral_and_needs_contradiction() -> None:
    # P(entail) is exp(l_e) / (exp(l_e) + exp(l_c)) = 3 / 4, however probable neutral is.
    network = model(["contradiction", "neutral", "entailment"], 0.0, 5.0, math.log(3))
    found = asyncio.run(luq(["it helps.", "it helps.", "it helps."], nli_entailment(network)))
    assert found.value == pytest.approx(1 / 4)
    unread = asyncio.run(luq(["strange words here only.", "it helps."], nli_entailment(network)))
    assert (unread.value, unread.unjudged) == (pytest.approx(1 / 4), 1)

    with pytest.raises(UsageError, match="label for contradiction"):
        nli_entailment(model(["not_entailment", "entailment"], 0.0, 1.0))
