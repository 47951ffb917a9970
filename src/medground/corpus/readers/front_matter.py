"""YAML front matter of a Markdown file: fields between two lines `---` at its very start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FRONT = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[\w-]+[ \t]*:", re.MULTILINE)
_LONGEST = 100_000


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The fields, and the text after them. A text without front matter is returned as it is.

    Raises:
        ValueError: the front matter is not YAML.
    """
    found = _FRONT.match(text)
    if found is None or len(found[1]) > _LONGEST or not _FIELD.search(found[1]):
        return {}, text
    import yaml

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(found[1])):
            raise ValueError("the front matter has aliases (*name), which are not read; write the values out")
        fields = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506 this loader knows texts and lists alone
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark else ""
        raise ValueError(f"the front matter is not YAML{where}; mend it or remove it") from error
    if not isinstance(fields, dict):
        return {}, text
    return {str(key): value for key, value in fields.items()}, text[found.end() :].lstrip("\n")
