"""Patterns that are compiled once they are used: an answer from the graph uses few of those that are read with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    lazily = re.compile
else:

    class lazily:  # noqa: N801 (it stands for re.compile)
        """`re.compile`, at the first use of a method."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self._given = pattern, flags

        def __getattr__(self, name: str) -> Any:
            setattr(self, name, getattr(re.compile(*self._given), name))
            return getattr(self, name)
