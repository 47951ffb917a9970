"""Fields as models write them: mended where that is cheaper than asking again."""

from collections.abc import Callable
from typing import Any

MOST_ITEMS = 40
"""Most items of a list that are read at all; a weak model repeats itself without end."""


def one_line(longest: int) -> Callable[[Any], Any]:
    """A text as models write it, in one line: null for none, or too long. Cutting is cheaper than asking again."""

    def read(said: Any) -> Any:
        if said is None:
            return ""
        return " ".join(said.split())[:longest].strip() if isinstance(said, str) else said

    return read


def list_of(field: str, most: int = MOST_ITEMS) -> Callable[[Any], Any]:
    """A list as models write it: null, one item, or plain texts where items have a name each."""

    def read(said: Any) -> Any:
        if said is None:
            return ()
        items = said if isinstance(said, list | tuple) else [said]
        return tuple({field: one} if isinstance(one, str) else one for one in items[:most] if one is not None)

    return read
