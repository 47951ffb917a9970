"""A plan of research as a value: sub-questions, their keywords, and the graph that orders them."""

import functools
import json
import operator
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from medground.errors import UsageError
from medground.values.document import Frozen, Proportion

Tool = Literal["literature", "protein", "web"]
"""The three modules of the retrieval executor (section III.B)."""

TOOLS: tuple[Tool, ...] = get_args(Tool)


class Keyword(Frozen):
    """A node of the graph: a keyword and the tools that are to look for it.

    Attributes:
        name: the keyword, unique in a plan.
        dimension: the fine semantic dimension that it belongs to, such as hormone synthesis.
        synonyms: other names that mean the same, for queries and for counting coverage.
        tools: what is to look for it; empty for those of its sub-questions' other keywords.
    """

    name: str = Field(min_length=1, max_length=200)
    dimension: str = ""
    synonyms: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()


class SubQuestion(Frozen):
    """One bounded part of a question: `q1`, `q2`, ... Its keywords are names of the plan's, most salient first.

    `tools` look for it beside those of its keywords.
    """

    id: str = Field(pattern=r"^q[1-9][0-9]?$")
    text: str = Field(min_length=1, max_length=500)
    dimension: str = ""
    keywords: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()


class Edge(Frozen):
    """What is found for the keyword `before` sharpens the search for `after`. `weight` says how sure that is."""

    before: str
    after: str
    weight: Proportion = 1.0


class ResearchPlan(Frozen):
    """A question's sub-questions, the union of their keywords as a directed acyclic graph, and notes on repairs.

    Raises:
        ValueError: an id or a keyword is there twice, a sub-question or an edge names an unknown keyword, or the edges
            have a cycle.
    """

    question: str
    subquestions: tuple[SubQuestion, ...]
    keywords: tuple[Keyword, ...] = ()
    edges: tuple[Edge, ...] = ()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [keyword.name for keyword in self.keywords]
        ids = [subquestion.id for subquestion in self.subquestions]
        for what in (names, ids):
            if twice := sorted({one for one in what if what.count(one) > 1}):
                raise ValueError(f"{twice[0]!r} is in the plan twice; give each its own name")
        used = [name for subquestion in self.subquestions for name in subquestion.keywords]
        used += [name for edge in self.edges for name in (edge.before, edge.after)]
        if unknown := [name for name in used if name not in names]:
            raise ValueError(f"the plan has no keyword {unknown[0]!r}; add it to `keywords`")
        try:
            TopologicalSorter(self._befores()).prepare()
        except CycleError as error:
            raise ValueError(f"the keywords have a cycle: {' after '.join(reversed(error.args[1]))}") from None
        return self

    def _befores(self) -> dict[str, set[str]]:
        befores: dict[str, set[str]] = {keyword.name: set() for keyword in self.keywords}
        for edge in self.edges:
            befores[edge.after].add(edge.before)
        return befores

    def keyword(self, name: str) -> Keyword:
        """The keyword with this name."""
        return next(keyword for keyword in self.keywords if keyword.name == name)

    def keywords_of(self, one: SubQuestion) -> tuple[Keyword, ...]:
        """The keywords of a sub-question, most salient first."""
        return tuple(self.keyword(name) for name in one.keywords)

    def tools_of(self, one: SubQuestion) -> tuple[Tool, ...]:
        """The tools of a sub-question and of its keywords together; literature where none is named."""
        wanted = {*one.tools, *(tool for keyword in self.keywords_of(one) for tool in keyword.tools)}
        return tuple(tool for tool in TOOLS if tool in wanted) or ("literature",)

    def after(self) -> Mapping[str, tuple[str, ...]]:
        """For each sub-question, those that it comes after, in their order.

        A keyword belongs to the first sub-question that has it. An edge between keywords of two sub-questions orders
        these; where edges lead both ways, the heavier side counts, and of equals the order in the plan, so that the
        order of sub-questions has no cycle either.
        """
        owner: dict[str, int] = {}
        for place, one in enumerate(self.subquestions):
            for name in one.keywords:
                owner.setdefault(name, place)
        ties: dict[tuple[int, int], float] = {}
        for edge in self.edges:
            first, second = owner.get(edge.before), owner.get(edge.after)
            if first is not None and second is not None and first != second:
                ties[first, second] = ties.get((first, second), 0.0) + edge.weight
        befores: dict[int, set[int]] = {place: set() for place in range(len(self.subquestions))}
        for first, second in sorted(ties, key=lambda tie: (-ties[tie], tie)):
            if not _leads(second, first, befores):
                befores[second].add(first)
        ids = [subquestion.id for subquestion in self.subquestions]
        return {ids[place]: tuple(ids[n] for n in sorted(before)) for place, before in befores.items()}


def _leads(start: int, end: int, befores: Mapping[int, set[int]]) -> bool:
    return any(before == start or _leads(start, before, befores) for before in befores[end])


# Plan files: a research plan as JSON that a user edits and gives back.

MOST_BYTES = 1_000_000
_MOST = {"subquestions": 20, "keywords": 200, "edges": 2_000}
"""Most entries of each list: more are a mistake, and would be as many searches."""
_SHOWN = 60


def read_plan_file(path: Path) -> ResearchPlan:
    """The plan in a file that `medground plan --format json` wrote, and that may have been edited since.

    Raises UsageError: it cannot be read, is too big, is not JSON, or an entry of it is wrong; the message says which.
    """
    try:
        return read_plan(_text(path))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def read_plan(text: str) -> ResearchPlan:
    """The plan in a text. Raises UsageError: it is not JSON, or an entry of it is wrong; the message says which."""
    try:
        said = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}, column {error.colno} is not JSON: {error.msg}") from None
    except (RecursionError, ValueError):  # nested without end, or a number of thousands of digits
        raise UsageError(
            "it is not the JSON of a research plan; [[write one with medground plan|make a ResearchPlan|ask for one]]"
        ) from None
    if not isinstance(said, dict) or not isinstance(said.get("subquestions"), list):
        raise UsageError("it is not a research plan; [[write one with medground plan|make a ResearchPlan|ask for one]]")
    _check_sizes(said)
    try:
        plan = ResearchPlan.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(_first(error, said)) from None
    for number, one in enumerate(plan.subquestions):
        if not one.text.strip():
            raise UsageError(f"subquestions[{number}].text is empty; write the sub-question or remove {one.id}")
    return plan


def _text(path: Path) -> str:
    try:
        if (size := path.stat().st_size) > MOST_BYTES:
            raise UsageError(f"it has {size:,} bytes; a plan has at most {MOST_BYTES:,}")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"byte {error.start} is not UTF-8; save the file as UTF-8") from None


def _check_sizes(said: dict[str, Any]) -> None:
    for name, most in _MOST.items():
        found = said.get(name)
        if isinstance(found, list) and len(found) > most:
            raise UsageError(f"`{name}` has {len(found):,} entries; a plan has at most {most:,}")
    if not said["subquestions"]:
        raise UsageError("`subquestions` is empty; a plan has at least one")


_WRONG = {
    "missing": "{where} is missing; add it",
    "extra_forbidden": "{where} is not part of a plan; remove it",
    "literal_error": f"{{where}} is {{stands}}; use one of {', '.join(TOOLS)}",
    "string_too_short": "{where} is empty; write something or remove the entry",
    "string_pattern_mismatch": "{where} is {stands}; ids are q1, q2, ... up to q99",
}
"""What is wrong, by pydantic's type of error: where it is, what stands there, and what may."""


def _first(error: ValidationError, said: Any) -> str:
    found = error.errors(include_url=False)[0]
    message = str(found["msg"])
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in found["loc"]).removeprefix(".")
    if not where:  # a check of the whole plan, whose message says it all
        return message.removeprefix("Value error, ")
    there = None if found["type"] == "missing" else functools.reduce(operator.getitem, found["loc"], said)
    text = json.dumps(there, ensure_ascii=False)
    stands = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    wrong = _WRONG.get(found["type"], "{where} is {stands}: {message}")
    return wrong.format(where=where, stands=stands, message=f"{message[:1].lower()}{message[1:]}")
