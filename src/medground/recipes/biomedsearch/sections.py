"""The sections of a report: their sentences before checking, and their places in the rationale afterwards."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from medground.language import words
from medground.language.clean import some
from medground.recipes.biomedsearch.sub_answers import Part
from medground.values.answer import Answer
from medground.values.document import SourceKind
from medground.values.evidence import Sentence
from medground.values.report import FlowRow, ReportSection, SectionKind, SubFound, ToolState
from medground.values.research_plan import TOOLS, ResearchPlan, Tool
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


def told_once(
    sections: Iterable[Written], short: Sequence[Sentence], papers: Mapping[str, str], *, quotes_only: bool
) -> Iterator[Written]:
    """The sections without what the short answer or an earlier one has of the same paper; none that is empty then.

    Of quotes alone, the same words of another paper are not said again either. `papers` are the documents of quotes by
    their ids.
    """
    said = list(short)
    for section in sections:
        new = list[Sentence]()
        for sentence in section.sentences:
            own = {papers[e] for e in sentence.evidence}
            of_paper = [other.text for other in said if not own.isdisjoint(papers[e] for e in other.evidence)]
            again = quotes_only and any(words.tokens(sentence.text) == words.tokens(other.text) for other in said)
            if not again and not any(sentence.text in text or text in sentence.text for text in of_paper):
                new.append(sentence)
                said.append(sentence)
        if new:
            yield replace(section, sentences=tuple(new))


def in_order(
    sentences: Sequence[Sentence], kinds: Mapping[str, SourceKind], *, web_first: bool
) -> tuple[Sentence, ...]:
    """The sentences in order, but those that rest on web pages alone last, or first. `kinds` are by evidence id."""
    return tuple(sorted(sentences, key=lambda sentence: rests_on_web(sentence.evidence, kinds) != web_first))


def rests_on_web(evidence: Sequence[str], kinds: Mapping[str, SourceKind]) -> bool:
    """Whether all these quotes are from web pages."""
    return bool(evidence) and all(kinds[e] == "web" for e in evidence)


def placed(sections: Sequence[Written], answer: Answer) -> tuple[ReportSection, ...]:
    """The sections where the rationale has them; those without a released sentence and without notes are left out.

    The statements of the answer are those of the split sections in order, without the ones that were held back.
    """
    found: list[ReportSection] = []
    first = end = 0
    for section in sections:
        start, before = end, first
        for sentence in section.sentences:
            left = answer.statements[first : first + 1]
            first += [(s.text, s.evidence) for s in left] == [(sentence.text, sentence.evidence)]
        if first > before:
            start = answer.statements[before].start
            end = answer.statements[first].start - 1 if first < len(answer.statements) else len(answer.rationale)
        if first > before or section.notes:
            kept = {name: getattr(section, name) for name in ("kind", "title", "notes", "subquestion")}
            found.append(ReportSection(**kept, start=start, end=end))
    return tuple(found)


WORKED: tuple[ToolState, ...] = ("found", "empty")
"""The states of a tool that could search."""
NAMES: dict[Tool, str] = {"literature": "Literature", "protein": "Protein databases", "web": "Web"}


def limitations(
    parts: Sequence[Part], flow: Sequence[FlowRow], web: int, aside: int, stopped: str | None
) -> Iterator[str]:
    """What a reader must know before relying on the report, one line each. `web` is how many released sentences cite
    web pages alone, `aside` how many retracted papers were found, `stopped` why the run ended early.
    """
    if stopped:
        yield f"The run ended early ({stopped}): the sentences are quotes that no model has read or checked"
    for state, said in (("failed", "Not searched for"), ("not answerable", "Nothing was found that answers")):
        if texts := [f"“{part.found.subquestion.text}”" for part in parts if part.state == state]:
            yield f"{said}: {', '.join(texts)}"
    failed = [failure.partition(" (missed")[0].split("; ")[0] for failure in failures(part.found for part in parts)]
    if failed:
        yield f"Not searched: {'; '.join(failed)}"
    lost = {name for row in flow for name in row.lost}
    excluded = [some(len(lost), "record") + " by the keyword filter"] if lost else []
    excluded += [some(aside, "retracted paper or notice", "retracted papers or notices")] if aside else []
    if excluded:
        yield f"Excluded: {' and '.join(excluded)}"
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


def searched(plan: ResearchPlan, found: Sequence[SubFound], flow: Sequence[FlowRow]) -> Iterator[str]:
    """What was searched with which counts, one line for each tool, then notes of the planner and of the tools."""
    rows = [(NAMES[tool], [row for row in flow if row.tool == tool]) for tool in TOOLS]
    yield from (f"{name}, for {some(len(own), 'sub-question')}: {counted(own)}" for name, own in rows if own)
    notes = (note for one in found for tool in one.tools for note in tool.notes)
    yield from dict.fromkeys([*failures(found), *plan.notes, *notes])


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
