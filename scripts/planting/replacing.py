"""One match of a pattern replaced, the rest of the sentence kept."""

from __future__ import annotations

import re


def replaced(sentence: str, match: re.Match[str], text: str) -> str:
    """The sentence with the match's place taken by `text`."""
    return sentence[: match.start()] + text + sentence[match.end() :]
