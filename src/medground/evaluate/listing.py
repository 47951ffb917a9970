"""The runs in a folder: what each one is, and its accuracy with every item in the denominator."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from pydantic import Field

from medground.document import Frozen
from medground.errors import UsageError
from medground.evaluate.base import RunHeader
from medground.evaluate.runs import read_run
from medground.evaluate.tally import Tally

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_SUFFIX = ".jsonl"
_MOST_KNOWN = 1_000


class Accuracy(Frozen):
    """A share of correct answers with its 95 % interval (Wilson), from 0 to 1.

    `of` counts every item with a gold answer and every unfinished one: failures and refusals count as wrong.
    """

    value: float
    low: float
    high: float
    right: int
    of: int


class Listed(Frozen):
    """One run of a folder. `problem` says why it cannot be read; the rest is then empty."""

    id: str = Field(description="the name of its file without the suffix")
    problem: str = ""
    dataset: str = ""
    split: str = ""
    recipe: str = ""
    model: str = ""
    started: str = ""
    limit: int | None = None
    seed: int | None = None
    with_context: bool = False
    items: int = 0
    unfinished: int = 0
    accuracy: Accuracy | None = None
    majority: str = Field(default="", description="the most common gold answer")
    majority_share: float | None = Field(default=None, description="how many items always answering so gets right")
    statuses: Mapping[str, int] = Field(default_factory=dict)
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    cached_calls: int = 0
    searches: int = 0
    seconds: float = 0.0
    price: Decimal | None = Field(default=None, description="in US dollars; None: unknown")


class Runs:
    """The runs of a folder, read again only where a file has changed.

    Args:
        folder: where `medground eval run` keeps them; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: OrderedDict[tuple[str, int, int], Listed] = OrderedDict()

    def list(self) -> list[Listed]:
        """All runs, the one that was written to last first. A file that is not a run says so."""
        return [self._listed(path) for _, path in sorted(self._files(), key=lambda found: -found[0])]

    def find(self, run_id: str) -> tuple[Path, Listed]:
        """The file of a run, and what it is. Only files in the folder itself are found.

        Raises:
            UsageError: there is no run of this name, or it cannot be read.
        """
        path = next((path for _, path in self._files() if path.stem == run_id), None)
        if path is None:
            raise UsageError(f"no run {run_id[:80]!r}; `medground eval run` makes one")
        listed = self._listed(path)
        if listed.problem:
            raise UsageError(listed.problem)
        return path, listed

    def _files(self) -> Iterator[tuple[float, Path]]:
        if self.folder.is_dir():
            for path in self.folder.glob(f"*{_SUFFIX}"):
                if path.is_file() and not path.is_symlink() and _ID.fullmatch(path.stem):
                    yield path.stat().st_mtime, path

    def _listed(self, path: Path) -> Listed:
        state = path.stat()
        key = (path.name, state.st_mtime_ns, state.st_size)
        if (known := self._known.pop(key, None)) is None:
            known = _read(path)
        self._known[key] = known
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return known


def _read(path: Path) -> Listed:
    try:
        header, lines = read_run(path)
        tally = Tally(items=header.items)
        for line in lines:
            tally.add(line)
    except UsageError as error:
        return Listed(id=path.stem, problem=str(error).replace(str(path), path.name))
    return _told(path.stem, header, tally)


def _told(run_id: str, header: RunHeader, tally: Tally) -> Listed:
    gold, count = tally.majority or ((), 0)
    return Listed(
        id=run_id,
        dataset=header.dataset,
        split=header.split,
        recipe=header.recipe,
        model=header.model,
        started=header.started,
        limit=header.limit,
        seed=header.seed,
        with_context=header.with_context,
        items=header.items,
        unfinished=tally.unfinished,
        accuracy=_accuracy(tally),
        majority=", ".join(gold),
        majority_share=count / tally.scored if gold else None,
        statuses=dict(tally.statuses.most_common()),
        input_tokens=tally.input_tokens,
        output_tokens=tally.output_tokens,
        model_calls=tally.model_calls,
        cached_calls=tally.cached_calls,
        searches=tally.searches,
        seconds=tally.seconds,
        price=tally.price,
    )


def _accuracy(tally: Tally) -> Accuracy | None:
    if tally.final_accuracy is None:
        return None
    low, high = tally.final_interval
    return Accuracy(
        value=tally.final_accuracy, low=low, high=high, right=tally.right, of=tally.scored + tally.unfinished
    )
