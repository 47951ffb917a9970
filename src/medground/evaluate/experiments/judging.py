"""Columns of a judge, which compares the explanations of two rows where both are correct (000, appendices B and H)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from medground.author import Author
from medground.errors import UsageError
from medground.evaluate.experiments.figures import JUDGED, Figure
from medground.evaluate.experiments.form import Experiment
from medground.evaluate.experiments.run import Made, Options, model_of
from medground.evaluate.judges.judge import Watch, judge_pairs
from medground.evaluate.judges.judged import JudgedRun, place_of, same_model
from medground.evaluate.judges.lines import PAIR_AXES
from medground.evaluate.judges.results import ORDERS, AxisResult, PairResult, pair_results
from medground.models.registry import Models
from medground.operators.judging import compare_explanations

ROW = "judge"
"""The name under which `missing` gives the reason for a missing judgement."""


def check_judge(experiment: Experiment, judge: str, options: Options) -> None:
    """Check that a judge can be used, before anything is run.

    Raises:
        UsageError: no column needs a judge, or the judge answers a row itself.
    """
    if experiment.judged is None:
        raise UsageError(f"{experiment.name} has no column that needs a judge; leave out --judge")
    if Author(judge).is_model and any(same_model(judge, model_of(row, options)) for row in experiment.rows):
        raise UsageError(f"{judge} answers a row, so it may not judge it; name another --judge")


async def judge_rows(
    made: Made, models: Models, home: Path, *, concurrency: int = 1, watch: Watch = lambda done, of: None
) -> Made:
    """Let the model of `compare_explanations` compare the two rows that the file names, on each data set.

    Existing judgements are not repeated; they are stored in `home/judgements`.

    Raises:
        ConfigError: the judge cannot be used as configured.
        StorageFailed: the file cannot be written.
    """
    judged, missing = dict(made.judged), dict(made.missing)
    judge = models.of(compare_explanations.name).name
    for name in made.experiment.data:
        runs = [made.runs[row, name] for row in made.experiment.judged or () if (row, name) in made.runs]
        if len(runs) < ORDERS:
            continue
        one, other = (JudgedRun.read(run.path) for run in runs)
        place = place_of(home, judge, [one.name, other.name])
        try:
            lines = await judge_pairs(models, one, other, place, concurrency=concurrency, watch=watch)
        except UsageError as error:
            missing[ROW, name] = str(error)
            continue
        # A pair is named after its first line, and lines are in the order in which they were written.
        if found := pair_results(sorted(lines, key=lambda line: line.shown[0] != one.name)):
            judged[name] = found[0]
        else:
            missing[ROW, name] = "no question that both rows answer correctly and explain"
    return replace(made, judged=judged, missing=missing)


def judged_figure(made: Made, row: str, axis: str | None, data: str, metric: str) -> Figure | None:
    """The value of a judge's metric; None if nothing was judged.

    Args:
        row: our row, for the mean mark of its explanations.
        axis: the axis on which win, tie and loss are counted; not needed if the metric is itself an axis.
    """
    result = made.judged.get(data)
    found = _axis(result, metric if metric in PAIR_AXES else axis) if result else None
    if found is None or made.experiment.judged is None:
        return None
    of = found.wins + found.ties + found.losses
    if metric in PAIR_AXES:
        marks = dict(zip(made.experiment.judged, (found.mean, found.other_mean), strict=True))
        return _mean(marks.get(row), of)
    if metric == "win":
        return Figure(100 * found.wins / of, of, 100 * found.low, 100 * found.high)
    shares = {"tie": found.ties, "loss": found.losses}
    if metric in shares:
        return Figure(100 * shares[metric] / of, of)
    return _mean(found.mean if metric == "likert" else found.other_mean, of)


def judge_notes(made: Made) -> Iterator[str]:
    """Who judged how many questions, or how to name a judge."""
    if made.experiment.judged is None:
        return
    one, other = made.experiment.judged
    for name, result in made.judged.items():
        place = result.first_preferred
        bias = "" if place is None else f"; the answer shown first wins {100 * place:.0f} % of decided comparisons"
        yield (
            f"judge, {name}: {result.judge} compared {one} (win) with {other} (loss) on {result.questions:,} questions "
            f"that both answer correctly, in both orders; judged {result.judged:,}, not judged {result.not_judged:,}, "
            f"failed {result.failed:,}{bias}"
        )
    if not made.judged and any(metric in JUDGED for _, _, metric in made.experiment.cells()):
        yield f"some figures need a judge: name one with --judge to compare {one} with {other}"


def _axis(result: PairResult, axis: str | None) -> AxisResult | None:
    return next((one for one in result.axes if one.axis == axis), None)


def _mean(value: float | None, of: int) -> Figure | None:
    return None if value is None else Figure(value, of)
