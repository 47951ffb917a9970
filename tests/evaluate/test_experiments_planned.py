"""Figures of recipes that plan sources, of several data sets together, of people's marks and of sampled answers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from runs import header, line

from medground.home.settings import Settings
from medground.values.steps import SourcesPlanned
from medground_evaluate.experiments.figures import Figure, RunOfRow, nli_of, remembering, sampling, waits_for
from medground_evaluate.experiments.form import Experiment
from medground_evaluate.experiments.run import Made
from medground_evaluate.experiments.table import notes, results, value_of
from medground_evaluate.judges.judgements import Judgement, Score
from medground_evaluate.metrics.uncertainty import SampledUncertainty, Uncertainty
from medground_evaluate.statistics import Mean

COLUMNS = ("a.accuracy", "a.change", "average.accuracy", "all.words-book", "all.marks-relevance", "a.uncertainty")
DATA = {"a": {"set": "pubmedqa"}, "b": {"set": "seer"}}
ROWS = [{"name": "whole", "recipe": "rag", "baseline": True}, {"name": "less", "recipe": "rag"}]


def trace_of(folder: Path, name: str, plan: Mapping[str, Sequence[str]] | None) -> None:
    """A trace: two seconds of planning, one of searching, one of answering."""
    ends = [("recipe omni-rag", 0, 4, {})]
    if plan is not None:
        ends += [
            ("source plan", 0, 2, SourcesPlanned.from_queries(plan).attributes()),
            ("search corpus:omni.book", 2, 3, {}),
        ]
    spans = [
        {"name": n, "start": start * 10**9, "end": end * 10**9, "attributes": attributes}
        for n, start, end, attributes in ends
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, spans)), encoding="utf-8")


def a_run(
    folder: Path, name: str, right: Sequence[bool], plans: Sequence[Mapping[str, Sequence[str]] | None]
) -> RunOfRow:
    lines = []
    for number, (correct, plan) in enumerate(zip(right, plans, strict=True)):
        trace_of(folder, f"{name}-{number}", plan)
        lines.append(line(number, "yes", "yes" if correct else "no", trace=f"{name}-{number}"))
    return RunOfRow(folder / f"{name}.jsonl", header(items=len(right)), tuple(lines), {}, folder)


def made(folder: Path, runs: Mapping[tuple[str, str], RunOfRow], **more: Any) -> Made:
    columns = [*COLUMNS, "all.queries-graph", "all.diversity-average", "all.seconds-planning", "all.hours-3600"]
    known = {"paper": "002", "title": "t", "table": "Table 6", "shows": "s", "of": "o", "data": DATA, "rows": ROWS}
    return Made(Experiment.model_validate({**known, "columns": columns}), runs, {}, {}, {}, **more)


def letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """Encodes a text by its first letter: equal or orthogonal."""
    return np.eye(26, dtype=np.float32)[[ord(text[0]) - ord("a") for text in texts]]


@pytest.fixture
def two(tmp_path: Path) -> dict[tuple[str, str], RunOfRow]:
    one = {"book": ["heart sounds", "heart failure drugs"], "graph": ["asthma , causes"]}
    other: dict[str, list[str]] = {"book": ["a", "b b"], "graph": []}
    return {
        ("whole", "a"): a_run(tmp_path, "whole-a", [True, True], [one, other]),
        ("whole", "b"): a_run(tmp_path, "whole-b", [True, False], [{"book": []}, {"book": ["x y z"]}]),
        ("less", "a"): a_run(tmp_path, "less-a", [True, False], [None, None]),
    }


def figure(of: Made, row: str, column: str) -> Figure | None:
    data, _, metric = column.partition(".")
    return value_of(of, row, data, metric)


def value(of: Made, row: str, column: str) -> float | None:
    found = figure(of, row, column)
    return None if found is None else found.value


def test_figures_of_several_sets(tmp_path: Path, two: dict[tuple[str, str], RunOfRow]) -> None:
    of = made(tmp_path, two)
    assert value(of, "whole", "average.accuracy") == 75.0  # 100 and 50
    assert figure(of, "less", "average.accuracy") is None  # `b` was not run, so it would be another figure
    assert value(of, "less", "a.change") == -50.0
    assert figure(of, "whole", "a.change") is None
    assert value(of, "whole", "all.words-book") == pytest.approx((2 + 3 + 1 + 2 + 3) / 5)
    assert value(of, "whole", "all.queries-graph") == pytest.approx(1 / 4)
    assert figure(of, "less", "all.words-book") is None  # it planned no sources
    assert figure(of, "whole", "all.words-wiki") is None
    assert value(of, "whole", "all.queries-wiki") == 0.0  # no plan asked it
    assert value(of, "whole", "all.seconds-planning") == 2.0
    assert value(of, "whole", "all.hours-3600") == 3.0  # one second of searching, two of planning
    assert results(of)["keyless"]["pooled"]["whole"]["average.accuracy"] == {"value": 75.0, "of": 4}


def test_diversity_needs_an_encoder_which_encodes_each_query_once(
    tmp_path: Path, two: dict[tuple[str, str], RunOfRow]
) -> None:
    assert figure(made(tmp_path, two), "whole", "all.diversity-average") is None
    of = made(tmp_path, two, embed=letters)
    assert value(of, "whole", "all.diversity-book") == pytest.approx(0.5)  # equal letters 0, two letters 1
    assert value(of, "whole", "all.diversity-average") == pytest.approx(0.5)  # the graph never had two queries
    told = made(tmp_path, two, waits=("diversity needs a model that encodes queries: none",))
    assert "diversity needs" in " ".join(notes(told))

    seen: list[str] = []
    embed = remembering(lambda texts: seen.extend(texts) or letters(texts))
    first, again = embed(["a", "b", "a"]), embed(["b", "c"])
    assert seen == ["a", "b", "c"]
    assert (first[0] == first[2]).all() and (first[1] == again[0]).all()


def test_people_s_marks_are_those_of_the_row(tmp_path: Path, two: dict[tuple[str, str], RunOfRow]) -> None:
    given = (("anna", "whole-a", 5), ("bert", "whole-a", 4), ("anna", "whole-b", 3), ("anna", "x", 1))
    marks = tuple(
        Judgement(item="0", judge=judge, shown=(run,), marks=({"relevance": Score(score=score)},))
        for judge, run, score in given
    )
    of = made(tmp_path, two, marks=marks)
    assert value(of, "whole", "all.marks-relevance") == 4.0
    assert value(of, "whole", "b.marks-relevance") == 3.0
    assert figure(of, "less", "all.marks-relevance") is None
    assert "marked by anna, bert: 4 answers" in list(notes(of))
    assert any(note.startswith("marks are made by people") for note in notes(made(tmp_path, two)))


def test_uncertainty_is_measured_or_says_what_it_waits_for(
    tmp_path: Path, two: dict[tuple[str, str], RunOfRow]
) -> None:
    sampled = SampledUncertainty(Mean(0.5, 1), {"0": Uncertainty(0.5, 3)})
    assert value(made(tmp_path, two, uncertain={("whole", "a"): sampled}), "whole", "a.uncertainty") == 0.5
    assert figure(made(tmp_path, two), "whole", "a.uncertainty") is None
    assert sampling("omni-rag") == {"model.cache": False, "operators.read_sources.temperature": 0.7}  # not the planner
    keyless = Settings.load()
    assert "without one, all samples are the same" in waits_for(keyless, "some-nli")
    model = Settings.load(options={"model.default": "openai:gpt-5"})
    assert "--nli" in waits_for(model, nli_of(model, None))
    named = model.with_options({"verify.critic": "nli:cross-encoder"})
    assert waits_for(named, nli_of(named, None)) == ""
    assert nli_of(named, "other") == "other"
