"""Lists of words as data: one file for what they are used for, one heading for each list, where it is explained."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from medground.home.files import tables
from medground.language.pattern import lazy_pattern


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


@cache
def forms(name: str) -> Mapping[str, re.Pattern[str]]:
    """The patterns of a table of `forms.toml`, compiled, by their names and in their order."""
    texts: dict[str, str] = {}
    for form, pieces in tables("language", "forms")[name].items():
        texts[form] = re.sub(r"\{\{(\w+)\}\}", lambda part: texts[part[1]], "".join(pieces))
    return {form: lazy_pattern(text) for form, text in texts.items() if not form.startswith("_")}
