"""How a follow-up question was read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """A follow-up question as it reads by itself; `word` and `stands_for` are empty where nothing was replaced."""

    text: str
    word: str = ""
    stands_for: str = ""
