"""From a run on a real engine to its metrics: lines, stored answers and traces; LUQ with a neural network."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from medground.answering.trace import read_trace
from medground.answering.verify.nli.model import NliModel
from medground.engine.engine import Engine
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.registry import Models
from medground.recipes.base import open_recipe
from medground.values.document import Document
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import RunLine
from medground_evaluate.metrics.answers import accuracy, round_curve
from medground_evaluate.metrics.cost import mean_cost
from medground_evaluate.metrics.evidence import grounded_rate
from medground_evaluate.metrics.measures import (
    answers_by_round,
    final_query,
    queries_by_source,
    reading,
    stored_answer,
)
from medground_evaluate.metrics.searching import evidence_depths, headings_of, query_statistics, retrieval_scores
from medground_evaluate.metrics.uncertainty import luq, nli_entailment
from medground_evaluate.run_file import read_run
from medground_evaluate.runner import Selection, run_set

DOCUMENTS = [
    Document.model_validate(
        {
            "id": "PMID:1",
            "kind": "research",
            "title": "Aspirin and stroke",
            "text": "Aspirin prevents stroke in adults.",
        }
    ),
    Document.model_validate(
        {"id": "PMID:2", "kind": "research", "title": "Asthma", "text": "Steroids help children with asthma."}
    ),
]


@pytest.fixture
def engine(home: Path, memory_source: type) -> Callable[[str], Engine]:
    def make(recipe: str) -> Engine:
        settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"recipe.name": recipe})
        return Engine(
            settings, open_recipe(recipe), [memory_source(DOCUMENTS)], Models("keyless", {}, {"keyless": Keyless()})
        )

    return make


def run(engine: Engine, folder: Path) -> list[RunLine]:
    folder.mkdir(exist_ok=True)
    path = folder / "questions.jsonl"
    records = [
        {"id": "q1", "question": "Does aspirin prevent stroke?", "answer": "yes", "documents": ["PMID:1"]},
        {"id": "q2", "question": "Do steroids help children with asthma?", "answer": "yes", "documents": ["PMID:2"]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    asyncio.run(run_set(engine, Selection(open_dataset("jsonl"), path), folder / "run.jsonl"))
    return list(read_run(folder / "run.jsonl")[1])


def test_a_run_that_reads_in_batches_and_one_in_rounds(engine: Callable[[str], Engine], tmp_path: Path) -> None:
    opened = engine("pubmed-reasoner")
    lines = run(opened, tmp_path)
    home = opened.settings.home
    spans = [read_trace(home / "traces", line.trace) for line in lines]
    answers = [stored_answer(home, line) for line in lines]
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
    lines = run(opened, tmp_path / "rounds")
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
