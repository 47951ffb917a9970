"""Lists of words as data: one file for what they are used for, one heading for each list, where it is explained."""

from importlib import resources


def word_lists(name: str) -> dict[str, frozenset[str]]:
    """The words of `NAME.txt` in this package by their headings, `[heading] What it is.`; `_` stands for a space."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in (resources.files(__package__) / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line[1:].split("]")[0], [])
        elif not line.startswith("#"):
            words += (word.replace("_", " ") for word in line.split())
    return {name: frozenset(words) for name, words in found.items()}
