"""What can be wrong with a specification that reads well: two sources of one name, a missing path, one read twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from medground.corpus.readers import READERS
from medground.graph.bases.spec import InputSpec, Place, SourceSpec, Spec, Wanted
from medground.graph.vocabularies.base import Vocabulary
from medground.graph.vocabularies.hpo import Hpo

VOCABULARIES: Mapping[str, str] = MappingProxyType(
    {
        "hpo": "hpo:hpo",
        "mesh": "releases:mesh",
        "umls": "releases:umls",
        "drugbank": "releases:drugbank",
        "obo": "obo:obo",
        "obo-graph": "obo:obo_json",
    }
)
"""Names of vocabularies in a specification, and what opens each: a function of its path in `graph/vocabularies`."""

FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType({"umls": ("LAT", "SAB")})
"""What `where` may limit: the languages and the source vocabularies of UMLS, by the names of its own columns."""

_ARGUMENTS = {"LAT": "languages", "SAB": "sources"}
_UNTOLD = frozenset(["obo", "obo-graph"])
"""Vocabularies whose files do not say under which terms they may be used: those of the source hold."""

INSTALLED = "hpo"
"""The vocabulary that needs no path: the extra `starter` brings it."""


def vocabularies_of(source: SourceSpec, folder: Path) -> list[Vocabulary]:
    """The vocabularies of a graph, in the order of its inputs.

    Raises:
        ConfigError: the installed vocabulary is not there.
        BadDocument: a file is not what it claims to be.
    """
    found: list[Vocabulary] = []
    for one in source.inputs:
        name = one.reader or INSTALLED
        module, _, function = VOCABULARIES[name].partition(":")
        opened: Callable[..., Vocabulary] = getattr(import_module(f"medground.graph.vocabularies.{module}"), function)
        paths = one.resolved(folder)
        if name == INSTALLED:
            found += [opened(Hpo.open(path)) for path in paths or (None,)]
            continue
        told = {"licence": source.described.licence, "origin": source.described.origin} if name in _UNTOLD else {}
        limits = {_ARGUMENTS[column]: tuple(map(str, values)) for column, values in one.where.items()}
        found += [opened(path, **limits, **told) for path in paths]
    return found


Problem = tuple[Place, str]


def problems(spec: Spec, folder: Path) -> Iterator[Problem]:
    """What is wrong, with its place, in the order of the file; `folder` is that of the specification."""
    yield from _names(spec)
    seen: list[tuple[Path, InputSpec, str]] = []
    for number, source in enumerate(spec.sources):
        for at, one in enumerate(source.inputs):
            place: Place = ("sources", number, "inputs", at)
            yield from _vocabulary(one, place) if source.kind == "graph" else _reader(one, place)
            for path in one.resolved(folder):
                if not path.exists():
                    yield (*place, "path"), f"{path} does not exist"
                for other, before, where in seen:
                    nested = path == other or path.is_relative_to(other) or other.is_relative_to(path)
                    if nested and not _apart(one.where, before.where):
                        again = "is named twice" if path == other else f"overlaps {other}"
                        yield (*place, "path"), f"{path} {again} (in {where}); give each its own values of one `where`"
                seen.append((path, one, source.described.name))


def _names(spec: Spec) -> Iterator[Problem]:
    graphs = [number for number, source in enumerate(spec.sources) if source.kind == "graph"]
    if len(graphs) > 1:
        yield ("sources", graphs[1], "kind"), "there are two graphs; list all vocabularies as inputs of one"
    names: dict[str, int] = {}
    for number, source in enumerate(spec.sources):
        name = source.described.name
        if name in names:
            yield ("sources", number), f"two sources are called {name}; give one of them another `name`"
        names[name] = number


def _reader(one: InputSpec, place: Place) -> Iterator[Problem]:
    if not one.paths:
        yield place, "`path` is missing; name a file or a folder"
    if one.reader is not None and one.reader not in READERS:
        yield (*place, "reader"), f"unknown reader {one.reader!r}; use one of {', '.join(READERS)}"


def _vocabulary(one: InputSpec, place: Place) -> Iterator[Problem]:
    known = ", ".join(VOCABULARIES)
    if one.reader is None:
        yield place, f"`reader` is missing; name the vocabulary: {known}"
    elif one.reader not in VOCABULARIES:
        yield (*place, "reader"), f"unknown vocabulary {one.reader!r}; use one of {known}"
    elif not one.paths and one.reader != INSTALLED:
        yield place, f"`path` is missing; name the file or folder of {one.reader}"
    filters = FILTERS.get(one.reader or "", ())
    if one.fields or not set(one.where) <= set(filters):
        kept = f"keep only {' and '.join(filters)} in `where`" if filters else "leave out `where`"
        yield place, f"{one.reader} has no such filter; leave out `fields` and {kept}"


def _apart(one: Wanted, other: Wanted) -> bool:
    """Whether no document can pass both conditions: they want different values of one field."""
    return any(set(map(str, one[name])).isdisjoint(map(str, other[name])) for name in one.keys() & other.keys())
