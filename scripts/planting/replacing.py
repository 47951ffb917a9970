"""Replaces one match of a pattern and keeps the rest of the sentence."""

from __future__ import annotations

import re


def replaced(sentence: str, match: re.Match[str], text: str) -> str:
    """The sentence with the match replaced by `text`."""
    return sentence[: match.start()] + text + sentence[match.end() :]
