"""The format of an experiment's file, and its data: the sets, or the parts of them, that it names."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from medground.errors import UsageError
from medground.values import AtLeastOne, Frozen
from medground_evaluate.datasets.loader import Loader
from medground_evaluate.datasets.registry import open_dataset

RUNNABLE = "runnable"
PAPERS = Path(__file__).with_name("papers")
"""The tables and figures of the five papers."""
SHARED = "shared.toml"
"""What the experiments of a folder share: any key, and the data that they name in `shared`."""
POOLED = frozenset({"all", "average"})
"""Instead of one data set, a column may name `all` (the questions of all of them together) or `average` (the mean of
their figures, if every one of them was run)."""


class Data(Frozen, extra="forbid"):
    """A data set, or a part of it.

    Attributes:
        name: the set, as in `medground data list`.
        gold: only items whose gold answer is one of these; they are then the only possible answers.
        corpora: corpora to search; without any, those that the command names.
        until: evidence after this day is not searched.
        settings: options for every row on this data, such as the pool of demonstrations.
    """

    name: str = Field(alias="set")
    split: str = "test"
    limit: AtLeastOne | None = None
    ids: str = ""
    gold: tuple[str, ...] = ()
    corpora: tuple[str, ...] | None = None
    until: date | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    verbatim: str = ""
    note: str = ""


class Row(Frozen, extra="forbid"):
    """A recipe that is run on the data.

    Attributes:
        settings: options that override the preset, such as `{"pubmed_reasoner.critic" = false}`.
        data: names of the data it is run on; empty for all.
        corpora: by data, corpora of this row alone; they are its own, whatever the command names.
        embedder: part of the name of the embedding model that the row names; vectors of another are refused.
        baseline: whether cost ratios, and the changes of the rows below it, are relative to this row.
        stand_in: options that replace those that need a model when `keyless` answers.
    """

    name: str
    recipe: str
    preset: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    data: tuple[str, ...] = ()
    corpora: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    embedder: str = ""
    baseline: bool = False
    stand_in: dict[str, Any] = Field(default_factory=dict)
    note: str = ""


class Published(Frozen, extra="forbid"):
    """A row of the paper.

    Attributes:
        model: the model behind the figures, and its tools.
        row: name of our equivalent row, which a command fills.
        axis: in a table of comparisons, the axis of explanations that the row is about.
        needs: what is missing here, such as a system that is not rebuilt; every row has one of these three.
        values: one for each column; nan if the paper has none.
    """

    name: str
    model: str = ""
    row: str | None = None
    axis: Literal["soundness", "grounding", "relevance", "trustworthiness"] | None = None
    needs: str = ""
    values: tuple[float, ...]

    def value(self, place: int) -> float | None:
        """The figure of a column; None if the paper has none."""
        value = self.values[place]
        return None if math.isnan(value) else value


class Experiment(Frozen, extra="forbid"):
    """One table or figure.

    Attributes:
        of: what the paper's figures were measured on.
        status: `runnable`, or what fills it instead, such as `is printed by medground train planner explore`.
        columns: `DATA.METRIC`, the columns of the figures; see `POOLED` for figures of several data sets.
        at_least: columns for which the paper only says "more than" the number.
        judged: the two rows whose explanations a judge compares; a win means the first row wins.
        verbatim: the preset with the paper's own prompts; empty where the paper prints none. A data set whose prompts
            differ names its own.
        stand_in: of every row, see `Row`.
    """

    paper: str
    title: str
    table: str
    shows: str
    of: str
    status: str = RUNNABLE
    columns: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    judged: tuple[str, str] | None = None
    note: str = ""
    verbatim: str = ""
    stand_in: dict[str, Any] = Field(default_factory=dict)
    data: dict[str, Data] = Field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    published: tuple[Published, ...] = ()

    @property
    def name(self) -> str:
        """Such as `000/table-1`."""
        return f"{self.paper}/{self.table.lower().replace(' ', '-')}"

    @property
    def runnable(self) -> bool:
        """Whether all the recipes it needs exist."""
        return self.status == RUNNABLE

    def cells(self) -> Iterator[tuple[int, str, str]]:
        """Index, data and metric of each column."""
        for place, column in enumerate(self.columns):
            data, _, metric = column.partition(".")
            yield place, data, metric

    @model_validator(mode="before")
    @classmethod
    def _shared(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The rows, each with the stand-ins of all."""
        rows = [{**row, "stand_in": data.get("stand_in", {}) | row.get("stand_in", {})} for row in data.get("rows", ())]
        return {**data, "rows": rows}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rows = {row.name for row in self.rows}
        if len(rows) < len(self.rows):
            raise ValueError("two rows have the same name")
        for published in self.published:
            if len(published.values) != len(self.columns):
                raise ValueError(f"{published.name}: {len(published.values)} values for {len(self.columns)} columns")
            if published.row is not None and published.row not in rows:
                raise ValueError(f"{published.name}: no row is called {published.row!r}")
            if self.runnable and sum(map(bool, (published.row, published.axis, published.needs))) != 1:
                raise ValueError(f"{published.name}: name the row that fills it, its axis, or what it needs")
        if unknown := {*(self.judged or ())} - rows:
            raise ValueError(f"judged: no row is called {', '.join(sorted(unknown))}")
        if self.runnable and not (self.rows and self.data):
            raise ValueError("a runnable experiment needs data and rows")
        unknown = {data for row in self.rows for data in row.corpora} - self.data.keys()
        if self.runnable:
            used = {data for _, data, _ in self.cells()} | {data for row in self.rows for data in row.data}
            unknown |= used - self.data.keys() - POOLED
        if unknown:
            raise ValueError(f"no data is called {', '.join(sorted(unknown))}")
        return self


def _with_shared(path: Path) -> dict[str, Any]:
    """The table of a file, and what the files of its folder share, if there is a `shared.toml`."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    if not path.with_name(SHARED).exists():
        return table
    shared = tomllib.loads(path.with_name(SHARED).read_text(encoding="utf-8"))
    there, named = shared.pop("data", {}), table.pop("shared", ())
    if unknown := set(named) - there.keys():
        raise UsageError(f"{path}: {SHARED} has no data {', '.join(sorted(unknown))}")
    return {**shared, **table, "data": {name: there[name] for name in named} | table.get("data", {})}


def read_experiment(path: Path) -> Experiment:
    """Read a file."""
    try:
        return Experiment.model_validate(_with_shared(path))
    except FileNotFoundError:
        raise UsageError(
            f"no experiment {path}; give a file, or a name such as 000/table-1 (`medground experiment list`)"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        problem = f"{where}: {first['msg'].removeprefix('Value error, ')}"
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problem = f"is not a valid experiment: {error}"
    raise UsageError(f"{path}: {problem}; see docs/reference/tables.md")


def find_experiments(folder: Path) -> list[tuple[Path, Experiment]]:
    """All experiments in a folder and its subfolders, by paper and by number of the table or figure."""
    files = (path for path in folder.rglob("*.toml") if path.name != SHARED)
    paths = sorted(files, key=lambda path: (path.parent, len(path.stem), path.stem))
    if not paths:
        raise UsageError(f"no experiments in {folder}; give their folder with --folder")
    return [(path, read_experiment(path)) for path in paths]


def part_of(whole: Loader, prefix: str = "", gold: tuple[str, ...] = ()) -> Loader:
    """A subset of a data set, without answers that are never correct in it.

    It has its own name, which says how it was selected, so its runs cannot be mistaken for runs of the whole.
    """
    taken = [f"{prefix}*"] if prefix else []
    taken += [" or ".join(gold)] if gold else []
    info = whole.info.replace(name=f"{whole.info.name} ({', '.join(taken)})", sizes={})
    return replace(whole, info=info, prefix=prefix, only_gold=frozenset(gold))


def find_data(data: Data, folder: Path) -> tuple[Loader, Path]:
    """Find the set, or the subset of it, and its file, in the folder or one of its subfolders.

    Raises UsageError: it was not found; the message says where to get it.
    """
    whole = open_dataset(data.name)
    for place in (folder, *sorted(path for path in folder.glob("*") if path.is_dir())):
        if whole.recognises(place):
            return part_of(whole, data.ids, data.gold) if data.ids or data.gold else whole, whole.find(place)
    # Stored with the results as the reason for a missing row, so it must not contain a local path.
    raise UsageError(
        f"no file of {data.name} in the folder of --data or in its folders; it comes from {whole.info.obtain}"
    )
