"""Which text a planner wrote for which source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Literal, NamedTuple

from medground.values.source_plan import SourceDescription

# What every form of a written plan has: names of sources, and the text written for each.

RepairKind = Literal[
    "unclosed",
    "nested",
    "stray tag",
    "repeated source",
    "renamed source",
    "unknown source",
    "other form",
    "text outside",
    "marks removed",
    "no query",
    "duplicate",
    "too many",
    "too long",
    "no term",
    "several commas",
    "nothing read",
]
"""`other form`: JSON, lines or a code fence in place of tags. `no query`: "none" and the like in a tag. `no term`: a
graph's query without a comma, of which all is taken for the term. `nothing read`: no source was named at all."""


class Note(NamedTuple):
    """One thing that was odd."""

    kind: RepairKind
    source: str
    text: str


class Names:
    """The names of sources, in whatever case and number a model writes them."""

    def __init__(self, sources: Sequence[SourceDescription]) -> None:
        self._names = {source.name: source.name for source in sources}
        self._loose = {form: source.name for source in sources for form in (f"{source.name}s", f"the {source.name}")}

    def find(self, said: str) -> tuple[str, bool] | None:
        """The source that a word names, and whether it is its name letter by letter; None for no source."""
        word = said.strip().casefold()
        name = self._names.get(word) or self._loose.get(word)
        return (name, name == said) if name else None

    @property
    def pattern(self) -> str:
        """A regular expression of all forms of the names."""
        forms = sorted([*self._names, *self._loose], key=len, reverse=True)
        return "|".join(map(re.escape, forms)) or r"(?!)"


@dataclass
class Written:
    """The text written for each source, in order, and what was odd about it."""

    inside: dict[str, list[str]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def put(self, name: str, text: str) -> None:
        """Text for a source."""
        self.inside.setdefault(name, []).append(text)

    def note(self, kind: RepairKind, source: str, text: str) -> None:
        """Something odd."""
        self.notes.append(Note(kind, source, text))


# A plan by lines: `book: a ; b`, or a heading with the name of a source and a list of queries below it.


def from_lines(text: str, names: Names, found: Written) -> bool:
    """`book: a ; b`, or a heading with the name and a list of queries below it."""
    heading = re.compile(
        rf"^[\s>*#•\-\d.()]*({names.pattern})(?:[\s*_]*[:：=]|[\s*_]*$|\s+[-–—]\s)[\s*_]*(.*)$", re.IGNORECASE
    )
    current: str | None = None
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        if (head := heading.match(line)) and (name := names.find(head[1])):
            current = name[0]
            lines.setdefault(current, []).append(head[2])
        elif not line.strip():
            current = current if current and not any(part.strip() for part in lines[current]) else None
        elif current:
            lines[current].append(line)
    if not lines:
        return False
    found.note("other form", "", "lines")
    for name_of, parts in lines.items():
        found.put(name_of, "\n".join(parts))
    return True


# A plan as JSON: an object of sources, or a list of objects that each name theirs.

_JSON_START = re.compile(r"[{\[]")
_MOST_STARTS = 50
_DEEPEST = 6
_TERMS = ("term", "concept", "medical_term", "entity")
_TEXTS = ("query", "text", "question", "query_for_term", "search_query", "relation")
_LISTS = ("queries", "query", "text", "search_queries")
_SOURCE = ("source", "name", "source_name")
_THOUGHTS = frozenset(["thought", "thoughts", "reasoning", "explanation", "rationale"])


def from_json(text: str, names: Names, found: Written) -> bool:
    """Read the first JSON value that names a source; False if there is none."""
    decoder = json.JSONDecoder()
    for start in list(_JSON_START.finditer(text))[:_MOST_STARTS]:
        try:
            value, _ = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        inside = Written()
        _walk(value, names, inside, 0)
        if inside.inside:
            found.inside, found.notes = inside.inside, [*found.notes, Note("other form", "", "JSON"), *inside.notes]
            return True
    return False


def _walk(value: object, names: Names, found: Written, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            _walk(one, names, found, depth + 1)
        return
    if not isinstance(value, dict):
        return
    said = next((value[key] for key in _SOURCE if isinstance(value.get(key), str)), None)
    if said is not None:
        asked = next((value[key] for key in _LISTS if key in value), None)
        _of_source(said, [value] if _first(value, _TERMS) else asked, names, found)
        return
    for key, one in value.items():
        words = isinstance(one, list) and bool(one) and all(isinstance(item, str) for item in one)
        if names.find(key) or isinstance(one, str) or words:
            _of_source(key, one, names, found)
        else:
            _walk(one, names, found, depth + 1)


def _of_source(said: str, value: object, names: Names, found: Written) -> None:
    name = names.find(said)
    texts = list(_texts(value))
    if name is None:
        if texts and said.casefold() not in _THOUGHTS:
            found.note("unknown source", said[:32], texts[0])
        return
    found.put(name[0], " ; ".join(texts))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one):
                yield f"{one[0]} , {one[1]}"
            elif isinstance(one, str | dict):
                yield from _texts(one)
    elif isinstance(value, dict):
        term, asked = _first(value, _TERMS), _first(value, _TEXTS)
        nested = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if nested is not None and not term:
            yield from _texts(nested)
        elif term or asked:
            yield f"{term} , {asked}" if term else asked


def _first(value: dict[str, object], keys: Sequence[str]) -> str:
    return next((one for key in keys if isinstance(one := value.get(key), str)), "")


# A plan in tags, `<book> heart sounds ; heart failure </book>`, closed or not, nested or not.

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


_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
LONGEST_TEXT = 100_000
"""Longest text in characters that is read."""


def written_parts(text: str, names: Names) -> Written:
    """What a text holds for each source, after the thoughts of a model that writes them first."""
    found = Written()
    text = _END_OF_THOUGHT.split(text)[-1]
    if len(text) > LONGEST_TEXT:
        found.note("too long", "", text)
        text = text[:LONGEST_TEXT]
    bare = _FENCE.sub("", text)
    if bare != text:
        found.note("other form", "", "```")
    if not names_a_source(bare, names) and "&lt;" in bare:
        bare = unescape(bare)
        found.note("other form", "", "&lt;")
    if names_a_source(bare, names):
        from_tags(bare, names, found)
        return found
    for form in (from_json, from_lines):
        if form(bare, names, found):
            return found
    found.note("nothing read", "", " ".join(text.split()))
    return found
