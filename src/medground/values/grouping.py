"""Values under their keys, and long sequences in portions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key: keys and values in the order in which they come.

    `grouped((word[0], word) for word in ("ash", "bay", "aim"))` is `{"a": ["ash", "aim"], "b": ["bay"]}`.
    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def portions(items: Sequence[V], most: int) -> Iterator[Sequence[V]]:
    """Slices of a sequence, in order, each with `most` items but the last."""
    return (items[first : first + most] for first in range(0, len(items), most))
