"""Put a document together from labelled paragraphs, and hold its text to what can be stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from medground.corpus.readers.files import GREATEST_RECORD
from medground.document import Document, Section

# Control characters break terminals, and lone surrogates (legal in JSON) cannot be encoded. One character is put for
# one, so that offsets which come with a text stay right.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

_REASONS = {"extra_forbidden": "unknown field", "missing": "the field is missing"}

Model = TypeVar("Model", bound=BaseModel)


class Composition:
    """A text that grows by paragraphs, and the sections that they make."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[tuple[str | None, int, int]] = []

    def add(self, paragraph: str, label: str | None = None) -> None:
        """Append a paragraph; neighbours of one label make one section. An empty paragraph is left out."""
        if not paragraph:
            return
        start = self._length + 2 if self._parts else 0
        self._length = start + len(paragraph)
        self._parts.append(paragraph)
        if self._sections and self._sections[-1][0] == label:
            start = self._sections.pop()[1]
        self._sections.append((label, start, self._length))

    @property
    def text(self) -> str:
        """The paragraphs, with a blank line between two."""
        return "\n\n".join(self._parts)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The labelled stretches of the text."""
        return tuple(Section(label=label, start=start, end=end) for label, start, end in self._sections if label)


def printable(text: str) -> str:
    """The text without control characters and lone surrogates, of the same length."""
    return _UNSTORABLE.sub(lambda found: " " if found[0] < "\x80" else "\ufffd", text)


def make_document(fields: Mapping[str, Any]) -> Document:
    """A document of these fields.

    Raises:
        ValueError: in one line, the first thing that is wrong.
    """
    text = fields.get("text")
    if isinstance(text, str):
        if not text.strip():
            raise ValueError("the record has neither a text nor a title")
        if len(text) > GREATEST_RECORD:
            raise ValueError(f"the text has {len(text):,} characters, more than {GREATEST_RECORD:,}; split the record")
    return validated(Document, _printable_fields(fields))


def validated(model: type[Model], fields: Mapping[str, Any]) -> Model:
    """The fields as a value of `model`.

    Raises:
        ValueError: in one line, the first thing that is wrong.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise ValueError(_first_line(error)) from error


def _printable_fields(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: _printable_fields(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable_fields(item) for item in value]
    return value


def _first_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    reason = _REASONS.get(first["type"], first["msg"].removeprefix("Value error, "))
    return f"{field}: {reason}" if field else reason
