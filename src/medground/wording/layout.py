"""The layout of a printed answer: what is shown, in which order, and what only with details."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from medground.errors import UsageError
from medground.language.clean import clean, sentence
from medground.values.answer import Answer
from medground.values.report import Report
from medground.values.research_plan import Tool
from medground.values.statement import Statement
from medground.wording import answer_blocks, phrases
from medground.wording.blocks import (
    Block,
    Files,
    Line,
    Span,
    anchor,
    heading,
    line,
    mapped,
    mark,
    marks,
    note,
    picture,
    subheading,
)
from medground.wording.plans import svg

if TYPE_CHECKING:
    from medground.wording.view_types import AnswerView, DocumentView, ReportView, SentenceView

QUOTED = "Sentences without a remark are quoted from their sources."
TOOL_NAMES: dict[Tool, str] = {"literature": "literature", "protein": "protein databases", "web": "web"}
_COLUMNS = ("sub-question", "tool", "found", "merged", "filtered", "cut", "kept", "cited")
_MARK = re.compile(r"\[(E[1-9][0-9]*)\]")


@dataclass(frozen=True)
class _Page:
    """An answer, ready to be laid out.

    Attributes:
        sentences: each with its statements.
        details: also show what is only for an engineer.
        bibliography: formats each reference.
        files: reads the files of a report, so that pictures are shown.
    """

    answer: Answer
    shown: AnswerView
    sentences: Sequence[tuple[SentenceView, Sequence[Statement]]]
    quotes: answer_blocks.Quotes
    details: bool
    bibliography: answer_blocks.Bibliography
    files: Files | None

    @property
    def is_shown(self) -> bool:
        """Whether it is for a screen, not a file that people pass on."""
        return self.bibliography is answer_blocks.plain_reference

    def blocks(self) -> Iterator[Block]:
        """The blocks of an answer between the decision and the notes on the run."""
        yield from answer_blocks.sentence_blocks(self.sentences, details=self.details, report=False)
        yield from answer_blocks.supported(self.shown)
        yield from answer_blocks.left_out(self.shown)
        yield from answer_blocks.conflicts(self.shown, self.quotes)
        yield from self._sources()

    def report(self, report: Report, words: ReportView) -> Iterator[Block]:
        """The same of a report."""
        yield from self._sections(words, ("short", "background", "findings", "synthesis"))
        yield from answer_blocks.supported(self.shown)
        yield from self._connections(words)
        yield from answer_blocks.left_out(self.shown)
        yield from answer_blocks.conflicts(self.shown, self.quotes)
        yield from self._sections(words, ("limitations",))
        yield from self._sources("References")
        if self.details:
            yield from self._parts(words)
            yield from self._read(words)
            yield from self._sections(words, ("searched",))
            yield from self._flow(words)
        yield from self._attachments(report, words)

    def _sources(self, cited_as: str = "") -> Iterator[Block]:
        """The sources by number; if `cited_as` is given, those alone that are quoted, under that heading.

        Details are where each quote is in its source, and the licence of each document. Of a source that says where it
        has its texts from, the licence is always shown.
        """
        stored = {document.id: document for document in self.answer.documents}
        listed = [document for document in self.shown.documents if document.evidence or not cited_as]
        if not self.is_shown:  # a file has no erratum that nothing rests on
            listed = [one for one in listed if one.evidence or not one.aside or one.retraction == "retracted"]
        if listed:
            yield heading(cited_as or "Sources")
        for document in listed:
            record = stored[document.id]
            lines = [self.bibliography(document)]
            if self.is_shown or not record.id.startswith("FILE:"):  # the name of a file says nothing elsewhere
                lines.append(answer_blocks.where(record))
            if document.retraction_words:
                lines.append(line(document.retraction_words, "bad"))
            lines += [line(caution, "caution") for caution in document.cautions]
            if (record.origin or self.details) and document.licence:
                lines.append(line(document.licence, "dim"))
            if self.details:
                told = (f"From {one.record} ({one.source}): {', '.join(one.fields)}" for one in record.joined)
                lines += [line(text, "dim") for text in told]
            lines += self._quotes_of(document)
            yield Block("item", tuple(lines), marker=f"{document.number}.")

    def _quotes_of(self, document: DocumentView) -> Iterator[Line]:
        if not document.evidence and not document.aside:
            yield line("Found, but not cited.", "dim")
        above = [e for e in document.evidence if e in self.quotes.printed and not self.details]
        if above:
            yield (Span("Quoted above: ", "dim"), *marks(above, anchored=True))
        for quote in (self.quotes.shown[e] for e in document.evidence if e not in above):
            place = [quote.place] if quote.place and quote.id not in self.quotes.printed else []
            place += [f"characters {quote.start}-{quote.end}"] if self.details else []
            where = (Span(f" ({', '.join(place)})", "dim"),) if place else ()
            yield (anchor(quote.id), *where, Span(f" {self.quotes.text(quote.id)}"))

    def _parts(self, report: ReportView) -> Iterator[Block]:
        """The sub-questions and what became of each."""
        if report.subanswers:
            yield heading("Sub-questions")
        for subanswer in report.subanswers:
            known = (Span(f"{subanswer.words} ", "dim"), *marks(subanswer.evidence))
            state = known if subanswer.evidence else line(subanswer.words, "caution")
            yield Block("item", (line(f"{subanswer.id}: {subanswer.text}"), state), marker="-")
        if report.order and (drawn := picture(svg(report.plan).encode(), "image/svg+xml")):
            yield Block("picture", (line(report.order, "dim"),), picture=drawn)

    def _sections(self, report: ReportView, kinds: Sequence[str]) -> Iterator[Block]:
        findings = False
        for section in report.sections:
            if section.kind not in kinds:
                continue
            if section.kind != "findings":
                yield heading(section.title)
            else:
                if not findings:
                    yield heading("Findings")
                    findings = True
                yield subheading(section.title)
            own = [self.sentences[place] for place in section.sentences]
            studies = self.quotes.known if section.kind == "short" else None
            yield from answer_blocks.sentence_blocks(own, details=self.details, report=True, studies=studies)
            yield from (Block("note", (self._marked(text),)) for text in section.notes)
        if findings and not self.details and any(s.verdict.label == "quoted" for s in self.answer.statements):
            yield Block("paragraph", (line(QUOTED, "dim"),))

    def _marked(self, text: str) -> Line:
        """A note, in which `[E1]` leads to the quote."""
        parts = _MARK.split(text)
        return tuple(
            mark(part) if place % 2 and part in self.quotes.shown else Span(f"[{part}]" if place % 2 else part)
            for place, part in enumerate(parts)
            if part
        )

    def _connections(self, report: ReportView) -> Iterator[Block]:
        if report.connections:
            yield heading("How the findings connect")
        for connection in report.connections:
            said = (Span(f"{connection.words} "), *marks(connection.evidence))
            yield Block("item", (said, line(connection.found_by, "dim")), marker="-")

    def _read(self, report: ReportView) -> Iterator[Block]:
        """What was read and not cited, then what is not used as evidence; neither has a number."""
        stored = {document.id: document for document in self.answer.documents}
        documents = {document.id: document for document in self.shown.documents}
        read = [documents[name] for name in report.read if name in documents]
        aside = [documents[name] for name in stored if documents[name].aside and documents[name] not in read]
        for title, listed in (("Read, not cited", read), ("Found, not used as evidence", aside)):
            if listed:
                yield heading(title)
            for document in listed:
                state = [line(document.retraction_words, "bad")] if document.retraction_words else []
                lines = (self.bibliography(document), answer_blocks.where(stored[document.id]), *state)
                yield Block("item", lines, marker="-")

    def _flow(self, report: ReportView) -> Iterator[Block]:
        if not report.flow:
            return
        rows = [tuple(line(name.capitalize()) for name in _COLUMNS)]
        for row in report.flow:
            counts = (row.found, row.merged, row.filtered, row.cut, row.kept, row.cited)
            rows.append(tuple(line(text) for text in (row.subquestion, TOOL_NAMES[row.tool], *map(str, counts))))
        yield Block("table", (), rows=tuple(rows))

    def _attachments(self, report: Report, words: ReportView) -> Iterator[Block]:
        if report.attachments:
            yield heading("Files")
        for one, file in zip(report.attachments, words.files, strict=True):
            told = [line(file.words)]
            drawn = None
            if self.files is not None:
                try:
                    drawn = picture(self.files(one), one.media_type)
                except UsageError as gone:
                    told.append(line(sentence(str(gone)), "caution"))
            yield Block("picture", tuple(told), picture=drawn) if drawn else Block("item", tuple(told), marker="-")


def layout(
    answer: Answer,
    *,
    details: bool = False,
    bibliography: answer_blocks.Bibliography = answer_blocks.plain_reference,
    files: Files | None = None,
) -> list[Block]:
    """The blocks of an answer: notice, decision and reason, sentences with verdicts, conflicts, sources, notes.

    A report has its sections in place of the sentences, and its references apart from what was read.

    `files`: reads the files of a report; without it they are listed, but not shown.
    """
    from medground.wording.view import view  # late: its types take a while

    shown, asked = view(answer), answer.question
    sentences = list(zip(shown.sentences, phrases.written_sentences(answer), strict=True))
    decision = [line(text) for text in (shown.headline, shown.reason) if text]
    if first := phrases.lead(answer):
        decision = [(Span(f"{shown.headline} "), *marks(first[0].evidence)), line(shown.reason, "dim")]
        del sentences[: not details]
    page = _Page(answer, shown, sentences, answer_blocks.Quotes(answer, shown), details, bibliography, files)
    blocks = [
        *([Block("paragraph", (line(answer.notice.sentence, "strong"),))] if answer.notice else []),
        Block("title", (line(asked.text),)),
        *([Block("paragraph", (line(shown.read_as),))] if shown.read_as else []),
        *([Block("paragraph", (line(phrases.context(asked.context, whole=details), "dim"),))] if asked.context else []),
        Block("decision", tuple(decision)),
        *(page.report(answer.report, shown.report) if answer.report and shown.report else page.blocks()),
        *([] if page.is_shown else [note(f"Asked on {answer.created:%d %B %Y}.", "dim")]),
        *answer_blocks.notes(answer),
        *(answer_blocks.run_notes(answer) if page.is_shown or details else []),
        *(answer_blocks.detail_notes(answer) if details else []),
    ]
    return [mapped(block, cleaned) for block in blocks]


def cleaned(span: Span) -> Span:
    """A span without control characters."""
    return replace(span, text=clean(span.text))
