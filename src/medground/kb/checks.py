"""What can be wrong with a specification that reads well: two sources of one name, a missing path, one read twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from medground.corpus.readers import READERS
from medground.kb.graphs import FILTERS, INSTALLED, VOCABULARIES
from medground.kb.spec import InputSpec, Place, Spec

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
                    if _overlap(path, other) and not _apart(one.where, before.where):
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


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one.is_relative_to(other) or other.is_relative_to(one)


def _apart(one: Mapping[str, tuple[str | int, ...]], other: Mapping[str, tuple[str | int, ...]]) -> bool:
    """Whether no document can pass both conditions: they want different values of one field."""
    return any(set(map(str, one[name])).isdisjoint(map(str, other[name])) for name in one.keys() & other.keys())
