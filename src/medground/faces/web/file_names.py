"""Names of uploaded files: what a client sends is never used as a path."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePath

LONGEST = 150
"""Bytes of a stored name. Most file systems allow 255, and a compressed file is unpacked under a longer one."""
_SHOWN = 80
_UNSAFE = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)


def safe_name(sent: str, taken: Collection[str] = ()) -> str:
    """A name under which an uploaded file can be stored on any system, not among those that are `taken`.

    Raises:
        ValueError: the name is a path, hidden or empty; the message says so.
    """
    name = unicodedata.normalize("NFC", _printable(sent)).strip(" .")
    if "/" in sent or "\\" in sent:
        raise ValueError("its name contains a path; send the file by its name alone")
    if sent.startswith("."):
        raise ValueError("a hidden file; rename it without the leading dot")
    if not any(letter.isalnum() for letter in name):
        raise ValueError("it has no name; give it one")
    name = _UNSAFE.sub("_", name)
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return _free(_cut(name), taken)


def shown_name(sent: str) -> str:
    """A name as messages show it: one line, without invisible marks, not too long."""
    name = _printable(sent)
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN - 20]}…{name[-19:]}"


def _printable(name: str) -> str:
    """Without control characters, and without marks that change how a name is displayed and are not seen."""
    return "".join(letter for letter in name if letter.isprintable())


def _cut(name: str, most: int = LONGEST) -> str:
    """The name with its middle left out, so that its kind can still be told by its end."""
    if len(name.encode()) <= most:
        return name
    stem, kind = _split(name)
    kept = stem.encode()[: max(1, most - len(kind.encode()))].decode(errors="ignore")
    return f"{kept}{kind}"


def _free(name: str, taken: Collection[str]) -> str:
    known = {other.casefold() for other in taken}
    stem, kind = _split(name)
    count = 1
    while name.casefold() in known:
        count += 1
        name = f"{stem} ({count}){kind}"
    return name


def _split(name: str) -> tuple[str, str]:
    """Its stem, and its suffixes: `.xml.gz` is one kind. Long suffixes are part of the stem."""
    path = PurePath(name)
    kind = "".join(path.suffixes[-2:] if path.suffix.lower() == ".gz" else path.suffixes[-1:])
    return (name[: -len(kind)], kind) if 0 < len(kind) <= 20 else (name, "")
