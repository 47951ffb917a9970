"""Saved results: one small file per experiment with the figures and settings of each model, without texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medground.durable import write_whole
from medground.errors import StorageFailed, UsageError
from medground.evaluate.experiments.figures import RunOfRow
from medground.evaluate.experiments.form import POOLED
from medground.evaluate.experiments.run import Made
from medground.evaluate.experiments.table import value_of
from medground.settings import Settings


def save(made: Made, folder: Path) -> list[Path]:
    """Write `FOLDER/<paper>/<table>.json`, keeping the results of other models in it.

    Raises:
        UsageError: the existing file does not contain results.
        StorageFailed: the file cannot be written.
    """
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
    for (row, data), run in made.runs.items():
        of_model = by_model.setdefault(
            run.header.model, {"blind": _saved_blind(made), "missing": _missing(made), "runs": []}
        )
        if made.judged:
            of_model["judged"] = {name: result.model_dump(mode="json") for name, result in made.judged.items()}
        changed = {"changed": list(made.changed[row])} if row in made.changed else {}
        figures = _figures(made, row, data)
        of_model["runs"].append({"row": row, "data": data, "figures": figures, **changed, **_about(run)})
        if pooled := _pooled(made, row):
            of_model.setdefault("pooled", {})[row] = pooled
    return by_model


def _pooled(made: Made, row: str) -> dict[str, dict[str, float | int]]:
    """Figures over several data sets, by column."""
    found = {
        f"{data}.{metric}": value_of(made, row, data, metric)
        for _, data, metric in made.experiment.cells()
        if data in POOLED
    }
    return {name: {"value": round(one.value, 4), "of": one.of} for name, one in found.items() if one is not None}


def _figures(made: Made, row: str, data: str) -> dict[str, dict[str, float | int]]:
    figures: dict[str, dict[str, float | int]] = {}
    for _, name, metric in made.experiment.cells():
        found = value_of(made, row, data, metric) if name == data else None
        if found is not None:
            figures[metric] = {"value": round(found.value, 4), "of": found.of}
            if found.low is not None and found.high is not None:
                figures[metric] |= {"low": round(found.low, 2), "high": round(found.high, 2)}
    return figures


def _about(run: RunOfRow) -> dict[str, Any]:
    header = run.header
    selected = ("dataset", "dataset_hash", "split", "limit", "seed", "with_context", "recipe", "items")
    made_by = ("settings_hash", "prompts_hash", "snapshots", "versions", "started", "accepted")
    return {
        **{name: getattr(header, name) for name in selected + made_by},
        **({"incomplete": list(run.incomplete)} if run.incomplete else {}),
        "settings": _changed(header.settings),
        "statuses": dict(Counter(line.status for line in run.lines)),
        "unfinished": run.items - len(run.lines),
        "seconds_each": round(sum(line.usage.seconds for line in run.lines) / max(1, len(run.lines)), 3),
    }


def _changed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that differ from the defaults, by dotted name."""
    defaults = Settings.model_construct().model_dump(mode="json", exclude={"home", "keys", "trace", "serve"})
    return {
        f"{group}.{name}": value
        for group, values in settings.items()
        for name, value in values.items()
        if defaults.get(group, {}).get(name) != value
    }


def _saved_blind(made: Made) -> dict[str, Any]:
    return {
        name: {"name": found.name, "accuracy": round(100 * found.share, 2), "of": found.of}
        for name, found in made.blind.items()
    }


def _missing(made: Made) -> list[dict[str, str]]:
    return [{"row": row, "data": data, "reason": reason} for (row, data), reason in made.missing.items()]
