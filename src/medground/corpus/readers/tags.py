"""How records of tagged lines are split, and how a field of a document is made from the values of tags."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

Tags = Mapping[str, list[str]]
"""The values of each tag; none for one that a record does not have."""
Get = Callable[[Tags], Any]


def first(*names: str) -> Get:
    """The first value of these tags that says something."""
    return lambda tags: next((value for name in names for value in tags[name] if value.strip(" /")), None)


def each(*names: str) -> Get:
    """All values of the first of these tags that a record has."""
    return lambda tags: next((tags[name] for name in names if tags[name]), [])


def at_semicolons(*names: str) -> Get:
    """All values of these tags, each cut at its semicolons."""
    return lambda tags: [part for name in names for value in tags[name] for part in value.split(";")]


def both(*names: str) -> Get:
    """The first values of these tags, one after the other."""
    return lambda tags: " ".join(tags[name][0] for name in names if tags[name])


def kept(names: Mapping[str, str], most: int | None = None) -> Get:
    """Metadata: what is kept of these tags, under other names; at most so many values of each."""
    return lambda tags: {name: tags[tag][:most] for tag, name in names.items() if tags[tag]}


def split(
    tag: str, continued: str = " ", one_each: Collection[str] = ()
) -> Callable[[str], defaultdict[str, list[str]]]:
    """Splits a record at its tags. A line that begins with `continued` belongs to the tag before it, each as a value of
    its own after a tag of `one_each`.
    """
    pattern = re.compile(tag)

    def tags_of(record: str) -> defaultdict[str, list[str]]:
        lines: defaultdict[str, list[list[str]]] = defaultdict(list)
        last = ""
        for line in record.split("\n"):
            if found := pattern.match(line):
                last = found[1]
                lines[last].append([(found[2] or "").strip()])
            elif last and line.startswith(continued) and line.strip():
                if last in one_each:
                    lines[last].append([line.strip()])
                else:
                    lines[last][-1].append(line.strip())
        return defaultdict(list, {tag: [" ".join(value) for value in values] for tag, values in lines.items()})

    return tags_of
