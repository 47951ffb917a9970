"""Read a source plan from what a planner wrote. It never fails: whatever it has to mend is a repair, and counted.

Source: Omni-RAG, prompts E.2 (the format of queries) and E.7 (a tag for each source, empty where nothing is asked).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Literal, Protocol

from medground.values.document import SourceKind
from medground.values.source_plan import (
    MOST_QUERIES,
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
    "unknown source",
    "marks removed",
    "no query",
    "duplicate",
    "too many",
    "too long",
    "no term",
    "several commas",
    "nothing read",
]
"""`no query`: "none" and the like in a tag. `no term`: a graph's query without a comma, of which all is taken for the
term. `nothing read`: no source was named at all."""

LONGEST_TEXT = 100_000
"""Longest text in characters that is read."""
LONGEST_QUERY = 2000
"""Longest query in characters; what is longer is cut."""
_TAG = re.compile(r"<\s*(/?)\s*([A-Za-z][\w-]{0,40})\s*(/?)>")
_LINE = re.compile(r"^[ \t\d.)*_#>-]*([A-Za-z][\w-]{0,40})[*_]*:(?!.*<)(.*\w.*)$", re.MULTILINE)
"""A line of the form in E.2, `book: heart sounds ; heart failure`, which is read as a tag."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


class NamedSource(Protocol):
    """What a plan says of a source."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> SourceKind: ...


@dataclass(frozen=True)
class ReadPlan:
    """A plan as it was read, and how often each kind of thing in the planner's text was mended or left out."""

    plan: SourcePlan
    repairs: Mapping[RepairKind, int] = field(default_factory=dict)

    @property
    def unread(self) -> bool:
        """Whether the text names no source: that is not an empty plan, which a planner may well mean."""
        return "nothing read" in self.repairs

    def told(self) -> str:
        """The repairs in a line, such as `2 duplicate, 1 unclosed`; empty where there is none."""
        return ", ".join(f"{count} {kind}" for kind, count in sorted(self.repairs.items()))


class _Reading:
    """The plan that is being read: the different queries of each source, at most so many, and the repairs."""

    def __init__(self, sources: Sequence[NamedSource], most: int) -> None:
        self.graphs = {source.name for source in sources if source.kind == "graph"}
        self.names = {source.name: source.name for source in sources}
        self._loose = {form: name for name in self.names for form in (f"{name}s", f"the {name}")}
        self._most = most
        self._queries: dict[str, dict[tuple[str, str], SourceQuery]] = {}
        self.repairs: Counter[RepairKind] = Counter()

    def named(self, said: str) -> str | None:
        """The source that a word names, in whatever case and number a model writes it; None for no source."""
        word = said.strip().casefold()
        return self.names.get(word) or self._loose.get(word)

    def add(self, name: str, term: str, text: str) -> None:
        """A query of a source, unless it asks nothing or was there already."""
        if not (term or text):
            return
        query = SourceQuery(term=term, text=text)
        kept = self._queries.setdefault(name, {})
        key = (query.term.casefold(), query.text.casefold())
        if key in kept:
            self.repairs["duplicate"] += 1
        elif len(kept) >= self._most:
            self.repairs["too many"] += 1
        else:
            kept[key] = query

    def part(self, name: str, piece: str) -> str:
        """The words of a piece; empty, with a repair, if it asks nothing."""
        bare = cleaned(piece)
        if is_nothing(bare):
            self.repairs["no query"] += 1
            return ""
        if bare != piece:
            self.repairs["marks removed"] += 1
        said = " ".join(plain(bare).split())
        if len(said) > LONGEST_QUERY:
            self.repairs["too long"] += 1
        return said[:LONGEST_QUERY].rstrip()

    def plan(self) -> ReadPlan:
        """What was read."""
        queries = {name: tuple(kept.values()) for name, kept in self._queries.items()}
        return ReadPlan(SourcePlan(queries=queries), self.repairs)


def read_plan(text: str, sources: Sequence[NamedSource], most: int = MOST_QUERIES) -> ReadPlan:
    """The plan that a text holds: at most `most` different queries for each of `sources`.

    It takes the tagged form (E.7) and lines of the form in E.2, with text around them. Nothing raises: what cannot be
    used is left out and told by a repair. `read_plan(tagged(plan, names), sources).plan == plan` for every plan whose
    queries hold a letter or a digit, with a term for each query of a graph and none elsewhere.
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
    asked: Iterable[tuple[str, str, str]], sources: Sequence[NamedSource], most: int = MOST_QUERIES
) -> ReadPlan:
    """The plan of typed queries, each a source's name, a term and a text; mended like a written one."""
    reading = _Reading(sources, most)
    for said, *query in asked:
        name = reading.named(said)
        if name is None:
            reading.repairs["unknown source"] += 1
            continue
        spoken = (" ".join(one.split()) for one in query)
        term, text = (reading.part(name, one) if one else "" for one in spoken)
        if name in reading.graphs and not term:
            reading.repairs["no term"] += 1
            term, text = text, ""
        elif name not in reading.graphs:
            term, text = "", text or term
        reading.add(name, term, text)
    return reading.plan()


def _read_graph_query(name: str, piece: str, reading: _Reading) -> None:
    whole = cleaned(piece)
    term, asked, commas = split_term(whole)
    if is_nothing(whole) or is_nothing(term):
        reading.repairs["no query"] += 1
        return
    if commas != 1:
        reading.repairs["several commas" if commas else "no term"] += 1
    elif whole != piece:
        reading.repairs["marks removed"] += 1
    text = "" if is_nothing(asked) else reading.part(name, asked)
    reading.add(name, reading.part(name, term), text)


# Tags, `<book> heart sounds ; heart failure </book>`, closed or not, nested or not.


def _written(text: str, reading: _Reading) -> dict[str, list[str]]:
    """What a text holds for each source, after the thoughts of a model that writes them first."""
    text = _END_OF_THOUGHT.split(text)[-1]
    if len(text) > LONGEST_TEXT:
        reading.repairs["too long"] += 1
        text = text[:LONGEST_TEXT]
    bare = _LINE.sub(r"<\1>\2</\1>", _FENCE.sub("", text))
    if not _names_a_source(bare, reading):
        bare = unescape(bare)
    if not _names_a_source(bare, reading):
        reading.repairs["nothing read"] += 1
        return {}
    return _inside(bare, reading)


def _names_a_source(text: str, reading: _Reading) -> bool:
    return any(reading.named(tag[2]) for tag in _TAG.finditer(text))


def _inside(text: str, reading: _Reading) -> dict[str, list[str]]:
    """The texts in the tags of each source. What stands in a tag inside a source is a query of its own.

    A source that is never closed ends at the next tag or the first empty line; where it is closed elsewhere, the tag
    was only talked about.
    """
    tags = [(tag, reading.named(tag[2]) or tag[2].casefold()) for tag in _TAG.finditer(text)]
    ends = [*(tag.start() for tag, _ in tags[1:]), len(text)]
    closed = _closed(tags)
    whole = {tags[place][1] for place in closed}
    around: list[str] = []  # the closed tags that are open
    found: dict[str, list[str]] = {}
    for place, ((tag, name), end) in enumerate(zip(tags, ends, strict=True)):
        loose, piece = "", text[tag.end() : end]
        if tag[1] and name in around:
            del around[around.index(name) :]
        elif place in closed:
            around.append(name)
        elif name in reading.names and not (tag[1] or tag[3]):
            reading.repairs["unclosed"] += 1
            loose = "" if name in whole else name
        if owner := loose or next((one for one in reversed(around) if one in reading.names), ""):
            found.setdefault(owner, []).append(_BLANK_LINE.split(piece)[0] if loose else piece)
        elif around and piece.strip():
            reading.repairs["unknown source"] += 1
    return found


def _closed(tags: Sequence[tuple[re.Match[str], str]]) -> set[int]:
    """The places of opening tags that a closing tag of the same name follows, before the next opening one."""
    waiting: dict[str, int] = {}
    closed: set[int] = set()
    for place, (tag, name) in enumerate(tags):
        if tag[1] and name in waiting:
            closed.add(waiting.pop(name))
        elif not (tag[1] or tag[3]):
            waiting[name] = place
    return closed
