"""The layout of a printed answer: what is shown, in which order, and what only with details."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from medground.answer import Answer, Conflict, SourceDocument, Statement
from medground.wording import phrases
from medground.wording.blocks import Block, Line, Span, Style, heading, line, mapped
from medground.wording.notes import detail_notes, notes
from medground.wording.quotes import Quotes, cited_by, mark, marks
from medground.wording.references import plain_reference
from medground.wording.sources import source_list

_STYLES: dict[str, Style] = {
    "supported": "good",
    "quoted": "dim",
    "partly": "caution",
    "related": "caution",
    "not judged": "caution",
    "not found": "bad",
    "contradicted": "bad",
    "unverified": "bad",
    "given": "dim",
}
_SENTENCE_ENDS = (".", "?", "!", "。", "！", "？")


def layout(
    answer: Answer, *, details: bool = False, bibliography: Callable[[SourceDocument], Line] = plain_reference
) -> list[Block]:
    """The blocks of an answer: notice, decision and reason, sentences with verdicts, conflicts, sources, notes.

    Args:
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
        bibliography: formats each source.
    """
    quotes = Quotes(answer)
    blocks = [
        *([Block("paragraph", (line(answer.notice.sentence, "strong"),))] if answer.notice else []),
        Block("title", (line(answer.question.text),)),
        *_read_as(answer),
        *_context(answer, details=details),
        Block("decision", tuple(line(text) for text in (phrases.headline(answer), phrases.reason(answer)) if text)),
        *_sentences(answer, quotes, details=details),
        *_left_out(answer),
        *_conflicts(answer, quotes),
        *source_list(quotes, details=details, bibliography=bibliography),
        *notes(answer),
        *(detail_notes(answer) if details else []),
    ]
    return [mapped(block, cleaned) for block in blocks]


def _read_as(answer: Answer) -> Iterator[Block]:
    if follows := answer.question.follows:
        yield Block("paragraph", (line(phrases.read_as(follows, answer.question.text)),))


def _context(answer: Answer, *, details: bool) -> Iterator[Block]:
    """What was given with the question: its beginning, or with details all of it."""
    if context := answer.question.context:
        yield Block("paragraph", (line(phrases.context(context, whole=details), "dim"),))


def cleaned(span: Span) -> Span:
    """A span without control characters."""
    return replace(span, text=phrases.clean(span.text))


def _sentences(answer: Answer, quotes: Quotes, *, details: bool) -> Iterator[Block]:
    for group in written_sentences(answer):
        text = Span(answer.rationale[group[0].start : group[-1].end])
        lines: list[Line] = [(text, *((Span(" "), *marks(group[0].evidence)) if group[0].evidence else ()))]
        verdicts = [phrases.verdict(s.verdict, quotes.place(s.verdict.best)) for s in group]
        for statement, said in zip(group, verdicts, strict=True):
            if len(set(verdicts)) > 1:
                said = f"“{' '.join(statement.text.split())}”: {said}"
            lines.append((Span(said, _STYLES[statement.verdict.label]), *_deciding(statement)))
            if details and (label := phrases.category(statement.verdict)):
                lines.append(line(f"Label: {label}", "dim"))
        yield Block("paragraph", tuple(dict.fromkeys(lines)))
    if support := phrases.support(answer):
        yield Block("paragraph", (line(support),))


def written_sentences(answer: Answer) -> list[list[Statement]]:
    """The statements of an answer by written sentence: those of one sentence have only white space between them."""
    groups: list[list[Statement]] = []
    for statement in answer.statements:
        last = groups[-1][-1] if groups else None
        between = answer.rationale[last.end : statement.start] if last else ""
        if last is None or between.strip() or (not last.evidence and last.text.endswith(_SENTENCE_ENDS)):
            groups.append([statement])
        else:
            groups[-1].append(statement)
    return groups


def _deciding(statement: Statement) -> Line:
    """The quote that decided a verdict, where the citation marks do not tell."""
    best = statement.verdict.best
    if not best or statement.verdict.label == "quoted" or cited_by(statement) == [best]:
        return ()
    return (Span(" Deciding quote: "), mark(best))


def _left_out(answer: Answer) -> Iterator[Block]:
    if answer.dropped:
        yield heading("Left out because verification failed")
    for dropped in answer.dropped:
        reason = phrases.sentence(dropped.reason)
        yield Block("item", (line(dropped.text), line(reason, "dim")), marker="-")


def _conflicts(answer: Answer, quotes: Quotes) -> Iterator[Block]:
    if answer.conflicts:
        yield heading(phrases.conflicts_heading(answer.conflicts))
    for conflict in answer.conflicts:
        yield Block("paragraph", (line(phrases.disagreement(conflict)),))
        yield from _sides(conflict, quotes)


def _sides(conflict: Conflict, quotes: Quotes) -> Iterator[Block]:
    for number, side in enumerate(conflict.sides, start=1):
        said = [(mark(e), Span(f" {quotes.text(e)} "), Span(quotes.study(e), "dim")) for e in side.evidence]
        yield Block("item", (line(f"{phrases.side(side, number)}:", "strong"), *said), marker="-")
