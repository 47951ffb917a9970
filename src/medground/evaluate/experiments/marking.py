"""Columns of people's marks of long answers (Omni-RAG, Table 5, appendix A.4, instruction E.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medground.evaluate.experiments.figures import Figure, RunOfRow
from medground.evaluate.experiments.form import Experiment
from medground.evaluate.judges.lines import LONG_AXES, Judgement

_PREFIX = "marks-"


def is_marked(metric: str) -> bool:
    """Whether it is the mean mark on an axis, such as `marks-completeness`."""
    return metric.startswith(_PREFIX) and metric.removeprefix(_PREFIX) in LONG_AXES


def marked_figure(metric: str, marks: Sequence[Judgement], runs: Sequence[RunOfRow]) -> Figure | None:
    """The mean mark (1 to 5) of all people on all answers of these runs; None if nobody marked them."""
    axis = metric.removeprefix(_PREFIX)
    names = {run.path.stem for run in runs}
    own = [one for line in marks if len(line.shown) == 1 and line.shown[0] in names for one in line.marks]
    given = [mark[axis].score for mark in own if axis in mark]
    return Figure(sum(given) / len(given), len(given)) if given else None


def marks_notes(experiment: Experiment, marks: Sequence[Judgement]) -> Iterator[str]:
    """Who marked how much, or how people can mark."""
    if not any(is_marked(metric) for _, _, metric in experiment.cells()):
        return
    if not marks:
        yield "marks wait for people: `medground eval form RUN` writes a form for each run; give it back with --marks"
        return
    judges = sorted({line.judge for line in marks})
    yield f"marked by {', '.join(judges)}: {len(marks):,} answers"
