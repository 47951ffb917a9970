"""The layout of a printed answer: what is shown, in which order, and what only with details."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.errors import UsageError
from medground.language.clean import clean, sentence
from medground.values.answer import Answer, SourceDocument
from medground.values.report import Attachment, Connection, Relation, Report, ReportSection, SubAnswer
from medground.values.research_plan import ResearchPlan, Tool
from medground.values.statement import Statement
from medground.values.usage import Author
from medground.wording import phrases
from medground.wording.answer_blocks import (
    conflicts,
    detail_notes,
    left_out,
    notes,
    sentence_blocks,
    source_list,
    supported,
    where,
    written_sentences,
)
from medground.wording.blocks import (
    Block,
    Line,
    Quotes,
    Span,
    heading,
    line,
    mapped,
    mark,
    marks,
    plain_reference,
    subheading,
)
from medground.wording.pictures import Files, picture, svg

QUOTED = "A sentence without a remark is quoted from its source."
_RELATIONS: dict[Relation, str] = {"supports": "support each other", "extends": "extend each other",
                                   "contradicts": "contradict each other"}  # fmt: skip
TOOL_NAMES: dict[Tool, str] = {"literature": "literature", "protein": "protein databases", "web": "web"}
_COLUMNS = ("sub-question", "tool", "found", "merged", "filtered", "cut", "kept", "cited")
_MARK = re.compile(r"\[(E[1-9][0-9]*)\]")


@dataclass(frozen=True)
class ReportPage:
    """A report, ready to be laid out.

    Attributes:
        details: also show what is only for an engineer.
        files: reads the files of the report, so that pictures are shown.
    """

    answer: Answer
    report: Report
    quotes: Quotes
    details: bool = False
    files: Files | None = None

    def blocks(self, bibliography: Callable[[SourceDocument], Line]) -> Iterator[Block]:
        """The blocks between the decision and the notes on the run; `bibliography` formats each reference."""
        yield from self._parts()
        yield from self._sections(("background", "findings", "synthesis"))
        yield from supported(self.answer)
        yield from self._connections()
        yield from left_out(self.answer)
        yield from conflicts(self.answer, self.quotes)
        yield from self._sections(("limitations",))
        yield from source_list(self.quotes, details=self.details, bibliography=bibliography, cited_as="References")
        yield from self._read(bibliography)
        yield from self._sections(("searched",))
        yield from self._flow()
        yield from self._attachments()

    def _parts(self) -> Iterator[Block]:
        """The sub-questions and what became of each."""
        if self.report.subanswers:
            yield heading("Sub-questions")
        texts = {one.id: one.text for one in self.report.plan.subquestions}
        for one in self.report.subanswers:
            said = became(one)
            state = (Span(f"{said} ", "dim"), *marks(one.evidence)) if one.evidence else line(said, "caution")
            yield Block("item", (line(f"{one.id}: {texts.get(one.id, '')}"), state), marker="-")
        if self.report.plan.subquestions and (drawn := picture(svg(self.report.plan).encode(), "image/svg+xml")):
            yield Block("picture", (line(order_words(self.report.plan), "dim"),), picture=drawn)

    def _sections(self, kinds: Sequence[str]) -> Iterator[Block]:
        findings = False
        for section in self.report.sections:
            if section.kind not in kinds:
                continue
            if section.kind != "findings":
                yield heading(section.title)
            else:
                if not findings:
                    yield heading("Findings")
                    findings = True
                yield subheading(f"{section.subquestion}: {section.title}" if section.subquestion else section.title)
            own = [group for group in written_sentences(self.answer) if inside(group, section)]
            yield from sentence_blocks(own, self.answer, self.quotes, details=self.details, remarks=self.details)
            yield from (Block("note", (self._marked(text),)) for text in section.notes)
        if findings and not self.details and any(s.verdict.label == "quoted" for s in self.answer.statements):
            yield Block("paragraph", (line(QUOTED, "dim"),))

    def _marked(self, text: str) -> Line:
        """A note, in which `[E1]` leads to the quote."""
        known = {evidence.id for evidence in self.answer.evidence}
        parts = _MARK.split(text)
        return tuple(
            mark(part) if place % 2 and part in known else Span(f"[{part}]" if place % 2 else part)
            for place, part in enumerate(parts)
            if part
        )

    def _connections(self) -> Iterator[Block]:
        if self.report.connections:
            yield heading("How the findings connect")
        for one in self.report.connections:
            lines: list[Line] = [(Span(f"{connected(one)} "), *marks(one.evidence))]
            lines.append(line(found_by_words(one), "dim"))
            yield Block("item", tuple(lines), marker="-")

    def _read(self, bibliography: Callable[[SourceDocument], Line]) -> Iterator[Block]:
        """What was read and not cited, then what is not used as evidence; neither has a number."""
        documents = self.quotes.documents
        read = [documents[name] for name in self.report.read if name in documents]
        aside = [document for document in documents.values() if why_aside(document) and document not in read]
        for title, listed in (("Read, not cited", read), ("Found, not used as evidence", aside)):
            if listed:
                yield heading(title)
            for document in listed:
                state = captions.state(document)
                lines = [bibliography(document), where(document), *([line(state, "bad")] if state else [])]
                yield Block("item", tuple(lines), marker="-")

    def _flow(self) -> Iterator[Block]:
        if not self.report.flow:
            return
        rows = [tuple(line(name.capitalize()) for name in _COLUMNS)]
        for row in self.report.flow:
            counts = (row.found, row.merged, row.filtered, row.cut, row.kept, row.cited)
            rows.append(tuple(line(text) for text in (row.subquestion, TOOL_NAMES[row.tool], *map(str, counts))))
        yield Block("table", (), rows=tuple(rows))

    def _attachments(self) -> Iterator[Block]:
        if self.report.attachments:
            yield heading("Files")
        for one in self.report.attachments:
            yield from self._attachment(one)

    def _attachment(self, one: Attachment) -> Iterator[Block]:
        told: list[Line] = [line(file_words(one))]
        shown = None
        if self.files is not None:
            try:
                shown = picture(self.files(one), one.media_type)
            except UsageError as gone:
                told.append(line(sentence(str(gone)), "caution"))
        yield Block("picture", tuple(told), picture=shown) if shown else Block("item", tuple(told), marker="-")


def order_words(plan: ResearchPlan) -> str:
    """Which sub-questions were searched after which, in words."""
    told = (f"{one} after {' and '.join(before)}" if before else f"{one} first" for one, before in plan.after().items())
    return f"The plan: {'; '.join(told)}."


def inside(group: Sequence[Statement], section: ReportSection) -> bool:
    """Whether a written sentence is in a section."""
    return section.start <= group[0].start and group[-1].end <= section.end


def became(one: SubAnswer) -> str:
    """What became of a sub-question, in words."""
    if one.state == "answered":
        return "Addressed by" if not Author(one.answered_by).is_model else "Answered from"
    if one.state == "failed":
        return sentence(f"not searched: {one.reason or 'none of its sources could be searched'}")
    return sentence(f"not answered: {one.reason or 'nothing was found for it'}")


def connected(one: Connection) -> str:
    """How two sub-answers hang together; word statistics only say what they share."""
    if Author(one.found_by).is_model:
        about = f": {one.about}" if one.about else ""
        return sentence(f"{one.first} and {one.second} {_RELATIONS[one.relation]}{about}")
    if one.relation == "contradicts":
        return sentence(f"{one.first} and {one.second} may disagree: {one.about}")
    return sentence(f"{one.first} and {one.second} both mention {one.about}")


def found_by_words(one: Connection) -> str:
    """Who found a connection, and what that proves."""
    if Author(one.found_by).is_model:
        return sentence(f"found by {one.found_by}; not validated here")
    return "Found by comparing words; whether they are connected has not been assessed."


def file_words(one: Attachment) -> str:
    """A file of the report in one line."""
    size = f"{one.size / 1000:,.1f} kB" if one.size < 1_000_000 else f"{one.size / 1_000_000:,.1f} MB"
    parts = [f"{one.title} ({one.name}, {one.media_type}, {size})"]
    parts += [one.document_id] if one.document_id else []
    parts += [f"licence: {one.licence}"] if one.licence else []
    parts += [f"from {one.origin}"] if one.origin else []
    return sentence("; ".join(" ".join(part.split()) for part in parts))


def layout(
    answer: Answer,
    *,
    details: bool = False,
    bibliography: Callable[[SourceDocument], Line] = plain_reference,
    files: Files | None = None,
) -> list[Block]:
    """The blocks of an answer: notice, decision and reason, sentences with verdicts, conflicts, sources, notes.

    A report has its sections in place of the sentences, and its references apart from what was read.

    Args:
        files: reads the files of a report; without it they are listed, but not shown.
    """
    quotes, asked = Quotes(answer), answer.question
    blocks = [
        *([Block("paragraph", (line(answer.notice.sentence, "strong"),))] if answer.notice else []),
        Block("title", (line(asked.text),)),
        *([Block("paragraph", (line(phrases.read_as(follows, asked.text)),))] if (follows := asked.follows) else []),
        *([Block("paragraph", (line(phrases.context(asked.context, whole=details), "dim"),))] if asked.context else []),
        Block("decision", tuple(line(text) for text in (phrases.headline(answer), phrases.reason(answer)) if text)),
        *_body(answer, quotes, details=details, bibliography=bibliography, files=files),
        *notes(answer),
        *(detail_notes(answer) if details else []),
    ]
    return [mapped(block, cleaned) for block in blocks]


def _body(
    answer: Answer,
    quotes: Quotes,
    *,
    details: bool,
    bibliography: Callable[[SourceDocument], Line],
    files: Files | None,
) -> Iterator[Block]:
    if answer.report is None:
        yield from sentence_blocks(written_sentences(answer), answer, quotes, details=details)
        yield from supported(answer)
        yield from left_out(answer)
        yield from conflicts(answer, quotes)
        yield from source_list(quotes, details=details, bibliography=bibliography)
    else:
        page = ReportPage(answer, answer.report, quotes, details=details, files=files)
        yield from page.blocks(bibliography)


def cleaned(span: Span) -> Span:
    """A span without control characters."""
    return replace(span, text=clean(span.text))
