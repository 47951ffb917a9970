"""The sentences of an answer with their verdicts, and the conflicts of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medground.answer import Answer, Conflict, Label, Statement
from medground.text.english import sentence
from medground.verify import verdict_words
from medground.wording import phrases
from medground.wording.blocks import Block, Line, Span, Style, heading, line
from medground.wording.quotes import Quotes, cited_by, mark, marks

STYLES: Mapping[Label, Style] = {
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
"""How a verdict looks, by its label."""
_SENTENCE_ENDS = (".", "?", "!", "。", "！", "？")


def sentence_blocks(
    groups: Sequence[Sequence[Statement]], answer: Answer, quotes: Quotes, *, details: bool, remarks: bool = True
) -> Iterator[Block]:
    """Written sentences with their citation marks and verdicts.

    Args:
        groups: the statements of each sentence.
        answer: the answer that they are from.
        quotes: its quotes.
        details: also show category labels.
        remarks: whether to say of a quote that it is one, where nothing else is to be said.
    """
    for group in groups:
        text = Span(answer.rationale[group[0].start : group[-1].end])
        lines: list[Line] = [(text, *((Span(" "), *marks(group[0].evidence)) if group[0].evidence else ()))]
        if answer.report is not None and quotes.are_web(group[0].evidence):
            lines[0] = (*lines[0], Span(" (web page)", "caution"))
        verdicts = [said_of(statement, quotes) for statement in group]
        for statement, said in zip(group, verdicts, strict=True):
            if not remarks and statement.verdict.label == "quoted" and not statement.verdict.flags:
                continue
            if len(set(verdicts)) > 1:
                said = f"“{' '.join(statement.text.split())}”: {said}"
            lines.append((Span(said, STYLES[statement.verdict.label]), *_deciding(statement)))
            if details and (label := verdict_words.category(statement.verdict)):
                lines.append(line(f"Label: {label}", "dim"))
        yield Block("paragraph", tuple(dict.fromkeys(lines)))


def said_of(statement: Statement, quotes: Quotes) -> str:
    """The verdict on a statement in words."""
    return verdict_words.verdict(statement.verdict, quotes.place(statement.verdict.best))


def supported(answer: Answer) -> Iterator[Block]:
    """How much of the answer is supported, if that was assessed."""
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


def deciding(statement: Statement) -> str | None:
    """The quote that decided a verdict, where the citation marks do not tell."""
    best = statement.verdict.best
    return None if statement.verdict.label == "quoted" or cited_by(statement) == [best] else best


def _deciding(statement: Statement) -> Line:
    best = deciding(statement)
    return (Span(" Deciding quote: "), mark(best)) if best else ()


def left_out(answer: Answer) -> Iterator[Block]:
    """The sentences that were not released, with the reasons."""
    if answer.dropped:
        yield heading("Left out because verification failed")
    for dropped in answer.dropped:
        reason = sentence(dropped.reason)
        yield Block("item", (line(dropped.text), line(reason, "dim")), marker="-")


def conflicts(answer: Answer, quotes: Quotes) -> Iterator[Block]:
    """Where sources disagree, both sides with their quotes."""
    if answer.conflicts:
        yield heading(phrases.conflicts_heading(answer.conflicts))
    for conflict in answer.conflicts:
        yield Block("paragraph", (line(phrases.disagreement(conflict)),))
        yield from _sides(conflict, quotes)


def _sides(conflict: Conflict, quotes: Quotes) -> Iterator[Block]:
    for number, side in enumerate(conflict.sides, start=1):
        said = [(mark(e), Span(f" {quotes.text(e)} "), Span(quotes.study(e), "dim")) for e in side.evidence]
        yield Block("item", (line(f"{phrases.side(side, number)}:", "strong"), *said), marker="-")
