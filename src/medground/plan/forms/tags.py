"""A plan in tags, `<book> heart sounds ; heart failure </book>`, closed or not, nested or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medground.plan.forms.base import Names, Written

_TAG = re.compile(r"<\s*(/?)\s*([A-Za-z][\w-]{0,40})\s*(/?)>")
_BLANK_LINE = re.compile(r"\n\s*\n")


def names_a_source(text: str, names: Names) -> bool:
    """Whether a tag names a source."""
    return any(names.find(tag[2]) for tag in _TAG.finditer(text))


@dataclass
class _Open:
    """A tag that is open. A source that is never closed ends at the next tag or the first empty line."""

    name: str
    known: bool
    closed: bool
    text: str = ""
    holds: bool = False
    """Whether it holds the tag of a source."""


def from_tags(text: str, names: Names, found: Written) -> None:
    """Read the text of each tag that names a source; what stands in a tag inside it is a query of its own."""
    tags = list(_TAG.finditer(text))
    closed = _closed(tags, names)
    whole = {_form(tag, names)[0] for place, tag in enumerate(tags) if place in closed}
    stack: list[_Open] = []
    seen: set[str] = set()
    at = 0

    def end(one: _Open) -> None:
        if not one.known:
            if one.text.strip():
                found.note("text outside" if one.holds else "unknown source", one.name[:32], one.text.strip())
            return
        if not one.closed:
            found.note("unclosed", one.name, one.text.strip())
            if one.name in whole:  # a tag that was only talked about
                return
        if one.name in seen:
            found.note("repeated source", one.name, one.text.strip())
        seen.add(one.name)
        found.put(one.name, one.text)

    def said(piece: str) -> None:
        if stack:
            stack[-1].text += piece if stack[-1].closed or not stack[-1].known else _BLANK_LINE.split(piece)[0]
        elif piece.strip():
            found.note("text outside", "", piece.strip())

    for place, tag in enumerate(tags):
        said(text[at : tag.start()])
        at = tag.end()
        name, known = _form(tag, names)
        if known and name != tag[2]:
            found.note("renamed source", name, tag[2])
        if tag[1]:
            _close(name, stack, end, found)
            continue
        while stack and not stack[-1].closed:
            end(stack.pop())
        if stack and stack[-1].known:
            found.note("nested", stack[-1].name, tag[0])
            stack[-1].text += " ; "
        if stack and known:
            stack[-1].holds = True
        if not tag[3] and (known or place in closed):
            stack.append(_Open(name, known, place in closed))
        elif tag[3] and known:
            end(_Open(name, known, closed=True))
    said(text[at:])
    while stack:
        end(stack.pop())


def _close(name: str, stack: list[_Open], end: Callable[[_Open], None], found: Written) -> None:
    if all(one.name != name for one in stack):
        found.note("stray tag", "", f"</{name}>")
        return
    while stack:
        one = stack.pop()
        inner = not one.known and any(outer.known for outer in stack)
        if inner:  # <query>...</query> in a source: one of its queries
            next(outer for outer in reversed(stack) if outer.known).text += f"{one.text} ; "
        else:
            end(one)
        if one.name == name:
            return


def _form(tag: re.Match[str], names: Names) -> tuple[str, bool]:
    found = names.find(tag[2])
    return (found[0], True) if found else (tag[2].casefold(), False)


def _closed(tags: Sequence[re.Match[str]], names: Names) -> set[int]:
    """The places of opening tags that a closing tag of the same name follows, before the next opening one."""
    waiting: dict[tuple[str, bool], int] = {}
    closed: set[int] = set()
    for place, tag in enumerate(tags):
        key = _form(tag, names)
        if tag[1]:
            if key in waiting:
                closed.add(waiting.pop(key))
        elif not tag[3]:
            waiting[key] = place
    return closed
