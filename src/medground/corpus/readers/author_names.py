"""Names of authors as exporters write them: lists in one string, or objects with their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.values import one_line

_MOST_INITIALS = 4
_SUFFIX = re.compile(r"(?:Jr|Sr|[IV]{2,3}|IV|[23]rd|2nd)\.?")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.[ -]?)+")
_WITH_INITIALS = re.compile(r"[^\W\d_][\w'’. -]* [A-Z]{1,4}")


def names_of(value: Any) -> list[str]:
    """The names of authors: a list (of strings or of objects with a family name), or one string.

    Names in a string are separated by `;`, or by commas if each has initials (`Smith J, Doe AB`; `Smith, J.,
    Doe, A.B.`); in a string that is no item of a list, by ` and ` too.
    """
    if isinstance(value, str):
        marks = (";", "|", " and ") if ";" not in value else (";",)
        separator = next((mark for mark in marks if mark in value), ";")
        value = value.split(separator)
    items = value if isinstance(value, list | tuple) else [value]
    parted = (part for item in items for part in (_parted(item) if isinstance(item, str) else [item]))
    return [name for item in parted if item is not None and (name := _name(item))]


def _parted(names: str) -> list[str]:
    """The names in a string, as `Family, Given` or however each is written."""
    if ";" in names:
        return names.split(";")
    parts = [one_line(part) for part in names.split(",")]
    if len(parts) > 1 and all(_WITH_INITIALS.fullmatch(part.rstrip(".")) for part in parts):
        return [part.rstrip(".") for part in parts]
    given = [_INITIALS.fullmatch(part) or _SUFFIX.fullmatch(part) for part in parts]
    if len(parts) < 3 or 2 * sum(map(bool, given)) < len(parts):
        return [names]
    found: list[str] = []
    for part, goes_on in zip(parts, given, strict=True):
        if goes_on and found:
            found[-1] += f", {part}"
        else:
            found.append(part)
    return found


def _name(value: Any) -> str:
    """`Family Initials` or `Family, Given`, from a text or from an object with these parts; else the whole name."""
    if isinstance(value, Mapping):
        parts = {str(key).casefold(): one_line(part) for key, part in value.items() if part}
        family = parts.get("family") or parts.get("lastname") or parts.get("last_name") or parts.get("last") or ""
        given = parts.get("given") or parts.get("firstname") or parts.get("first_name") or parts.get("first") or ""
        whole = parts.get("literal") or parts.get("name") or ""
        particles = (parts.get(name, "") for name in ("dropping-particle", "non-dropping-particle"))
        own = _joined(one_line(" ".join([*particles, family])), given)
        return ", ".join(filter(None, (own, parts.get("suffix")))) or whole
    family, _, given = one_line(value).rstrip(",; ").partition(", ")
    return _joined(family, given)


def _joined(family: str, given: str) -> str:
    if not (family and given):
        return family or given
    initials = re.sub(r"[\s.-]", "", given)
    return f"{family} {initials}" if initials.isupper() and len(initials) <= _MOST_INITIALS else f"{family}, {given}"
