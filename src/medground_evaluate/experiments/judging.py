"""Columns of a judge, and of people's marks.

A judge compares the explanations of two rows where both are correct (000, appendices B and H); people mark long answers
(Omni-RAG, Table 5, appendix A.4, instruction E.12).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from medground.errors import UsageError
from medground.models import Models
from medground.values import Author
from medground_evaluate.compare import read_result
from medground_evaluate.experiments.figures import Figure, RunOfRow, averaged
from medground_evaluate.experiments.form import Experiment
from medground_evaluate.experiments.run import Made, Options, model_of
from medground_evaluate.judges.judge import Watch, judge_pairs, place_of, same_model
from medground_evaluate.judges.judgements import LONG_AXES, PAIR_AXES, Judgement, compare_explanations
from medground_evaluate.judges.results import ORDERS, pair_results
from medground_evaluate.statistics import Mean, mean

ROW = "judge"
"""The name under which `missing` gives the reason for a missing judgement."""


def check_judge(experiment: Experiment, judge: str, options: Options) -> None:
    """Check that a judge can be used, before anything is run."""
    if experiment.judged is None:
        raise UsageError(f"{experiment.name} has no column that needs a judge; leave out --judge")
    if Author(judge).is_model and same_model(judge, model_of(options)):
        raise UsageError(f"{judge} answers a row, so it may not judge it; name another --judge")


async def judge_rows(
    made: Made, models: Models, home: Path, *, concurrency: int, watch: Watch = lambda done, of: None
) -> Made:
    """Let the model of `compare_explanations` compare the two rows that the file names, on each data set.

    Existing judgements are not repeated; they are stored in `home/judgements`.
    """
    judged, missing = dict(made.judged), dict(made.missing)
    judge = models.for_operator(compare_explanations.name).name
    for name in made.experiment.data:
        runs = [made.runs[row, name] for row in made.experiment.judged or () if (row, name) in made.runs]
        if len(runs) < ORDERS:
            continue
        one, other = (read_result(run.path) for run in runs)
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

    The row is ours, for the mean mark of its explanations; the axis is that on which win, tie and loss are counted, and
    not needed if the metric is itself an axis.
    """
    result = made.judged.get(data)
    wanted = metric if metric in PAIR_AXES else axis
    found = next((one for one in result.axes if one.axis == wanted), None) if result else None
    if found is None or made.experiment.judged is None:
        return None
    of = found.wins + found.ties + found.losses
    if metric in PAIR_AXES:
        marks = dict(zip(made.experiment.judged, (found.mean, found.other_mean), strict=True))
        return averaged(Mean(marks.get(row), of))
    if metric == "win":
        return Figure(100 * found.wins / of, of, 100 * found.low, 100 * found.high)
    shares = {"tie": found.ties, "loss": found.losses}
    if metric in shares:
        return Figure(100 * shares[metric] / of, of)
    return averaged(Mean(found.mean if metric == "likert" else found.other_mean, of))


_PREFIX = "marks-"


def is_marked(metric: str) -> bool:
    """Whether it is the mean mark on an axis, such as `marks-completeness`."""
    return metric.startswith(_PREFIX) and metric.removeprefix(_PREFIX) in LONG_AXES


def marked_figure(metric: str, marks: Sequence[Judgement], runs: Sequence[RunOfRow]) -> Figure | None:
    """The mean mark (1 to 5) of all people on all answers of these runs; None if they are unmarked."""
    axis = metric.removeprefix(_PREFIX)
    names = {run.path.stem for run in runs}
    own = [one for line in marks if len(line.shown) == 1 and line.shown[0] in names for one in line.marks]
    given = [mark[axis].score for mark in own if axis in mark]
    return averaged(mean(given))
