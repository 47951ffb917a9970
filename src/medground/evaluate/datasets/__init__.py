"""Data sets by name."""

from __future__ import annotations

from importlib import import_module

from medground.errors import UsageError
from medground.evaluate.base import DataSet

_ROOM = "medground.evaluate.datasets"
_PLACES = {
    "pubmedqa": "pubmedqa:PUBMEDQA",
}


def dataset_names() -> list[str]:
    """All sets."""
    return sorted(_PLACES)


def open_dataset(name: str) -> DataSet:
    """The loader of the set called `name`.

    Raises:
        UsageError: there is none.
    """
    if name not in _PLACES:
        raise UsageError(f"unknown data set {name!r}; there are: {', '.join(dataset_names())}; see medground data list")
    module, _, loader = _PLACES[name].partition(":")
    found: DataSet = getattr(import_module(f"{_ROOM}.{module}"), loader)
    return found
