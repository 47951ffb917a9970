"""Reading fields of a service's JSON, which may lack any of them or have them in another form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medground.corpus.readers.compose import printable

Json = Mapping[str, Any]


def part(value: Any, *names: str) -> Json:
    """The object under these names, one in the other; empty where there is none."""
    found = _under(value, *names)
    return found if isinstance(found, Mapping) else {}


def parts(value: Any, name: str) -> Iterator[Json]:
    """The objects in the list under a name."""
    found = _under(value, name)
    return (one for one in found if isinstance(one, Mapping)) if isinstance(found, list) else iter(())


def text(value: Any, *names: str) -> str:
    """The text, or the number as text, under these names, in one line; empty where there is none."""
    found = _under(value, *names)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    return _line(str(found))


def texts(value: Any, name: str) -> list[str]:
    """The texts in the list under a name."""
    found = _under(value, name)
    return [_line(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _under(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _line(told: str) -> str:
    """In one line, without control characters and lone surrogates."""
    return " ".join(printable(told).split())
