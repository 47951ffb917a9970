"""Read a source plan from what a planner wrote. It never fails: whatever it has to mend is a repair, and counted.

Source: Omni-RAG, prompts E.2 (the format of queries) and E.7 (a tag for each source, empty where nothing is asked).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from medground.recipes.omni_rag.forms import Names, RepairKind, written_parts
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

LONGEST_QUERY = 2000
"""Longest query in characters; what is longer is cut."""


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
        return any(repair.kind == "nothing read" for repair in self.repairs)

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


class _Repairs:
    """Collects repairs; those of one kind and source are one."""

    def __init__(self) -> None:
        self._found: dict[tuple[RepairKind, str], tuple[int, str]] = {}

    def add(self, kind: RepairKind, source: str = "", text: str = "", count: int = 1) -> None:
        before, first = self._found.get((kind, source), (0, text[:80]))
        self._found[kind, source] = (before + count, first)

    def all(self) -> tuple[Repair, ...]:
        found = self._found.items()
        return tuple(Repair(kind=kind, source=name, count=n, text=first) for (kind, name), (n, first) in found)


def read_plan(text: str, sources: Sequence[SourceDescription], most: int = MOST_QUERIES) -> ReadPlan:
    """The plan that a text holds: at most `most` different queries for each of `sources`.

    It takes the tagged form (E.7), JSON, or lines such as `book: a ; b`, with text around them. Nothing raises: what
    cannot be used is left out and told by a repair. `read_plan(tagged(plan, names), sources).plan == plan` for every
    plan whose queries hold a letter or a digit, with a term for each query of a graph and none elsewhere.
    """
    repairs = _Repairs()
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates, which no query may hold
    found = written_parts(text, Names(sources))
    for note in found.notes:
        repairs.add(note.kind, note.source, note.text)
    kept = _Kept(most, repairs)
    for source in sources:
        for piece in (one for inside in found.inside.get(source.name, ()) for one in pieces(inside)):
            read = _graph_query if source.kind == "graph" else _query
            kept.add(source.name, read(source.name, piece, repairs))
    return kept.plan()


def plan_of(
    asked: Iterable[tuple[str, str, str]], sources: Sequence[SourceDescription], most: int = MOST_QUERIES
) -> ReadPlan:
    """The plan of typed queries, each a source's name, a term and a text; mended like a written one."""
    repairs, names = _Repairs(), Names(sources)
    kept = _Kept(most, repairs)
    graphs = {source.name for source in sources if source.kind == "graph"}
    for said, term, text in asked:
        named = names.find(said)
        if named is None:
            repairs.add("unknown source", said[:32], text)
            continue
        name, _ = named
        plain_parts = (" ".join(one.split()) for one in (term, text))
        term, text = (_part(name, one, repairs) if one else "" for one in plain_parts)
        if name in graphs and not term:
            repairs.add("no term", name, text)
            term, text = text, ""
        elif name not in graphs and term:
            text = text or term
            term = ""
        kept.add(name, SourceQuery(term=term, text=text) if term or text else None)
    return kept.plan()


class _Kept:
    """The different queries of each source, in order, at most so many."""

    def __init__(self, most: int, repairs: _Repairs) -> None:
        self._most = most
        self._repairs = repairs
        self._queries: dict[str, dict[tuple[str, str], SourceQuery]] = {}

    def add(self, name: str, query: SourceQuery | None) -> None:
        if query is None:
            return
        kept = self._queries.setdefault(name, {})
        key = (query.term.casefold(), query.text.casefold())
        if key in kept:
            self._repairs.add("duplicate", name, str(query))
        elif len(kept) >= self._most:
            self._repairs.add("too many", name, str(query))
        else:
            kept[key] = query

    def plan(self) -> ReadPlan:
        queries = {name: tuple(kept.values()) for name, kept in self._queries.items()}
        return ReadPlan(plan=SourcePlan(queries=queries), repairs=self._repairs.all())


def _query(name: str, piece: str, repairs: _Repairs) -> SourceQuery | None:
    text = _part(name, piece, repairs)
    return SourceQuery(text=text) if text else None


def _graph_query(name: str, piece: str, repairs: _Repairs) -> SourceQuery | None:
    whole = cleaned(piece)
    term, asked, commas = split_term(whole)
    if is_nothing(whole) or is_nothing(term):
        repairs.add("no query", name, piece)
        return None
    if commas != 1:
        repairs.add("several commas" if commas else "no term", name, piece)
    elif whole != piece:
        repairs.add("marks removed", name, piece)
    text = "" if is_nothing(asked) else _part(name, asked, repairs)
    return SourceQuery(term=_part(name, term, repairs), text=text)


def _part(name: str, piece: str, repairs: _Repairs) -> str:
    """The words of a piece; empty, with a repair, if it asks nothing."""
    bare = cleaned(piece)
    if is_nothing(bare):
        repairs.add("no query", name, piece)
        return ""
    if bare != piece:
        repairs.add("marks removed", name, piece)
    said = " ".join(plain(bare).split())
    if len(said) > LONGEST_QUERY:
        repairs.add("too long", name, said)
    return said[:LONGEST_QUERY].rstrip()
