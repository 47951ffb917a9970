"""Ids for documents that bring none: made from a file's place in its folder, or from what a record says."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_NOT_IN_AN_ID = re.compile(r"[\s#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")
_LONGEST_NAME = 200
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,31}:")
OWN = "DOC"
"""The prefix that an id without one is given."""


def file_id(name: str) -> str:
    """`FILE:NAME`. Long names keep their end and get a digest, so that two files never share an id."""
    return f"FILE:{_cleaned(name)}"


def name_below(path: Path, folder: Path | None) -> str:
    """The path of a file inside its folder; its name alone if it was not found in one."""
    return path.relative_to(folder).as_posix() if folder else path.name


def prefixed(name: str) -> str:
    """The id as it is, or with the prefix `DOC:` where it has none; what an id cannot contain is replaced.

    Raises:
        ValueError: nothing is left of it.
    """
    name = name.strip()
    if not name.strip(":"):
        raise ValueError("the id is empty")
    prefix = _PREFIX.match(name)
    if prefix is None or prefix.end() == len(name):
        return f"{OWN}:{_cleaned(name)}"
    return prefix[0] + _cleaned(name[prefix.end() :])


def named(prefix: str, name: str) -> str:
    """`PREFIX:NAME`, with what an id cannot contain replaced."""
    return f"{prefix}:{_cleaned(name)}"


def id_of_content(*parts: str) -> str:
    """`REF:` and a digest of what a record says, so that the same paper has the same id in every file."""
    words = [" ".join(part.split()).casefold() for part in parts]
    return f"REF:{hashlib.sha256(repr(words).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _cleaned(name: str) -> str:
    clean = _NOT_IN_AN_ID.sub("_", name)
    if clean != name or len(clean) > _LONGEST_NAME:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        clean = f"{clean[-(_LONGEST_NAME - 9) :]}-{digest}"
    return clean
