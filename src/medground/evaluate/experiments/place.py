"""Where the data of an experiment is, and the part of a set that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import DataSet, DataSetInfo, Item
from medground.evaluate.datasets import open_dataset
from medground.evaluate.experiments.form import Data
from medground.question import Task

_DECIDED: dict[frozenset[str], Task] = {
    frozenset({"yes", "no"}): "yes-no",
    frozenset({"yes", "no", "maybe"}): "yes-no-maybe",
}


@dataclass(frozen=True)
class PartOfSet:
    """A set of which only some items are taken. A run of it is no run of the whole: it has another name."""

    whole: DataSet
    prefix: str = ""
    gold: tuple[str, ...] = ()

    @property
    def info(self) -> DataSetInfo:
        """That of the whole, its name with what is taken, its sizes unknown."""
        taken = [f"{self.prefix}*"] if self.prefix else []
        taken += [" or ".join(self.gold)] if self.gold else []
        info = self.whole.info
        return info.model_copy(update={"name": f"{info.name} ({', '.join(taken)})", "sizes": {}})

    def find(self, path: Path) -> Path:
        """As the whole; raises as it does."""
        return self.whole.find(path)

    def fits(self, path: Path) -> bool:
        """As the whole."""
        return self.whole.fits(path)

    def hash(self, path: Path) -> str:
        """As the whole; raises as it does."""
        return self.whole.hash(path)

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the items that are taken; raises as `read` does."""
        return (item.id for item in self.read(path, split))

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """The items that are taken; raises as the whole does."""
        for item in self.whole.read(path, split, lambda i: self._named(i) and (wanted is None or wanted(i))):
            if not self.gold or set(item.gold) <= set(self.gold):
                yield self._narrowed(item)

    def _named(self, i: str) -> bool:
        return i.startswith(self.prefix)

    def _narrowed(self, item: Item) -> Item:
        """An answer that is never right is not offered either."""
        task = _DECIDED.get(frozenset(self.gold))
        if task is None or item.question.task not in ("yes-no", "yes-no-maybe"):
            return item
        return item.model_copy(update={"question": item.question.model_copy(update={"task": task})})


def find_data(data: Data, folder: Path) -> tuple[DataSet, Path]:
    """The set, or the part of it, and its file: the folder itself, or in one of its folders.

    Raises:
        UsageError: it is not there, with where its owner gives it.
    """
    whole = open_dataset(data.name)
    for place in (folder, *sorted(path for path in folder.glob("*") if path.is_dir())):
        try:
            found = whole.find(place)
        except UsageError:
            continue
        if whole.fits(found):
            return _part(whole, data), found
    # Kept with results as the reason why a row is missing, so it names no path of this machine.
    raise UsageError(
        f"no file of {data.name} in the folder of --data or in its folders; it comes from {whole.info.obtain}"
    )


def _part(whole: DataSet, data: Data) -> DataSet:
    return PartOfSet(whole, data.ids, data.gold) if data.ids or data.gold else whole
