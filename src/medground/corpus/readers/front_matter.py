"""YAML front matter of a Markdown file: fields between two lines `---` at its very start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FRONT = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[\w-]+[ \t]*:", re.MULTILINE)
_LONGEST = 100_000
_DEEPEST = 20
_BEGINS = frozenset(["[", "{", "<block mapping start>", "<block sequence start>"])
_ENDS = frozenset(["]", "}", "<block end>"])


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The fields, and the text after them. A text without front matter is returned as it is.

    Raises:
        ValueError: the front matter is not YAML, has aliases, or is nested too deeply.
    """
    found = _FRONT.match(text)
    if found is None or len(found[1]) > _LONGEST or not _FIELD.search(found[1]):
        return {}, text
    import yaml

    try:
        _check(found[1])
        fields = yaml.load(found[1], Loader=yaml.BaseLoader)  # noqa: S506 this loader knows texts and lists alone
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark else ""
        raise ValueError(f"the front matter is not YAML{where}; mend it or remove it") from error
    if not isinstance(fields, dict):
        return {}, text
    return {str(key): value for key, value in fields.items()}, text[found.end() :].lstrip("\n")


def _check(front: str) -> None:
    import yaml

    depth = 0
    for token in yaml.scan(front):
        if isinstance(token, yaml.AliasToken):
            raise ValueError("the front matter has aliases (*name), which are not read; write the values out")
        depth += token.id in _BEGINS
        depth -= token.id in _ENDS
        if depth > _DEEPEST:
            raise ValueError(f"the front matter is nested more than {_DEEPEST} deep; flatten it")
