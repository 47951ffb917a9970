"""The sections of a report: their sentences before checking, and their places in the rationale afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from medground.answering.conclude.policy import release
from medground.answering.run import Run
from medground.language.clean import clean, ended, some
from medground.recipes.biomedsearch.sub_answers import Part
from medground.values.answer import Answer
from medground.values.document import SourceKind
from medground.values.evidence import Sentence
from medground.values.report import FlowRow, ReportSection, SectionKind, SubFound, ToolState
from medground.values.research_plan import TOOLS, ResearchPlan, Tool
from medground.values.statement import Verdict
from medground.values.usage import Author


@dataclass(frozen=True)
class Written:
    """A section as it was written: its sentences, or the statements they were split into, and notes of the program.

    `subquestion` is the one that it answers.
    """

    kind: SectionKind
    title: str
    sentences: tuple[Sentence, ...] = ()
    subquestion: str = ""
    notes: tuple[str, ...] = ()


def told_once(sections: Sequence[Written]) -> Iterator[Written]:
    """The sections without sentences that an earlier one has; a note names their quotes."""
    said: set[tuple[str, tuple[str, ...]]] = set()
    for one in sections:
        new = tuple(sentence for sentence in one.sentences if (sentence.text, sentence.evidence) not in said)
        said.update((sentence.text, sentence.evidence) for sentence in new)
        again = dict.fromkeys(e for s in one.sentences if s not in new for e in s.evidence)
        notes = (*one.notes, f"Quoted above: {' '.join(f'[{e}]' for e in again)}") if again else one.notes
        yield replace(one, sentences=new, notes=notes)


def in_order(
    sentences: Sequence[Sentence], kinds: Mapping[str, SourceKind], *, web_first: bool
) -> tuple[Sentence, ...]:
    """The sentences in order, but those that rest on web pages alone last, or first. `kinds` are by evidence id."""
    return tuple(sorted(sentences, key=lambda sentence: rests_on_web(sentence.evidence, kinds) != web_first))


def rests_on_web(evidence: Sequence[str], kinds: Mapping[str, SourceKind]) -> bool:
    """Whether all these quotes are from web pages."""
    return bool(evidence) and all(kinds[e] == "web" for e in evidence)


def placed(
    sections: Sequence[Written], verdicts: Sequence[Verdict], answer: Answer, run: Run
) -> tuple[ReportSection, ...]:
    """The sections where the rationale has them; those without a released sentence and without notes are left out.

    `verdicts` has one for each statement of the split sections, in order.
    """
    uncited, remaining, first = not run.recipe.needs_evidence, iter(verdicts), 0
    found: list[ReportSection] = []
    end = 0
    for one in sections:
        own = [next(remaining) for _ in one.sentences]
        kept, _ = release(one.sentences, own, run.settings.verify, uncited=uncited)
        start = answer.statements[first].start if kept else end
        first += len(kept)
        if kept:
            end = answer.statements[first].start - 1 if first < len(answer.statements) else len(answer.rationale)
        if kept or one.notes:
            named = {"kind": one.kind, "title": one.title, "notes": one.notes, "subquestion": one.subquestion}
            found.append(ReportSection.model_validate({**named, "start": start, "end": end}))
    return tuple(found)


WORKED: tuple[ToolState, ...] = ("found", "empty")
"""The states of a tool that could search."""
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
            f"The keyword filter excluded {some(len(lost), 'record')} that would have been read without it: "
            f"{', '.join(lost[:_SHOWN])}{more}"
        )
    if web:
        yield f"{some(web, 'sentence rests', 'sentences rest')} on web pages alone, which have not been reviewed"
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
    rows = [(NAMES[tool], [row for row in flow if row.tool == tool]) for tool in TOOLS]
    totals = [f"{name}, for {some(len(own), 'sub-question')}: {counted(own)}" for name, own in rows if own]
    notes = [*plan.notes, *(note for one in found for tool in one.tools for note in tool.notes)]
    return tuple(map(ended, map(_one_line, (*totals, *dict.fromkeys(notes)))))


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


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
    worked = [tool for tool in tools if tool.state in WORKED]
    if not worked:
        why = "; ".join(dict.fromkeys(failures(found))) or "the plan uses no tool"
        return f"nothing could be searched: {why}"
    rows = [(tool, [one.flow for one in worked if one.tool == tool]) for tool in TOOLS]
    where = "; ".join(f"{NAMES[tool].lower()}: {counted(flow)}" for tool, flow in rows if flow)
    if any(tool.hits for tool in worked):
        said = f"what was found addresses none of the {some(len(parts), 'sub-question')}"
    else:
        said = f"nothing was found for any of the {some(len(parts), 'sub-question')}"
    missed = "; ".join(dict.fromkeys(failures(found)))
    return f"{said} ({where})" + (f"; {missed}" if missed else "")
