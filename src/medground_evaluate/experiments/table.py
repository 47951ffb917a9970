"""The paper's figures next to ours, as a table with notes, and saved in a small file."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from medground.errors import StorageFailed, UsageError
from medground.home import write_whole
from medground.values import grouped
from medground.wording import printed
from medground_evaluate.experiments.figures import (
    DEVIATION,
    JUDGED,
    UNCERTAINTY,
    Figure,
    RunOfRow,
    averaged,
    deviation,
    figure,
    is_planned,
    mean_accuracy,
    planned_figure,
    shown,
)
from medground_evaluate.experiments.form import POOLED, Experiment, Published
from medground_evaluate.experiments.judging import is_marked, judged_figure, marked_figure
from medground_evaluate.experiments.run import UNVERIFIED, Made
from medground_evaluate.run_file import flattened

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
        missing=grouped(((row, reason), name) for (row, name), reason in made.missing.items()),
        numbers=sorted({len(made.every(*place)) for place in made.runs}),
        is_marked=any(map(is_marked, metrics)),
        needs_judge=not JUDGED.isdisjoint(metrics),
    )


def _when_answering(made: Made, data: str) -> Iterator[tuple[str, int, int]]:
    """Rows that did not answer every question, with how many answers are right, and how many there are."""
    for row in made.experiment.rows:
        run = made.runs.get((row.name, data))
        given = [line for line in run.lines if line.answer] if run is not None else []
        if run is not None and len(given) < run.items:
            yield row.name, sum(line.right for line in given), len(given)


def value_of(made: Made, row: str, data: str, metric: str) -> Figure | None:
    """Our figure for a row and a column; None if there is none."""
    if metric in JUDGED:
        return judged_figure(made, row, None, data, metric)
    runs = [run for (name, of), run in made.runs.items() if name == row and (of == data or data in POOLED)]
    if is_marked(metric):
        return marked_figure(metric, made.marks, runs)
    if is_planned(metric):
        return planned_figure(metric, runs, made.embed)
    if metric == UNCERTAINTY:
        sampled = made.uncertain.get((row, data))
        return averaged(sampled.mean) if sampled else None
    if data in POOLED:
        return _average(made, row, metric) if data == "average" else None
    if metric == "change":
        return _change(made, row, data)
    if metric == DEVIATION:
        return deviation(made.every(row, data))
    if metric == "accuracy" and made.again.get((row, data)):
        return mean_accuracy(made.every(row, data))
    return figure(metric, runs[0], made.base(data)) if runs else None


def _average(made: Made, row: str, metric: str) -> Figure | None:
    """The mean of the figures of all data sets; None if one is missing, as a mean over fewer is another figure."""
    found = [value_of(made, row, data, metric) for data in made.experiment.data]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return Figure(sum(one.value for one in known) / len(known), sum(one.of for one in known))


def _change(made: Made, row: str, data: str) -> Figure | None:
    """The relative change of accuracy, in % of that of the last baseline row above it (Omni-RAG, Table 6)."""
    rows = made.experiment.rows
    above = rows[: [one.name for one in rows].index(row)]
    base = next((one.name for one in reversed(above) if one.baseline), None)
    if base is None:
        return None
    of, found = (value_of(made, name, data, "accuracy") for name in (base, row))
    if of is None or found is None or of.value == 0:
        return None
    return Figure(100 * (found.value - of.value) / of.value, found.of)


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
        cells.append(JUDGE if found is None and metric in JUDGED else _cell(found))
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


def _cell(found: Figure | None) -> str:
    if found is None:
        return NOTHING
    if found.low is None or found.high is None:
        return shown(found.value)
    return f"{shown(found.value)} [{shown(found.low)}, {shown(found.high)}]"


def _blind(made: Made) -> list[str]:
    """The audit's row; empty if no column is an accuracy."""
    cells = []
    for _, data, metric in made.experiment.cells():
        found = made.blind.get(data) if metric == "accuracy" else None
        share = Figure(100 * found.share, found.of, 100 * found.low, 100 * found.high) if found else None
        cells.append(_cell(share))
    return ["best blind baseline", "no evidence read", *cells] if any(cell != NOTHING for cell in cells) else []


def save(made: Made, folder: Path) -> list[Path]:
    """Write `FOLDER/<paper>/<table>.json`, keeping the results of other models in it."""
    path = folder / f"{made.experiment.name}.json"
    content: dict[str, Any] = {"experiment": made.experiment.name, "models": {}}
    try:
        if path.exists():
            content["models"] = dict(json.loads(path.read_text(encoding="utf-8"))["models"])
        content["models"].update(results(made))
        write_whole(path, json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written ({error.strerror or error}); use another folder") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{path} does not contain experiment results; move it or use another folder") from None
    return [path]


def results(made: Made) -> dict[str, dict[str, Any]]:
    """By model: the blind baseline and, for each row and data set, the figures and everything that produced them."""
    by_model: dict[str, dict[str, Any]] = {}
    blind = {
        name: {"name": found.name, "accuracy": round(100 * found.share, 2), "of": found.of}
        for name, found in made.blind.items()
    }
    missing = [{"row": row, "data": data, "reason": reason} for (row, data), reason in made.missing.items()]
    for (row, data), run in made.runs.items():
        of_model = by_model.setdefault(run.header.model, {"blind": blind, "missing": missing, "runs": []})
        if made.judged:
            of_model["judged"] = {name: result.model_dump(mode="json") for name, result in made.judged.items()}
        changed = {"changed": list(made.changed[row])} if row in made.changed else {}
        named = {column.partition(".")[2]: one for column, one in _figures(made, row, {data}).items()}
        of_model["runs"].append({"row": row, "data": data, "figures": named, **changed, **_about(run)})
        pooled = _figures(made, row, POOLED)
        if pooled:
            of_model.setdefault("pooled", {})[row] = {
                name: {key: one[key] for key in ("value", "of")} for name, one in pooled.items()
            }
    return by_model


def _figures(made: Made, row: str, wanted: Collection[str]) -> dict[str, dict[str, float | int]]:
    """The figures of a row on these data, by column."""
    by_column: dict[str, dict[str, float | int]] = {}
    for _, data, metric in made.experiment.cells():
        found = value_of(made, row, data, metric) if data in wanted else None
        if found is not None:
            one = by_column[f"{data}.{metric}"] = {"value": round(found.value, 4), "of": found.of}
            if found.low is not None and found.high is not None:
                one |= {"low": round(found.low, 2), "high": round(found.high, 2)}
    return by_column


def _about(run: RunOfRow) -> dict[str, Any]:
    header, cost = run.header, run.cost()
    selected = ("dataset", "dataset_hash", "split", "limit", "seed", "with_context", "recipe", "items")
    made_by = ("settings_hash", "prompts_hash", "snapshots", "versions", "started", "accepted")
    return {
        **{name: getattr(header, name) for name in selected + made_by},
        **({"incomplete": list(run.incomplete)} if run.incomplete else {}),
        "settings": flattened(header.settings),
        "statuses": dict(Counter(line.status for line in run.lines)),
        "unfinished": run.items - len(run.lines),
        "seconds_each": cost and cost.seconds and round(cost.seconds, 3),
        "paid": run.paid,
    }
