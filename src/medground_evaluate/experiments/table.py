"""The paper's figures next to ours, as a table with notes."""

import re
from collections.abc import Iterator
from pathlib import Path

from medground.corpus import writing
from medground.home import write_whole
from medground.wording import printed
from medground_evaluate.experiments import figures
from medground_evaluate.experiments.form import POOLED, Experiment, Published
from medground_evaluate.experiments.judging import is_marked, judged_figure, marked_figure
from medground_evaluate.experiments.run import UNVERIFIED, Made

NOTHING = "–"
JUDGE = "needs a judge"
OURS = "ours: "


def table(made: Made) -> list[list[str]]:
    """Rows of cells, starting with the header: the blind baseline, then each row of the paper followed by ours."""
    experiment = made.experiment
    rows = [["row", "made by", *(column.replace(".", " ") for column in experiment.columns)]]
    if blind := _blind(made):
        rows.append(blind)
    left = {row.name for row in experiment.rows}
    for place, published in enumerate(experiment.published):
        rows.append(_published(experiment, published))
        if published.axis is not None:
            rows.append(_ours_on(made, published.axis))
        later = {one.row for one in experiment.published[place + 1 :]}
        if published.row is not None and published.row not in later:
            left.discard(published.row)
            rows.append(_ours(made, published.row))
    if any(published.axis for published in experiment.published):  # our rows are one pair, shown by axis
        left.clear()
    return rows + [_ours(made, row.name) for row in experiment.rows if row.name in left]


def as_markdown(rows: list[list[str]]) -> str:
    """A Markdown table with aligned columns."""
    safe = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*safe, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe]
    rule = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]])


def notes(made: Made) -> list[str]:
    """What a reader must know to compare: how the paper's figures and ours were made, and how they differ."""
    experiment, metrics = made.experiment, {metric for _, _, metric in made.experiment.cells()}
    missing: dict[tuple[str, str], list[str]] = {}
    for (row, name), reason in made.missing.items():
        missing.setdefault((row, reason), []).append(name)
    return printed(
        __package__,
        "notes",
        made=made,
        experiment=experiment,
        metrics=metrics,
        runs_on=lambda name: [run for (_, of), run in made.runs.items() if of == name],
        searched=lambda runs: {name: digest for run in runs for name, digest in run.header.snapshots.items()}.items(),
        unverified=[row.name for row in experiment.rows if UNVERIFIED.items() <= row.settings.items()],
        answering={name: [*_when_answering(made, name)] for name in experiment.data},
        missing=missing,
        numbers=sorted({len(made.every(*place)) for place in made.runs}),
        is_marked=any(map(is_marked, metrics)),
        needs_judge=not figures.JUDGED.isdisjoint(metrics),
    )


def _when_answering(made: Made, data: str) -> Iterator[tuple[str, int, int]]:
    """Rows that did not answer every question, with how many answers are right, and how many there are."""
    for row in made.experiment.rows:
        run = made.runs.get((row.name, data))
        given = [line for line in run.lines if line.answer] if run is not None else []
        if run is not None and len(given) < run.items:
            yield row.name, sum(line.right for line in given), len(given)


def value_of(made: Made, row: str, data: str, metric: str) -> figures.Figure | None:
    """Our figure for a row and a column; None if there is none."""
    if metric in figures.JUDGED:
        return judged_figure(made, row, None, data, metric)
    runs = [run for (name, of), run in made.runs.items() if name == row and (of == data or data in POOLED)]
    if is_marked(metric):
        return marked_figure(metric, made.marks, runs)
    if figures.is_planned(metric):
        return figures.planned_figure(metric, runs, made.embed)
    if metric == figures.UNCERTAINTY:
        sampled = made.uncertain.get((row, data))
        return figures.averaged(sampled.mean) if sampled else None
    if data in POOLED:
        return _average(made, row, metric) if data == "average" else None
    if metric == "change":
        return _change(made, row, data)
    if metric == figures.DEVIATION:
        return figures.deviation(made.every(row, data))
    if metric == "accuracy" and made.again.get((row, data)):
        return figures.mean_accuracy(made.every(row, data))
    return figures.figure(metric, runs[0], made.base(data)) if runs else None


def _average(made: Made, row: str, metric: str) -> figures.Figure | None:
    """The mean of the figures of all data sets; None if one is missing, as a mean over fewer is another figure."""
    found = [value_of(made, row, data, metric) for data in made.experiment.data]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return figures.Figure(sum(one.value for one in known) / len(known), sum(one.of for one in known))


def _change(made: Made, row: str, data: str) -> figures.Figure | None:
    """The relative change of accuracy, in % of that of the last baseline row above it (Omni-RAG, Table 6)."""
    rows = made.experiment.rows
    above = rows[: [one.name for one in rows].index(row)]
    base = next((one.name for one in reversed(above) if one.baseline), None)
    if base is None:
        return None
    of, found = (value_of(made, name, data, "accuracy") for name in (base, row))
    if of is None or found is None or of.value == 0:
        return None
    return figures.Figure(100 * (found.value - of.value) / of.value, found.of)


def _published(experiment: Experiment, published: Published) -> list[str]:
    cells = []
    for place, column in enumerate(experiment.columns):
        value = published.value(place)
        more = "> " if column in experiment.at_least else ""
        cells.append(NOTHING if value is None else f"{more}{value:.10g}")
    return [published.name, f"paper, {published.model}" if published.model else "paper", *cells]


def _ours(made: Made, row: str) -> list[str]:
    experiment = made.experiment
    runs = [run for (name, _), run in made.runs.items() if name == row]
    cells = []
    for _, data, metric in experiment.cells():
        found = value_of(made, row, data, metric)
        cells.append(JUDGE if found is None and metric in figures.JUDGED else _cell(found))
    less = any(of in ("", row) for of, _ in made.missing) and any(data in POOLED for _, data, _ in experiment.cells())
    marks = ["changed"] * (row in made.changed) + ["incomplete"] * (less or any(run.incomplete for run in runs))
    name = f"{OURS}{row} ({', '.join(marks)})" if runs and marks else OURS + row
    preset = next(f"; preset {one.preset}" if one.preset else "" for one in experiment.rows if one.name == row)
    return [name, " / ".join(dict.fromkeys(run.made_by for run in runs)) + preset if runs else "not run", *cells]


def _ours_on(made: Made, axis: str) -> list[str]:
    found = [judged_figure(made, "", axis, data, metric) for _, data, metric in made.experiment.cells()]
    judges = dict.fromkeys(result.judge for result in made.judged.values())
    by = f"judged by {', '.join(judges)}" if judges else "not judged"
    return [OURS + axis, by, *(_cell(one) if one else JUDGE for one in found)]


def _cell(found: figures.Figure | None) -> str:
    if found is None:
        return NOTHING
    if found.low is None or found.high is None:
        return figures.shown(found.value)
    return f"{figures.shown(found.value)} [{figures.shown(found.low)}, {figures.shown(found.high)}]"


def _blind(made: Made) -> list[str]:
    """The audit's row; empty if no column is an accuracy."""
    cells = []
    for _, data, metric in made.experiment.cells():
        found = made.blind.get(data) if metric == "accuracy" else None
        share = figures.Figure(100 * found.share, found.of, 100 * found.low, 100 * found.high) if found else None
        cells.append(_cell(share))
    return ["best blind baseline", "no evidence read", *cells] if any(cell != NOTHING for cell in cells) else []


def as_text(made: Made) -> str:
    """The whole outcome: title, table and notes."""
    experiment = made.experiment
    title = f"{experiment.title}, {experiment.table}: {experiment.shows}"
    told = (f"- {' '.join(note.split())}" for note in notes(made))
    return "\n".join([title, "", as_markdown(table(made)), "", *told])


def save(made: Made, folder: Path) -> Path:
    """Write `FOLDER/<paper>/<table>-<model>.md` as it is printed."""
    model = next(run.header.model for run in made.runs.values())
    path = folder / f"{made.experiment.name}-{re.sub(r'[^A-Za-z0-9.]+', '-', model)}.md"
    with writing(folder):
        write_whole(path, as_text(made) + "\n")
    return path
