"""The items of the large arrays of a JSON file, one by one, so that the file is never in memory as a whole."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from medground.corpus.readers.files import LONGEST_RECORD, opened
from medground.errors import BadDocument

_BLOCK = 1 << 18
_SPACE = " \t\r\n"
_MARGIN = 64
"""A number may go on beyond what is read; so many characters beyond it prove that it does not."""


def array_items(path: Path, wanted: tuple[str, tuple[str, ...]]) -> Iterator[tuple[str, Any]]:
    """The items of the arrays `inner` of each object of the array `outer`, each with the name of its array.

    Args:
        path: a file whose top level is an object, plain or gzip.
        wanted: `(outer, inner)`: `("graphs", ("nodes", "edges"))`.

    Raises:
        BadDocument: the file is not JSON of this form, ends early, or cannot be read.
    """
    outer, inner = wanted
    with opened(path) as file:
        reader = _Reader(file, path)
        reader.expect("{", "an object")
        for key in reader.members():
            if key != outer:
                reader.skip()
                continue
            for _ in reader.elements():
                reader.expect("{", "an object")
                for name in reader.members():
                    if name in inner:
                        for _ in reader.elements():
                            yield name, reader.value()
                    else:
                        reader.skip()


class _Reader:
    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._json = json.JSONDecoder()
        self._text, self._at, self._ended = "", 0, False

    def members(self) -> Iterator[str]:
        """The keys of the object that was just opened, up to its end; each value must be taken before the next key."""
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._bad("a key is not a text")
            self.expect(":", "a colon")
            yield key
            if self._next(",}") == "}":
                return

    def elements(self) -> Iterator[None]:
        """The elements of an array, up to its end; each must be taken before the next."""
        self.expect("[", "an array")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield
            if self._next(",]") == "]":
                return

    def skip(self) -> None:
        """Pass over a value; the elements of an array one by one, since it may be large."""
        if self._peek() == "[":
            for _ in self.elements():
                self.value()
        else:
            self.value()

    def value(self) -> Any:
        """The next value as a whole."""
        self._peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
                if end + _MARGIN < len(self._text) or self._ended:
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                if self._ended:
                    raise self._bad("it ends early" if error.pos >= len(self._text) - 1 else error.msg) from None
            except RecursionError:
                raise self._bad("it is nested too deeply") from None
            if len(self._text) - self._at > LONGEST_RECORD:
                raise self._bad("it has a record that is too long, or is not JSON")
            self._fill(max(_BLOCK, len(self._text) - self._at))

    def expect(self, sign: str, what: str) -> None:
        """Pass over a sign.

        Raises:
            BadDocument: it is not there.
        """
        if self._peek() != sign:
            raise self._bad(f"{what} was expected" if self._text[self._at :] else "it ends early")
        self._at += 1

    def _next(self, signs: str) -> str:
        sign = self._peek()
        if not sign or sign not in signs:
            raise self._bad(f"one of {' '.join(signs)} was expected" if sign else "it ends early")
        self._at += 1
        return sign

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._fill(_BLOCK)

    def _fill(self, size: int) -> None:
        block = self._file.read(size)
        try:
            more = self._decode(block, final=not block)
        except UnicodeDecodeError:
            raise self._bad("it is not UTF-8") from None
        self._ended = not block
        self._text, self._at = self._text[self._at :] + more, 0

    def _bad(self, why: str) -> BadDocument:
        return BadDocument(f"this is not an OBO Graph in JSON: {why}", file=str(self._path))
