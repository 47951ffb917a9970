"""Recipes, sources and what joins, by name: names only, so that settings load none of them.

A name is one of ours, that of an object which a program gave, an entry point of an installed package, or `module:NAME`.
The last loads any code, so the user must have written it, in settings, variables, options or a program (`trust`). In a
request, a run's file or a corpus it is an unknown name.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from typing import Any, Literal, TypeVar

from medground.errors import ConfigError, UsageError, needing
from medground.home.files import tables

RECIPES: Mapping[str, str] = tables("home", "registry")["recipes"]
"""Name to `module:constant`. A recipe with its own settings has a section of its name, with underscores."""


RESEARCH: str = tables("home", "registry")["research"]["recipe"]
"""The recipe of research where none is named."""


# Sources by name, apart from corpora and their graphs, and where each declares itself. Names only, as for recipes.

SOURCES: Mapping[str, str] = tables("home", "registry")["sources"]
"""Name to `module:constant`. A source with settings of its own has a section of the same name."""


T = TypeVar("T")
Group = Literal["recipes", "sources", "readers", "critics", "datasets", "rerankers", "embedders", "models"]
"""What others can add. The entry points of a group are `medground.GROUP`."""

log = logging.getLogger(__name__)
_OURS: Mapping[Group, Mapping[str, str]] = {"recipes": RECIPES, "sources": SOURCES}
_PLACE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[A-Z][A-Z0-9_]*")
"""`module:NAME`, in capitals: `openai:o3` is a model."""
given: dict[Group, dict[str, Any]] = defaultdict(dict)
"""Objects of this process by name; a later one of the same name takes its place."""
trusted = set[str]()


def places(written: Any) -> Iterator[str]:
    """Each `module:NAME` in a value of any form."""
    if isinstance(written, str):
        yield from filter(_PLACE.fullmatch, re.split(r"[\s,]+", written))
    elif isinstance(written, Mapping | list | tuple):
        for one in written.values() if isinstance(written, Mapping) else written:
            yield from places(one)


def trust(written: Any) -> None:
    """Let each `module:NAME` in a value that the user wrote be loaded."""
    trusted.update(places(written))


@cache
def installed(group: Group) -> Mapping[str, EntryPoint]:
    """The entry points of a group in all installed packages, by name."""
    return {point.name: point for point in sorted(entry_points(group=f"medground.{group}"))}


def names(group: Group) -> list[str]:
    """All names of a group, in alphabetical order."""
    return sorted({*_OURS.get(group, ()), *installed(group), *given[group]})


def recipe_names() -> list[str]:
    """All recipes, in alphabetical order."""
    return names("recipes")


def find(group: Group, name: str, kind: type[T]) -> T | None:
    """What has this name, of the type or protocol `kind`; None if nothing has.

    Raises ConfigError: it cannot be loaded; of ours, an extra is missing.
    """
    if name in _OURS.get(group, ()):
        with needing("services", f"{group[:-1]} {name!r}"):
            ours: T = _load(_OURS[group][name])
        return ours
    if name in given[group] or not ((point := installed(group).get(name)) or name in trusted):
        return given[group].get(name)
    place, package = (point.value, f" of the package {point.dist and point.dist.name}") if point else (name, "")
    try:
        found = _load(place)
    except Exception as error:  # code that others wrote may raise anything
        absent = isinstance(error, ModuleNotFoundError) and place.startswith(f"{error.name}")
        mend = "install it, or set PYTHONPATH to its folder" if absent else f"correct {place}"
        raise ConfigError(f"{group[:-1]} {name!r}{package} cannot be loaded: {error}; {mend}") from error
    if isinstance(found, type) or not isinstance(found, kind):
        raise ConfigError(f"{group[:-1]} {name!r}: {place} is not a {kind.__name__}, but {type(found).__name__}")
    return found


def added(group: Group, kind: type[T]) -> dict[str, T]:
    """What packages and programs added to a group, by name; what cannot be loaded is logged and left out."""
    loaded: dict[str, T | None] = {}
    for name in (*installed(group), *given[group]):
        try:
            loaded[name] = find(group, name, kind)
        except ConfigError as error:
            log.warning("%s", error)
    return {name: one for name, one in loaded.items() if one is not None}


def unknown(group: Group, name: str) -> UsageError:
    """The error of a name that nothing has."""
    hint = "; write module:NAME in settings, a MEDGROUND_ variable or an option" if _PLACE.fullmatch(name) else ""
    return UsageError(f"unknown {group[:-1]} {name!r}; choose one of {', '.join(names(group))}{hint}")


def _load(place: str) -> Any:
    module, _, constant = place.partition(":")
    return getattr(import_module(module), constant)


def joining(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; none where Medground runs without being installed.

    `medground_evaluate`, the other package of this distribution, joins by them; nothing here imports it by name.
    """
    with suppress(PackageNotFoundError):  # those of all distributions would take 30 ms to read
        return {point.name: point for point in distribution("medground").entry_points.select(group=group)}
    return {}
