"""What the program itself says in a report: what limits it, what was searched, and why there is no answer.

Source: BioMedSearch, section III.C ("other relevant elements"); the counts are those of a PRISMA flow diagram.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from medground.author import Author
from medground.executor.found import SubFound, ToolFound
from medground.report import FlowRow
from medground.research_plan import TOOLS, ResearchPlan, Tool
from medground.text.clean import clean
from medground.text.english import ended, some
from medground.write.subanswers import Part

NAMES: dict[Tool, str] = {"literature": "Literature", "protein": "Protein databases", "web": "Web"}
_SHOWN = 5
"""Most ids of lost documents that are named."""


def limitations(
    parts: Sequence[Part], flow: Sequence[FlowRow], web: int, stopped: str | None = None
) -> tuple[str, ...]:
    """What a reader must know before relying on the report, one line each. `web` is how many released
    sentences cite web pages alone, `stopped` why the run ended early.
    """
    return tuple(map(ended, map(_one_line, _limitations(parts, flow, web, stopped))))


def _limitations(parts: Sequence[Part], flow: Sequence[FlowRow], web: int, stopped: str | None) -> Iterator[str]:
    if stopped:
        yield f"The run ended early ({stopped}): the sentences are quotes that no model has read or checked"
    for part in parts:
        if part.state == "failed":
            reason = part.reason or "none of its sources could be searched"
            yield f"“{part.found.subquestion.text}” was not searched: {reason}"
        elif part.state == "not answerable":
            yield f"“{part.found.subquestion.text}” is not answered: {part.reason or 'nothing was found for it'}"
    yield from failures(part.found for part in parts)
    lost = tuple(dict.fromkeys(name for row in flow for name in row.lost))
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        yield (
            f"The filter of keywords left out {some(len(lost), 'record')} that would have been read without it: "
            f"{', '.join(lost[:_SHOWN])}{more}"
        )
    if web:
        yield f"{some(web, 'sentence rests', 'sentences rest')} on web pages alone, which nobody has reviewed"
    if not stopped and any(part.answered_by and not Author(part.answered_by).is_model for part in parts):
        yield (
            "No language model read the sources: word statistics chose the sentences, and whether they answer the "
            "question has not been assessed"
        )


def failures(found: Iterable[SubFound]) -> Iterator[str]:
    """What could not be searched, each once, with the sub-questions that miss it."""
    missed: dict[str, list[str]] = {}
    for one in found:
        named = re.compile(rf"\s+on\s+[\"'“]{re.escape(one.subquestion.text)}[\"'”]")
        for tool in one.tools:
            for failure in tool.failures:
                missed.setdefault(named.sub("", failure).rstrip(". "), []).append(one.subquestion.id)
    for failure, ids in missed.items():
        yield f"{failure} (missed for {', '.join(dict.fromkeys(ids))})"


def searched(plan: ResearchPlan, found: Sequence[SubFound], flow: Sequence[FlowRow]) -> tuple[str, ...]:
    """What was searched with which counts, one line for each tool, then notes of the planner and of the tools."""
    notes = [*plan.notes, *(note for one in found for tool in one.tools for note in tool.notes)]
    return tuple(map(ended, map(_one_line, (*_totals(flow), *dict.fromkeys(notes)))))


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _totals(flow: Sequence[FlowRow]) -> Iterator[str]:
    for tool in TOOLS:
        rows = [row for row in flow if row.tool == tool]
        if rows:
            yield f"{NAMES[tool]}, for {some(len(rows), 'sub-question')}: {counted(rows)}"


def counted(rows: Sequence[FlowRow]) -> str:
    """The counts of some rows together, in words."""
    found, merged, filtered, cut, kept, cited = (
        sum(getattr(row, name) for row in rows) for name in ("found", "merged", "filtered", "cut", "kept", "cited")
    )
    steps = [
        f"{some(found, 'record')} found",
        *([f"{some(merged, 'duplicate')} merged"] if merged else []),
        *([f"{filtered:,} filtered out"] if filtered else []),
        *([f"{cut:,} not among the best"] if cut else []),
        f"{kept:,} kept",
        f"{cited:,} cited",
    ]
    return ", ".join(steps)


def why_nothing(found: Sequence[SubFound], parts: Sequence[Part]) -> str:
    """Why there is no report, and what was searched."""
    tools = [tool for one in found for tool in one.tools]
    worked = [tool for tool in tools if tool.state in ("found", "empty")]
    if not worked:
        why = "; ".join(dict.fromkeys(failures(found))) or "the plan asks no tool"
        return f"nothing could be searched: {why}"
    where = "; ".join(f"{NAMES[tool].lower()}: {counted(_rows(worked, tool))}" for tool in _used(worked))
    if any(tool.hits for tool in worked):
        said = f"what was found addresses none of the {some(len(parts), 'sub-question')}"
    else:
        said = f"nothing was found for any of the {some(len(parts), 'sub-question')}"
    missed = "; ".join(dict.fromkeys(failures(found)))
    return f"{said} ({where})" + (f"; {missed}" if missed else "")


def _used(tools: Sequence[ToolFound]) -> list[Tool]:
    return [tool for tool in TOOLS if any(one.tool == tool for one in tools)]


def _rows(tools: Sequence[ToolFound], tool: Tool) -> list[FlowRow]:
    return [one.flow for one in tools if one.tool == tool]
