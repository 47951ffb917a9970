"""The words by which a question is read, by the headings of `words.txt`, where each list is explained."""

from __future__ import annotations

from importlib import resources


def _lists() -> dict[str, frozenset[str]]:
    found: dict[str, list[str]] = {}
    words: list[str] = []
    text = (resources.files(__package__) / "words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            words = found.setdefault(line[1:].split("]")[0], [])
        elif not line.startswith("#"):
            words += (word.replace("_", " ") for word in line.split())
    return {name: frozenset(words) for name, words in found.items()}


LISTS = _lists()
"""Words by the heading that they stand below; `_` stands for a space in the file."""
