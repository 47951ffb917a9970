"""Runs as judges receive them, which judge may judge which run, and which items are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.author import Author
from medground.errors import UsageError
from medground.evaluate.results import Result
from medground.evaluate.runs import read_run
from medground.evaluate.tally import is_right
from medground.models.base import Model
from medground.operators.base import Operator


@dataclass(frozen=True)
class JudgedRun(Result):
    """A run whose answers are judged. Judgements refer to it by `name`."""

    @classmethod
    def read(cls, path: Path) -> JudgedRun:
        """Read a run and name it after its file, without the suffix.

        Raises:
            UsageError: the file is not a run or is invalid.
        """
        header, lines = read_run(path)
        return cls(name=path.stem, header=header, lines={line.id: line for line in lines})

    @property
    def models(self) -> frozenset[str]:
        """All models that contributed to it."""
        by_operator = self.header.settings.get("model", {}).get("operators", {})
        return frozenset({self.header.model, *by_operator.values()})


@dataclass(frozen=True)
class Pairs:
    """The questions on which two runs can be compared.

    Attributes:
        right: ids of the questions that both answer correctly, with an explanation, in the order of the first run.
        both: number of questions that both runs have.
        unexplained: number that both answer correctly, but at least one without an explanation.
    """

    right: tuple[str, ...]
    both: int
    unexplained: int


def pairs_of(one: JudgedRun, other: JudgedRun) -> Pairs:
    """The questions on which two runs' explanations may be compared: those that both answer correctly (000, app. B).

    Raises:
        UsageError: the runs have the same name, are over different sets, or have no question in common.
    """
    if one.name == other.name:
        raise UsageError(f"both runs are called {one.name}; rename one of the files")
    for field in ("dataset", "dataset_hash", "split"):
        values = getattr(one.header, field), getattr(other.header, field)
        if values[0] != values[1]:
            raise UsageError(f"the runs differ in {field}: {values[0]} and {values[1]}; compare runs over the same set")
    both = [i for i in one.lines if i in other.lines]
    if not both:
        raise UsageError(
            f"{one.name} and {other.name} have no question in common; compare runs over the same questions"
        )
    right = [i for i in both if is_right(one.lines[i]) and is_right(other.lines[i])]
    explained = [i for i in right if one.lines[i].text.strip() and other.lines[i].text.strip()]
    return Pairs(right=tuple(explained), both=len(both), unexplained=len(right) - len(explained))


def check_judge(judge: Model, runs: Sequence[JudgedRun]) -> None:
    """Check that a judge does not judge itself.

    Raises:
        UsageError: the judge is a model of one of the runs, under this or another provider's name.
    """
    for run in runs:
        same = [name for name in sorted(run.models) if same_model(name, judge.name)]
        if same and Author(judge.name).is_model:  # word statistics judge nothing
            raise UsageError(
                f"{judge.name} wrote answers of {run.name}, so it may not judge them; name another --model"
            )


def place_of(home: Path, judge: str, names: Sequence[str]) -> Path:
    """The default file of judgements: the same judge on the same runs always has the same file."""
    words = "/".join([judge, *names])
    return home / "judgements" / f"{hashlib.sha256(words.encode()).hexdigest()[:12]}.jsonl"


def same_model(one: str, other: str) -> bool:
    """Whether two names denote the same model, whoever serves it."""
    return _bare(one) == _bare(other)


def pin(judge: Model, operator: Operator[Any, Any], runs: Sequence[JudgedRun]) -> str:
    """Hash of everything that decides a judgement except the item: the judge, its instructions, and the runs."""
    content = {
        "judge": judge.identity,
        "instructions": operator.instructions,
        "schema": operator.output.model_json_schema(),
        "runs": [[run.name, run.header.dataset_hash, run.header.settings_hash, run.header.started] for run in runs],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _bare(model: str) -> str:
    """A model's name without its provider: `openrouter:openai/gpt-5` and `openai:gpt-5` are one model."""
    name = model.casefold()
    return name if name.partition(":")[0] == "local" else name.replace(":", "/", 1).rpartition("/")[2]
