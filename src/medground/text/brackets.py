"""Brackets and quotations: their content belongs to the clause around them."""

from __future__ import annotations

import re

from medground.text.sentences import Span

_LONGEST = 400
"""Characters; a pair further apart is taken for a typing error and ignored."""
_CLOSES = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«"}
_MARK = re.compile(r'[()\[\]{}“”«»"\n]')
_LIST_MARK = re.compile(r"\((?:[ivx]{1,4}|\d{1,2}|[a-h])\)")


def asides(text: str) -> list[Span]:
    """Spans of the outermost bracketed and quoted parts, marks included, in order. A pair must be on one line.

    The marker of a list item, such as `(ii)`, does not count.
    """
    found: list[Span] = []
    opened: list[tuple[str, int]] = []
    for match in _MARK.finditer(text):
        mark, at = match[0], match.start()
        if mark == "\n":
            opened.clear()
        elif mark == '"' and not any(kind == '"' for kind, _ in opened):
            if at == 0 or not text[at - 1].isalnum():  # after a letter or a digit it is a closing mark, or means inches
                opened.append((mark, at))
        elif (kind := _CLOSES.get(mark, mark)) == mark and mark != '"':
            opened.append((mark, at))
        elif (start := _close(opened, kind)) is not None and at - start <= _LONGEST:
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, at + 1))
    return [span for span in found if not _LIST_MARK.fullmatch(text, *span)]


def blanked(text: str) -> str:
    """The text with the content of its asides replaced by spaces; its length stays the same."""
    parts, last = [], 0
    for start, end in asides(text):
        parts += [text[last : start + 1], " " * (end - start - 2)]
        last = end - 1
    return "".join([*parts, text[last:]])


def _close(opened: list[tuple[str, int]], kind: str) -> int | None:
    """Position of the nearest open mark of this kind. Marks opened after it have no partner and are dropped."""
    for place in range(len(opened) - 1, max(len(opened) - 8, 0) - 1, -1):
        if opened[place][0] == kind:
            start = opened[place][1]
            del opened[place:]
            return start
    return None
