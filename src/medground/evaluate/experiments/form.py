"""What a file of an experiment says: data, rows that are run, and the figures that the paper published."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from medground.document import Frozen
from medground.errors import UsageError

RUNNABLE = "runnable"
FOLDER = "experiments"


class Data(Frozen, extra="forbid"):
    """A data set, or a part of it.

    Attributes:
        name: the set, as `medground data list` has it.
        limit: at most so many questions.
        seed: of the shuffle that the limit is taken from.
        ids: only items whose id begins so.
        gold: only items whose gold answer is one of these; a question then has no other answer either.
        with_context: each question comes with its own documents, and nothing is searched.
        corpora: what is searched; the user's own choice where none is named.
        settings: options of every row on this data, such as the pool of demonstrations.
        note: how it differs from the paper's.
    """

    name: str = Field(alias="set")
    split: str = "test"
    limit: int | None = Field(default=None, ge=1)
    seed: int | None = None
    ids: str = ""
    gold: tuple[str, ...] = ()
    with_context: bool = False
    corpora: tuple[str, ...] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    note: str = ""


class Row(Frozen, extra="forbid"):
    """A recipe that is run on the data.

    Attributes:
        settings: options over those of the preset, such as `{"pubmed_reasoner.critic" = false}`.
        data: which data it is run on; all without it.
        model: the model that answers where the user names none.
        baseline: whether ratios of cost are taken to this row.
        stand_in: options instead of those that need a model, where `keyless` answers.
        note: how it differs from the paper's.
    """

    name: str
    recipe: str
    preset: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    data: tuple[str, ...] = ()
    model: str | None = None
    baseline: bool = False
    stand_in: dict[str, Any] = Field(default_factory=dict)
    note: str = ""


class Published(Frozen, extra="forbid"):
    """A row of the paper.

    Attributes:
        model: the model that made it, and with what.
        row: name of the row here that does the same, if any.
        axis: the axis of explanations that the row is about, in a table of comparisons.
        values: one for each column; nan where the paper has none.
    """

    name: str
    model: str = ""
    row: str | None = None
    axis: Literal["soundness", "grounding", "relevance", "trustworthiness"] | None = None
    values: tuple[float, ...]

    def value(self, place: int) -> float | None:
        """The figure of a column; None where the paper has none."""
        value = self.values[place]
        return None if math.isnan(value) else value


class Experiment(Frozen, extra="forbid"):
    """One table or figure.

    Attributes:
        paper: number of the paper, such as `000`.
        table: as the paper calls it, such as `Table 1`.
        shows: what it shows, in a sentence.
        of: what the paper's figures were made on.
        status: `runnable`, or what it waits for, such as `waits for recipe omni-rag`.
        columns: `DATA.METRIC`, the columns of the figures.
        at_least: columns of which the paper only says that they are more than the number.
        judged: the two rows whose explanations a judge compares; a win is the first one's.
        note: what a reader must know to compare.
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
    data: dict[str, Data] = Field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    published: tuple[Published, ...] = ()

    @property
    def name(self) -> str:
        """Such as `000/table-1`."""
        return f"{self.paper}/{self.table.lower().replace(' ', '-')}"

    @property
    def runnable(self) -> bool:
        """Whether all recipes that it needs exist."""
        return self.status == RUNNABLE

    def cells(self) -> Iterator[tuple[int, str, str]]:
        """Place, data and metric of each column."""
        for place, column in enumerate(self.columns):
            data, _, metric = column.partition(".")
            yield place, data, metric

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rows = {row.name for row in self.rows}
        if len(rows) < len(self.rows):
            raise ValueError("two rows have the same name")
        for published in self.published:
            if len(published.values) != len(self.columns):
                raise ValueError(f"{published.name}: {len(published.values)} values for {len(self.columns)} columns")
            if published.row is not None and published.row not in rows:
                raise ValueError(f"{published.name}: there is no row {published.row!r}")
        if unknown := {*(self.judged or ())} - rows:
            raise ValueError(f"judged: there is no row {', '.join(sorted(unknown))}")
        if self.runnable:
            self._check_data()
        return self

    def _check_data(self) -> None:
        if not self.rows or not self.data:
            raise ValueError("an experiment that runs needs data and rows")
        used = {data for _, data, _ in self.cells()} | {data for row in self.rows for data in row.data}
        if unknown := used - self.data.keys():
            raise ValueError(f"no data {', '.join(sorted(unknown))}")


def read_experiment(path: Path) -> Experiment:
    """Read a file.

    Raises:
        UsageError: it is missing, no TOML, or says something that an experiment does not say.
    """
    try:
        return Experiment.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise UsageError(
            f"there is no experiment {path}; name a file, or a table such as 000/table-1 from the folder that holds"
            " experiments/; medground experiment list shows those"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as an experiment: {error}; see docs/experiments.md") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise UsageError(f"{path}: {where}: {first['msg']}; see docs/experiments.md") from None


def find_experiments(folder: Path) -> list[tuple[Path, Experiment]]:
    """All files of a folder and the folders in it, by paper and by the number of table or figure.

    Raises:
        UsageError: there is none, or one cannot be read.
    """
    paths = sorted(folder.rglob("*.toml"), key=lambda path: (path.parent, _numbered(path.stem)))
    if not paths:
        raise UsageError(f"no experiments in {folder}; name their folder with --folder")
    return [(path, read_experiment(path)) for path in paths]


def _numbered(stem: str) -> tuple[str, int, str]:
    kind, _, number = stem.rpartition("-")
    return kind, int(number) if number.isdecimal() else 0, number
