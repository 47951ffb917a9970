"""Plain English: sentences with a capital and an end, and counts with their nouns."""

from __future__ import annotations

import re

from medground.language.clean import clean

_SENTENCE_START = re.compile(r"[a-z]+(?=[\s,;.]|: |$)")


def joined(text: str) -> str:
    """Clean text as one line, with one space between words."""
    return " ".join(clean(text).split())


def sentence(text: str) -> str:
    """Text that begins with a capital and ends with a full stop; names such as `openai:gpt-5` stay as they are."""
    text = joined(text)
    return ended(text[0].upper() + text[1:] if _SENTENCE_START.match(text) else text)


def ended(text: str) -> str:
    """Text with a full stop, unless it is empty or has an end of its own."""
    return text if not text or text.rstrip("”\"')]").endswith((".", "?", "!")) else text + "."


def some(count: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
