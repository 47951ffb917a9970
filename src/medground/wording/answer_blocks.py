"""The blocks of an answer: its sentences with verdicts and conflicts, its sources, and what was searched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from medground.answering import captions
from medground.language.clean import joined, sentence, some
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.query import Filters
from medground.values.statement import Statement
from medground.wording import phrases
from medground.wording.blocks import Block, Line, Span, heading, line, mark, marks, note

if TYPE_CHECKING:
    from medground.wording.view_types import AnswerView, DocumentView, SentenceView

Bibliography = Callable[["DocumentView"], Line]
"""Formats a source as an entry of a list of references."""


def plain_reference(document: DocumentView) -> Line:
    """Title, journal, year and design without styles."""
    return line(document.reference)


class Quotes:
    """The quotes of an answer, each of which is printed once.

    One that is itself a sentence of the answer is printed as that sentence; one on a side of a conflict is printed
    there; all others are printed under their source.
    """

    def __init__(self, answer: Answer, shown: AnswerView) -> None:
        self.shown = {quote.id: quote for quote in shown.evidence}
        self._numbers = {document.id: document.number for document in shown.documents}
        words = {quote.id: quote.quote.split() for quote in answer.evidence}
        self.printed = {e for s in answer.statements for e in s.evidence if s.text.split() == words[e]}

    def text(self, evidence_id: str) -> str:
        """The quote in quotation marks the first time, `quoted above` after that."""
        if evidence_id in self.printed:
            return "quoted above"
        self.printed.add(evidence_id)
        return f"“{' '.join(self.shown[evidence_id].quote.split())}”"

    def study(self, evidence_id: str) -> str:
        """Design, year and number of the source of a quote, in brackets."""
        quote = self.shown[evidence_id]
        return f"({quote.study}; source {self._numbers[quote.document_id]})"

    def known(self, evidence_id: str) -> str:
        """The same without what is not known."""
        quote = self.shown[evidence_id]
        told = [part for part in quote.study.split(", ") if not part.endswith("not stated")]
        return f"({', '.join([*told, f'source {self._numbers[quote.document_id]}'])})"


def sentence_blocks(
    sentences: Iterable[tuple[SentenceView, Sequence[Statement]]],
    *,
    details: bool,
    report: bool,
    studies: Callable[[str], str] | None = None,
) -> Iterator[Block]:
    """Written sentences with their citation marks and verdicts: the shape, and words where it does not say all.

    Args:
        sentences: each with its statements.
        details: also show category labels.
        report: say what is from the web and, without details, not of each quote that it is one.
        studies: says of the first quote of each sentence which study it is from.
    """
    for written, group in sentences:
        cited = group[0].evidence
        lines = [(Span(written.text), *((Span(" "), *marks(cited)) if cited else ()))]
        if report and written.web:
            lines[0] = (*lines[0], Span(" (web page)", "caution"))
        if studies and cited:
            lines[0] = (*lines[0], Span(f" {studies(cited[0])}", "dim"))
        several = len({verdict.words for verdict in written.verdicts}) > 1
        if not details and all(verdict.plain for verdict in written.verdicts):
            yield Block("paragraph", ((*lines[0], Span(f" {written.verdicts[0].glyph}", written.verdicts[0].style)),))
            continue
        for statement, verdict in zip(group, written.verdicts, strict=True):
            if report and not details and verdict.label == "quoted" and not statement.verdict.flags:
                continue
            said = f"“{' '.join(statement.text.split())}”: {verdict.words}" if several else verdict.words
            decided = (Span(" Deciding quote: "), mark(verdict.deciding)) if verdict.deciding else ()
            shape = "" if verdict.label == "quoted" else f"{verdict.glyph} "
            lines.append((Span(f"{shape}{said}", verdict.style), *decided))
            if details and verdict.category:
                lines.append(line(f"Label: {verdict.category}", "dim"))
        yield Block("paragraph", tuple(dict.fromkeys(lines)))


def supported(shown: AnswerView) -> Iterator[Block]:
    """How much of the answer is supported, if that was assessed."""
    if shown.support:
        yield Block("paragraph", (line(shown.support),))


def left_out(shown: AnswerView) -> Iterator[Block]:
    """The sentences that were not released, with the reasons."""
    if shown.dropped:
        yield heading("Left out because verification failed")
    for dropped in shown.dropped:
        yield Block("item", (line(dropped.text), line(dropped.reason, "dim")), marker="-")


def conflicts(shown: AnswerView, quotes: Quotes) -> Iterator[Block]:
    """Where sources disagree, both sides with their quotes."""
    if shown.conflicts:
        yield heading(shown.conflicts_heading)
    for conflict in shown.conflicts:
        yield Block("paragraph", (line(conflict.words),))
        for side in conflict.sides:
            said = [(mark(e), Span(f" {quotes.text(e)} "), Span(quotes.study(e), "dim")) for e in side.evidence]
            yield Block("item", (line(f"{side.name}:", "strong"), *said), marker="-")


def where(document: SourceDocument) -> Line:
    """The id of a document and where it can be read."""
    address = captions.address(document)
    if not address:
        return line(document.id)
    link = Span(address, url=address) if captions.is_web_address(address) else Span(address)
    return (Span(f"{document.id} "), link)


def notes(answer: Answer) -> Iterator[Block]:
    """One line for the limits of the question, for each source and each warning."""
    yield from _searched(answer)
    if answer.sources:
        yield note(f"Sources: {'; '.join(map(phrases.searched_source, answer.sources))}.")
    if answer.read:
        yield note(f"Read, not cited: {some(answer.read, 'document')}.")
    for warning in answer.warnings if answer.report is None else _not_told(answer):
        yield note(f"Warning: {sentence(_titled(warning, answer))}", "caution")
    if answer.stopped:
        yield note(f"Stopped early: {sentence(answer.stopped)}", "bad")


def _titled(warning: str, answer: Answer) -> str:
    """A warning in which a document is named by its title where its id says nothing elsewhere."""
    for document in answer.documents:
        if document.title and not document.paper:
            title = joined(document.title).replace("\\", r"\\")
            warning = re.sub(rf"(?<!\w){re.escape(document.id)}(?!\w)", f"“{title}”", warning)
    return warning


def run_notes(answer: Answer) -> Iterator[Block]:
    """What the answer cost, and how it was made: not for readers of a file or a page."""
    yield note(f"Cost: {phrases.cost(answer)}.")
    yield note(f"Recipe: {answer.recipe}, {', '.join(phrases.models(answer)) or 'no language model'}.", "dim")


def _not_told(answer: Answer) -> list[str]:
    """The warnings of a report, without those of single sources: what they could not search is a limitation, and how
    they read its many queries is among the details."""
    sources = tuple(f"{search.source}{end}" for search in answer.searches for end in (": ", " could not be searched: "))
    return [warning for warning in answer.warnings if not warning.startswith(sources)]


def _searched(answer: Answer) -> Iterator[Block]:
    if limits := limits_in_words(answer.question.filters):
        yield note(f"Limited to {limits}.")
    worked = [search for search in answer.searches if search.status != "failed"]
    sources = dict.fromkeys(search.source for search in worked)
    found = [phrases.searched([search for search in worked if search.source == source]) for source in sources]
    if found:
        yield note(f"Searched: {', '.join(found)}.")
    elif not answer.searches:
        yield note("Nothing was searched.")
    if answer.report is None:  # a report tells them among its limitations, with what was missed
        failed = (search for search in answer.searches if search.status == "failed")
        for why in dict.fromkeys(map(failure, failed)):
            yield note(sentence(why), "bad")


def failure(search: Search) -> str:
    """Why a source could not be searched."""
    error = (search.error or "unknown error").removeprefix(f"{search.source}: ")
    return f"Could not search {phrases.source_title(search.source)}: {error}"


def limits_in_words(filters: Filters) -> str:
    """`journal Lancet or Thorax; year 2015..2020`; empty without limits."""
    fields: dict[str, list[str]] = {}
    spans = (("year", filters.year_from, filters.year_to), ("date", filters.date_from, filters.date_to))
    pairs = [(name, f"{low or ''}..{high or ''}") for name, low, high in spans if low or high]
    pairs += [("kind", kind) for kind in filters.kinds]
    pairs += [("publication type", kind) for kind in filters.publication_types]
    pairs += [("id", document_id) for document_id in filters.ids]
    for name, value in [*pairs, *filters.where]:
        fields.setdefault(name, []).append(" ".join(value.split()))
    return "; ".join(f"{name} {' or '.join(values)}" for name, values in fields.items())


def detail_notes(answer: Answer) -> Iterator[Block]:
    """What makes a run reproducible and traceable."""
    yield heading("Details")
    if faithfulness := phrases.faithfulness(answer):
        yield note(f"Faithfulness: {faithfulness}.")
    if assessment := phrases.assessment(answer):
        yield note(f"Assessment: {assessment}")
    for warning in answer.warnings if answer.report else ():
        if warning not in _not_told(answer):
            yield note(sentence(warning))
    for search in answer.searches:
        what = "failed" if search.status == "failed" else phrases.results(search, search.hits)
        yield note(f"Query to {phrases.source_title(search.source)}: {search.query} ({what})")
    for operator, model in answer.models.items():
        yield note(f"Operator {operator}: {model}")
    for snapshot in answer.snapshots:
        yield note(f"Snapshot: {snapshot.name}@{snapshot.hash}")
    yield note(f"Settings: {answer.settings_hash}")
    made = f"{answer.created.isoformat(timespec='seconds')}, {answer.made_by or 'unknown version'}"
    yield note(f"Answer: {answer.id}, {made}")
    yield note(f"Trace: {answer.trace_id} (medground trace show {answer.trace_id})")
