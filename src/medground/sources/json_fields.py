"""Reading fields of a service's JSON, which may lack any of them or have them in another form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medground.corpus.readers.compose import printable

Json = Mapping[str, Any]


def part(value: Any, *names: str) -> Json:
    """The object under these names, one in the other; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def parts(value: Any, name: str) -> Iterator[Json]:
    """The objects in the list under a name."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return (one for one in found if isinstance(one, Mapping)) if isinstance(found, list) else iter(())


def text(value: Any, *names: str) -> str:
    """The text, or the number as text, under these names, in one line; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return _line(str(value))


def texts(value: Any, name: str) -> list[str]:
    """The texts in the list under a name."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return [_line(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _line(told: str) -> str:
    """In one line, without control characters and lone surrogates."""
    return " ".join(printable(told).split())
