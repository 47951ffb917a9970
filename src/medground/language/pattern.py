"""Patterns that are compiled when they are first used. One question uses a small share of the hundreds that its modules
define, and to compile them all would take longer than an answer from the graph.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    """Behaves as the compiled pattern; each of its methods becomes an attribute when it is first used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # for example of `copy`, which asks before the attributes are set
            raise AttributeError(name)
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern like that of `re.compile`, compiled at its first use: `lazy_pattern(r"\\bno\\b", re.IGNORECASE)`."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


def verbose_pattern(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A lazy pattern written over several lines (`re.VERBOSE`). It ignores case unless `flags` say otherwise."""
    return lazy_pattern(text, flags | re.VERBOSE)
