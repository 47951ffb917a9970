"""Results in pages: no page is longer than a model can take, and all pages joined are the whole result."""

from __future__ import annotations

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from medground.errors import MedgroundError, NotFound
from medground.faces.mcp.parts import Part, Result, size
from medground.faces.mcp.untrusted import cleaned

BYTES_A_TOKEN = 3
"""No tokeniser is at hand for whatever model reads the result: three bytes of UTF-8 count as a token, which is more
tokens than a model's own tokeniser makes of English or JSON (about four bytes)."""
MOST_TOKENS = 8_000
PAGE = MOST_TOKENS * BYTES_A_TOKEN
"""Bytes of a page: its structured content and its text together."""

_FRAME = 700
"""Bytes around the fields and the text of a page: the names of lists, the cursor, the line that tells of it."""
_LEAST = 400
"""Bytes of room below which a long text waits for the next page."""
_CURSOR = re.compile(r"([A-Za-z0-9_-]{16})\.(\d{1,7})\.(\d{1,9})")
_AGAIN = "cursors are valid for an hour, for whoever got them"


class Place(NamedTuple):
    """Where a page begins: the part, and the offset in its long text."""

    part: int = 0
    offset: int = 0


START = Place()


class Page(NamedTuple):
    """One page: what is structured, what people read, and where the next page begins."""

    fields: dict[str, Any]
    words: str
    next: Place | None


def page_of(result: Result, place: Place = START, limit: int = PAGE) -> Page:
    """The page that begins at a place, as full as it may be.

    Raises:
        MedgroundError: one entry alone is longer than a page.
    """
    fields: dict[str, Any] = cleaned(dict(result.head))
    room = limit - _FRAME - size(fields) - size(result.words) - size(result.ends)
    words = [result.words] if result.words else []
    number, offset = place
    first = True
    while number < len(result.parts):
        part = result.parts[number].slice(offset)
        piece = _fitting(part, room - size(part.into))
        if piece is None:
            if first:
                raise MedgroundError(f"an entry of {part.into} is longer than a page; ask for less")
            break
        first = False
        room -= piece.size + size(piece.into)
        _add(fields, piece)
        if piece.words:
            words.append(piece.words)
        if piece.length < part.length:
            offset += piece.length
            break
        number, offset = number + 1, 0
    last = number >= len(result.parts)
    if last and result.ends:
        words.append(result.ends)
    return Page(fields, "\n".join(words), None if last else Place(number, offset))


def _add(fields: dict[str, Any], part: Part) -> None:
    if part.joins:
        fields.update(part.value)
    else:
        fields.setdefault(part.into, []).append(part.value)


def _fitting(part: Part, room: int) -> Part | None:
    """The part, or the longest beginning of its text that fits, cut between words; None where nothing fits."""
    if part.length <= room and part.size <= room:
        return part
    if not part.length or room < _LEAST:
        return None
    low, high = 0, min(part.length, room)  # a character is a byte at least: low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if part.slice(0, middle).size <= room else (low, middle)
    if not low:
        return None
    piece = part.slice(0, low)
    text = str(piece.value[part.cut])
    space = max(text.rfind("\n"), text.rfind(" ")) + 1
    return part.slice(0, space) if space > low // 2 else piece


@dataclass(frozen=True)
class _Kept:
    owner: str
    tool: str
    result: Result
    weight: int
    since: float


class Pages:
    """Keeps results that have more pages, for whoever they belong to, within bounds of time and memory.

    Args:
        clock: seconds that never go back.
        seconds: for how long a cursor is valid.
        most_bytes: of all results together; the oldest go first.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        seconds: float = 3600.0,
        most_bytes: int = 64_000_000,
        limit: int = PAGE,
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._most = most_bytes
        self._limit = limit
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def first(self, result: Result, *, tool: str, owner: str) -> Page:
        """The first page; its fields `truncated` and `cursor` say whether and how to go on.

        Raises:
            MedgroundError: the result is too large to be kept.
        """
        page = page_of(result, limit=self._limit)
        if page.next is None:
            return _told(page, None)
        kept = _Kept(owner, tool, result, result.weight, self._clock())
        if kept.weight > self._most // 2:
            raise MedgroundError("the result is too large; ask for fewer documents at once")
        name = secrets.token_urlsafe(12)
        self._kept[name] = kept
        self._forget()
        return _told(page, name)

    def more(self, cursor: str, *, owner: str) -> tuple[Page, str]:
        """The page that a cursor stands for, and the tool whose result it is. The same cursor gives the same page.

        Raises:
            NotFound: the cursor is not one, is too old, or is another person's.
        """
        self._forget()
        read = _CURSOR.fullmatch(cursor.strip())
        kept = self._kept.get(read[1]) if read else None
        if read is None or kept is None or kept.owner != owner:
            raise NotFound(f"no result goes on at the cursor {cursor[:40]!r}; {_AGAIN}")
        place = Place(int(read[2]), int(read[3]))
        if place.part >= len(kept.result.parts) or place.offset > kept.result.parts[place.part].length:
            raise NotFound(f"no result goes on at the cursor {cursor[:40]!r}; {_AGAIN}")
        return _told(page_of(kept.result, place, self._limit), read[1]), kept.tool

    @property
    def weight(self) -> int:
        """Bytes of what is kept."""
        return sum(kept.weight for kept in self._kept.values())

    def _forget(self) -> None:
        """Let old results go, and the oldest while there is too much."""
        now, weight = self._clock(), self.weight
        while self._kept:
            name, oldest = next(iter(self._kept.items()))
            if weight <= self._most and now - oldest.since <= self._seconds:
                break
            weight -= oldest.weight
            del self._kept[name]


def _told(page: Page, name: str | None) -> Page:
    """The page with the fields that say whether it is all, and with the line that tells people."""
    if page.next is None:
        return page._replace(fields={**page.fields, "truncated": False})
    cursor = f"{name}.{page.next.part}.{page.next.offset}"
    words = f'{page.words}\nThere is more: call read_more with cursor "{cursor}".'
    return page._replace(fields={**page.fields, "truncated": True, "cursor": cursor}, words=words)
