"""Bytes to text: UTF-8 or UTF-16 where the bytes say so, else Windows-1252, the superset of Latin-1."""

from __future__ import annotations

import codecs
from pathlib import Path

from medground.corpus.readers.compose import printable
from medground.corpus.readers.files import content_of
from medground.errors import BadDocument

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MOST_CONTROL = 0.01


def decoded(content: bytes) -> str:
    """The text of some bytes.

    Raises:
        ValueError: they are not text.
    """
    named = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if named is None and b"\x00" in content:
        raise ValueError("this is a binary file, not text")
    try:
        return content.decode(named or "utf-8")
    except UnicodeDecodeError as error:
        if named is not None:
            raise ValueError(f"not {named} at byte {error.start}; convert it with iconv -t utf-8") from error
    text = content.decode("cp1252", "replace")
    strange = sum(1 for old, new in zip(text, printable(text), strict=True) if old != new or new == "\ufffd")
    if strange > _MOST_CONTROL * len(text):
        raise ValueError("neither UTF-8 nor Latin-1; convert it with iconv -t utf-8")
    return text


def text_of(path: Path) -> str:
    """The text of a file, plain or gzip.

    Raises:
        BadDocument: it is not text, cannot be read, or is longer than one record may be.
    """
    try:
        return decoded(content_of(path))
    except ValueError as error:
        raise BadDocument(str(error), file=str(path)) from error
