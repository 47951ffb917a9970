"""Read a source plan from what a planner wrote. It never fails: whatever it has to mend is a repair, and counted.

Source: Omni-RAG, prompts E.2 (the format of queries) and E.7 (a tag for each source, empty where nothing is asked).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Literal

from pydantic import Field

from medground.values.document import Frozen
from medground.values.source_plan import (
    MOST_QUERIES,
    SourceDescription,
    SourcePlan,
    SourceQuery,
    cleaned,
    is_nothing,
    pieces,
    plain,
    split_term,
)

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
"""`other form`: tags in a code fence, or escaped. `no query`: "none" and the like in a tag. `no term`: a graph's query
without a comma, of which all is taken for the term. `nothing read`: no source was named at all."""

LONGEST_TEXT = 100_000
"""Longest text in characters that is read."""
LONGEST_QUERY = 2000
"""Longest query in characters; what is longer is cut."""
_TAG = re.compile(r"<\s*(/?)\s*([A-Za-z][\w-]{0,40})\s*(/?)>")
_BLANK_LINE = re.compile(r"\n\s*\n")
_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


class Repair(Frozen):
    """Something in a planner's text that was mended or left out, and how often it was."""

    kind: RepairKind
    source: str = ""
    count: int = Field(default=1, ge=1)
    text: str = Field(default="", max_length=80)
    """The first of it, cut."""


class ReadPlan(Frozen):
    """A plan as it was read, and every repair.

    `unread` is true if the text names no source: that is not an empty plan, which a planner may well mean.
    """

    plan: SourcePlan
    repairs: tuple[Repair, ...] = ()

    @property
    def unread(self) -> bool:
        """Whether no source was named."""
        return "nothing read" in self.counts

    @property
    def repaired(self) -> int:
        """Number of repairs."""
        return sum(repair.count for repair in self.repairs)

    @property
    def counts(self) -> Mapping[RepairKind, int]:
        """Number of repairs by kind."""
        counted: Counter[RepairKind] = Counter()
        for repair in self.repairs:
            counted[repair.kind] += repair.count
        return dict(counted)

    def told(self) -> str:
        """The repairs in a line, such as `2 duplicate, 1 unclosed`; empty where there is none."""
        return ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items()))


class _Reading:
    """The plan that is being read: the different queries of each source, at most so many, and the repairs."""

    def __init__(self, sources: Sequence[SourceDescription], most: int) -> None:
        self.graphs = {source.name for source in sources if source.kind == "graph"}
        self._names = {source.name: source.name for source in sources}
        self._loose = {form: name for name in self._names for form in (f"{name}s", f"the {name}")}
        self._most = most
        self._queries: dict[str, dict[tuple[str, str], SourceQuery]] = {}
        self._repairs: dict[tuple[RepairKind, str], tuple[int, str]] = {}

    def named(self, said: str) -> str | None:
        """The source that a word names, in whatever case and number a model writes it; None for no source."""
        word = said.strip().casefold()
        return self._names.get(word) or self._loose.get(word)

    def mend(self, kind: RepairKind, source: str = "", text: str = "") -> None:
        """Count a repair; those of one kind and source are one."""
        before, first = self._repairs.get((kind, source), (0, text[:80]))
        self._repairs[kind, source] = (before + 1, first)

    def add(self, name: str, term: str, text: str) -> None:
        """A query of a source, unless it asks nothing or was there already."""
        if not (term or text):
            return
        query = SourceQuery(term=term, text=text)
        kept = self._queries.setdefault(name, {})
        key = (query.term.casefold(), query.text.casefold())
        if key in kept:
            self.mend("duplicate", name, str(query))
        elif len(kept) >= self._most:
            self.mend("too many", name, str(query))
        else:
            kept[key] = query

    def part(self, name: str, piece: str) -> str:
        """The words of a piece; empty, with a repair, if it asks nothing."""
        bare = cleaned(piece)
        if is_nothing(bare):
            self.mend("no query", name, piece)
            return ""
        if bare != piece:
            self.mend("marks removed", name, piece)
        said = " ".join(plain(bare).split())
        if len(said) > LONGEST_QUERY:
            self.mend("too long", name, said)
        return said[:LONGEST_QUERY].rstrip()

    def plan(self) -> ReadPlan:
        """What was read."""
        queries = {name: tuple(kept.values()) for name, kept in self._queries.items()}
        found = self._repairs.items()
        repairs = tuple(Repair(kind=kind, source=name, count=n, text=first) for (kind, name), (n, first) in found)
        return ReadPlan(plan=SourcePlan(queries=queries), repairs=repairs)


def read_plan(text: str, sources: Sequence[SourceDescription], most: int = MOST_QUERIES) -> ReadPlan:
    """The plan that a text holds: at most `most` different queries for each of `sources`.

    It takes the tagged form (E.7) with text around it. Nothing raises: what cannot be used is left out and told by a
    repair. `read_plan(tagged(plan, names), sources).plan == plan` for every plan whose queries hold a letter or a
    digit, with a term for each query of a graph and none elsewhere.
    """
    reading = _Reading(sources, most)
    inside = _written(text.encode("utf-8", "replace").decode("utf-8"), reading)  # no query may hold lone surrogates
    for source in sources:
        for piece in (one for said in inside.get(source.name, ()) for one in pieces(said)):
            if source.name in reading.graphs:
                _read_graph_query(source.name, piece, reading)
            else:
                reading.add(source.name, "", reading.part(source.name, piece))
    return reading.plan()


def plan_of(
    asked: Iterable[tuple[str, str, str]], sources: Sequence[SourceDescription], most: int = MOST_QUERIES
) -> ReadPlan:
    """The plan of typed queries, each a source's name, a term and a text; mended like a written one."""
    reading = _Reading(sources, most)
    for said, *query in asked:
        name = reading.named(said)
        if name is None:
            reading.mend("unknown source", said[:32], query[1])
            continue
        spoken = (" ".join(one.split()) for one in query)
        term, text = (reading.part(name, one) if one else "" for one in spoken)
        if name in reading.graphs and not term:
            reading.mend("no term", name, text)
            term, text = text, ""
        elif name not in reading.graphs:
            term, text = "", text or term
        reading.add(name, term, text)
    return reading.plan()


def _read_graph_query(name: str, piece: str, reading: _Reading) -> None:
    whole = cleaned(piece)
    term, asked, commas = split_term(whole)
    if is_nothing(whole) or is_nothing(term):
        reading.mend("no query", name, piece)
        return
    if commas != 1:
        reading.mend("several commas" if commas else "no term", name, piece)
    elif whole != piece:
        reading.mend("marks removed", name, piece)
    text = "" if is_nothing(asked) else reading.part(name, asked)
    reading.add(name, reading.part(name, term), text)


# Tags, `<book> heart sounds ; heart failure </book>`, closed or not, nested or not.


def _written(text: str, reading: _Reading) -> dict[str, list[str]]:
    """What a text holds for each source, after the thoughts of a model that writes them first."""
    text = _END_OF_THOUGHT.split(text)[-1]
    if len(text) > LONGEST_TEXT:
        reading.mend("too long", "", text)
        text = text[:LONGEST_TEXT]
    bare = _FENCE.sub("", text)
    if bare != text:
        reading.mend("other form", "", "```")
    if not _names_a_source(bare, reading) and "&lt;" in bare:
        bare = unescape(bare)
        reading.mend("other form", "", "&lt;")
    if _names_a_source(bare, reading):
        return _Tags(bare, reading).read()
    reading.mend("nothing read", "", " ".join(text.split()))
    return {}


def _names_a_source(text: str, reading: _Reading) -> bool:
    return any(reading.named(tag[2]) for tag in _TAG.finditer(text))


@dataclass
class _Open:
    """A tag that is open. A source that is never closed ends at the next tag or the first empty line."""

    name: str
    known: bool
    closed: bool
    text: str = ""
    holds: bool = False
    """Whether it holds the tag of a source."""


class _Tags:
    """Reads the text of each tag that names a source; what stands in a tag inside it is a query of its own."""

    def __init__(self, text: str, reading: _Reading) -> None:
        self._text = text
        self._reading = reading
        self._tags = [(tag, reading.named(tag[2])) for tag in _TAG.finditer(text)]
        self._closed = self._closed_places()
        self._whole = {name for place, (_, name) in enumerate(self._tags) if place in self._closed}
        self._stack: list[_Open] = []
        self._inside: dict[str, list[str]] = {}

    def read(self) -> dict[str, list[str]]:
        """The texts of each source, in order."""
        at = 0
        for place, (tag, known) in enumerate(self._tags):
            self._said(self._text[at : tag.start()])
            at = tag.end()
            name = known or tag[2].casefold()
            if known and known != tag[2]:
                self._reading.mend("renamed source", known, tag[2])
            if tag[1]:
                self._close(name)
                continue
            while self._stack and not self._stack[-1].closed:
                self._end(self._stack.pop())
            if self._stack and self._stack[-1].known:
                self._reading.mend("nested", self._stack[-1].name, tag[0])
                self._stack[-1].text += " ; "
            if self._stack and known:
                self._stack[-1].holds = True
            if not tag[3] and (known or place in self._closed):
                self._stack.append(_Open(name, known is not None, place in self._closed))
            elif tag[3] and known:
                self._end(_Open(name, known=True, closed=True))
        self._said(self._text[at:])
        while self._stack:
            self._end(self._stack.pop())
        return self._inside

    def _closed_places(self) -> set[int]:
        """The places of opening tags that a closing tag of the same name follows, before the next opening one."""
        waiting: dict[str, int] = {}
        closed: set[int] = set()
        for place, (tag, name) in enumerate(self._tags):
            key = name or tag[2].casefold()
            if tag[1] and key in waiting:
                closed.add(waiting.pop(key))
            elif not (tag[1] or tag[3]):
                waiting[key] = place
        return closed

    def _said(self, piece: str) -> None:
        if self._stack:
            last = self._stack[-1]
            last.text += piece if last.closed or not last.known else _BLANK_LINE.split(piece)[0]
        elif piece.strip():
            self._reading.mend("text outside", "", piece.strip())

    def _close(self, name: str) -> None:
        if all(one.name != name for one in self._stack):
            self._reading.mend("stray tag", "", f"</{name}>")
            return
        while self._stack:
            one = self._stack.pop()
            outer = next((other for other in reversed(self._stack) if other.known), None)
            if outer is not None and not one.known:  # <query>...</query> in a source: one of its queries
                outer.text += f"{one.text} ; "
            else:
                self._end(one)
            if one.name == name:
                return

    def _end(self, one: _Open) -> None:
        said = one.text.strip()
        if not one.known:
            if said:
                self._reading.mend("text outside" if one.holds else "unknown source", one.name[:32], said)
            return
        if not one.closed:
            self._reading.mend("unclosed", one.name, said)
            if one.name in self._whole:  # a tag that was only talked about
                return
        if one.name in self._inside:
            self._reading.mend("repeated source", one.name, said)
        self._inside.setdefault(one.name, []).append(one.text)
