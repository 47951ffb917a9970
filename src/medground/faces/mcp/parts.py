"""What a tool found, as a head and parts, so that it can be given in pages of bounded size."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from medground.faces.mcp.untrusted import cleaned

Fields = Mapping[str, Any]
Render = Callable[[Fields], str]
"""A part in words for people, from its fields; a text alone is the field `text`."""


def size(value: object) -> int:
    """Bytes of a JSON value as it is sent."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Part:
    """An entry of a list of the result, such as one citation.

    Attributes:
        into: the list that it is an entry of. With `joins`, its fields become fields of the page itself.
        fields: its fields as JSON values; a text alone for a list of texts.
        render: the same in words; an empty text shows nothing.
        cut: the field that holds a long text. It may be given in slices; `start` and `end` are then the offsets of the
            slice, which move with it.
        once: fields that only the first slice has.
    """

    into: str
    fields: Fields | str
    render: Render | None = None
    cut: str | None = None
    once: tuple[str, ...] = ()
    joins: bool = False

    def slice(self, start: int, end: int | None = None) -> Part:
        """The part with a slice of its long text; itself where nothing is left out."""
        if self.cut is None or isinstance(self.fields, str):
            return self
        text = str(self.fields[self.cut])
        stop = len(text) if end is None else min(end, len(text))
        if start == 0 and stop == len(text):
            return self
        kept = {key: value for key, value in self.fields.items() if start == 0 or key not in self.once}
        base = int(self.fields.get("start", 0))
        offsets = {"start": base + start, "end": base + stop} if "start" in self.fields else {}
        return replace(self, fields={**kept, **offsets, self.cut: text[start:stop]})

    @property
    def length(self) -> int:
        """Characters of its long text; 0 if it has none."""
        return len(str(self.fields[self.cut])) if self.cut is not None and not isinstance(self.fields, str) else 0

    @property
    def value(self) -> Any:
        """Its fields as they are sent."""
        return cleaned(self.fields if isinstance(self.fields, str) else dict(self.fields))

    @property
    def words(self) -> str:
        """What people read of it."""
        if self.render is None:
            return ""
        return self.render({"text": self.value} if isinstance(self.fields, str) else self.value)

    @property
    def size(self) -> int:
        """Bytes that it adds to a page."""
        words = self.words
        return size(self.value) + 1 + (size(words) + 2 if words else 0)


@dataclass(frozen=True)
class Result:
    """All that a tool found. `head` and `words` come on each page, the notice first; they must be short.

    Attributes:
        head: fields of the page; a list in it says that the list is empty until a part joins it.
        words: the same for people.
        parts: entries of its lists, in the order in which they are given.
        ends: what people read last, on the last page.
        failed: it is an error, which the client must not take for a result.
    """

    head: Fields = field(default_factory=dict)
    words: str = ""
    parts: Sequence[Part] = ()
    ends: str = ""
    failed: bool = False

    @property
    def weight(self) -> int:
        """About how many bytes it holds."""
        return size(cleaned(dict(self.head))) + sum(
            part.length or (len(part.fields) if isinstance(part.fields, str) else size(cleaned(dict(part.fields))))
            for part in self.parts
        )


Status = Literal["found", "not found", "failed"]
"""Of one entry of a batch: `failed` is not `not found`."""
