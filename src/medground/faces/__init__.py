"""How people and programs reach the engine: a face parses, calls the engine and renders.

`medground_evaluate`, the other package of this distribution, adds commands, pages and plots by entry points; nothing
here imports it by name.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution


def joining(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; none where Medground runs without being installed."""
    with suppress(PackageNotFoundError):  # those of all distributions would take 30 ms to read
        return {point.name: point for point in distribution("medground").entry_points.select(group=group)}
    return {}
