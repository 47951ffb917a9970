"""The layout of a printed answer: what is shown, in which order, and what only with details."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from medground.answer import Answer, SourceDocument
from medground.text.clean import clean
from medground.wording import phrases
from medground.wording.blocks import Block, Line, Span, line, mapped
from medground.wording.notes import detail_notes, notes
from medground.wording.pictures import Files
from medground.wording.quotes import Quotes
from medground.wording.references import plain_reference
from medground.wording.report import ReportPage
from medground.wording.sentences import conflicts, left_out, sentence_blocks, supported, written_sentences
from medground.wording.sources import source_list


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
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
        bibliography: formats each source.
        files: reads the files of a report; without it they are listed, but not shown.
    """
    quotes = Quotes(answer)
    blocks = [
        *([Block("paragraph", (line(answer.notice.sentence, "strong"),))] if answer.notice else []),
        Block("title", (line(answer.question.text),)),
        *_read_as(answer),
        *_context(answer, details=details),
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


def _read_as(answer: Answer) -> Iterator[Block]:
    if follows := answer.question.follows:
        yield Block("paragraph", (line(phrases.read_as(follows, answer.question.text)),))


def _context(answer: Answer, *, details: bool) -> Iterator[Block]:
    """What was given with the question: its beginning, or with details all of it."""
    if context := answer.question.context:
        yield Block("paragraph", (line(phrases.context(context, whole=details), "dim"),))


def cleaned(span: Span) -> Span:
    """A span without control characters."""
    return replace(span, text=clean(span.text))
