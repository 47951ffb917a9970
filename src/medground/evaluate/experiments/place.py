"""Finding the data of an experiment, and the subset of it that is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import Item
from medground.evaluate.datasets.loader import Loader
from medground.evaluate.datasets.registry import open_dataset
from medground.evaluate.experiments.form import Data
from medground.question import Task

_DECIDED: dict[frozenset[str], Task] = {
    frozenset({"yes", "no"}): "yes-no",
    frozenset({"yes", "no", "maybe"}): "yes-no-maybe",
}


@dataclass(frozen=True)
class PartOfSet(Loader):
    """A subset of a data set. It has its own name, so its runs cannot be mistaken for runs of the whole."""

    prefix: str = ""
    gold: tuple[str, ...] = ()

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the selected items, with the same errors as `read`."""
        return (item.id for item in self.read(path, split))

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """The selected items, with the same errors as for the whole set."""
        for item in super().read(path, split, lambda i: i.startswith(self.prefix) and (wanted is None or wanted(i))):
            if not self.gold or set(item.gold) <= set(self.gold):
                yield self._narrowed(item)

    def _narrowed(self, item: Item) -> Item:
        """The item, without answers that are never correct in this subset."""
        task = _DECIDED.get(frozenset(self.gold))
        if task is None or item.question.task not in ("yes-no", "yes-no-maybe"):
            return item
        return item.model_copy(update={"question": item.question.model_copy(update={"task": task})})


def part_of(whole: Loader, prefix: str = "", gold: tuple[str, ...] = ()) -> PartOfSet:
    """A subset: its name says how it was selected, and it has no published sizes."""
    taken = [f"{prefix}*"] if prefix else []
    taken += [" or ".join(gold)] if gold else []
    info = whole.info.model_copy(update={"name": f"{whole.info.name} ({', '.join(taken)})", "sizes": {}})
    own = {field.name: getattr(whole, field.name) for field in fields(Loader)}
    return PartOfSet(**{**own, "info": info}, prefix=prefix, gold=gold)


def find_data(data: Data, folder: Path) -> tuple[Loader, Path]:
    """Find the set, or the subset of it, and its file, in the folder or one of its subfolders.

    Raises:
        UsageError: it was not found; the message says where to get it.
    """
    whole = open_dataset(data.name)
    for place in (folder, *sorted(path for path in folder.glob("*") if path.is_dir())):
        try:
            found = whole.find(place)
        except UsageError:
            continue
        if whole.fits(found):
            return part_of(whole, data.ids, data.gold) if data.ids or data.gold else whole, found
    # Stored with the results as the reason for a missing row, so it must not contain a local path.
    raise UsageError(
        f"no file of {data.name} in the folder of --data or in its folders; it comes from {whole.info.obtain}"
    )
