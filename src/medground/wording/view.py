"""An answer as plain values for a page, a notebook or an agent, in the words of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from medground.answer import Answer, Conflict, Label, Search, Statement
from medground.evidence import Evidence
from medground.question import Option
from medground.rank import source_facts
from medground.retraction import why_aside
from medground.text.clean import clean
from medground.text.english import joined, sentence
from medground.verify import verdict_words
from medground.wording import phrases, references
from medground.wording.blocks import Block
from medground.wording.facts import fact_view
from medground.wording.notes import detail_notes, failure, notes
from medground.wording.quotes import Quotes
from medground.wording.report_view import report_view
from medground.wording.sentences import STYLES, deciding, said_of, written_sentences
from medground.wording.view_types import (
    AnswerView,
    ConflictView,
    DocumentView,
    DroppedView,
    EvidenceView,
    NoticeView,
    SearchView,
    SentenceView,
    Shape,
    SideView,
    VerdictView,
    taken,
)

__all__ = ["SHAPES", "AnswerView", "search_view", "view"]

SHAPES: Mapping[Label, tuple[Shape, str]] = {
    "supported": ("check", "✓"),
    "partly": ("half", "◐"),
    "contradicted": ("cross", "✗"),
    "quoted": ("quote", "❝"),
    "related": ("wave", "≈"),
    "not found": ("gap", "∅"),
    "not judged": ("ring", "○"),
    "unverified": ("alert", "!"),
    "given": ("dot", "·"),
}
"""The shape of each label, and the same as one character."""


def view(answer: Answer) -> AnswerView:
    """An answer as it is shown. The words are those of `medground ask`."""
    quotes = Quotes(answer)
    groups = written_sentences(answer)
    return AnswerView(
        trace_id=answer.trace_id,
        id=answer.id,
        question=joined(answer.question.text),
        task=answer.question.task,
        options=tuple(Option(letter=o.letter, text=joined(o.text)) for o in answer.question.options),
        follows=answer.question.follows.answer if answer.question.follows else None,
        read_as=phrases.read_as(answer.question.follows, answer.question.text) if answer.question.follows else "",
        context=phrases.context(answer.question.context, whole=True) if answer.question.context else "",
        recipe=answer.recipe,
        models=tuple(phrases.models(answer)),
        corpora=tuple(dict.fromkeys(snapshot.name for snapshot in answer.snapshots)),
        created=answer.created,
        notice=taken(NoticeView, answer.notice) if answer.notice else None,
        status=answer.decision.status,
        value=joined(answer.decision.shown() or "") or None,
        basis=answer.decision.basis,
        probability=answer.decision.probability,
        headline=phrases.headline(answer),
        reason=phrases.reason(answer),
        support=phrases.support(answer),
        support_share=answer.support,
        rationale=clean(answer.rationale),
        sentences=tuple(_sentence(group, answer, quotes) for group in groups),
        evidence=tuple(_evidence(quote, quotes) for quote in answer.evidence),
        documents=tuple(_document(document_id, number, quotes) for document_id, number in quotes.numbers.items()),
        conflicts_heading=phrases.conflicts_heading(answer.conflicts) if answer.conflicts else "",
        conflicts=tuple(map(_conflict, answer.conflicts)),
        facts=tuple(fact_view(e, quotes.documents[e.document_id]) for e in answer.evidence if e.origin == "graph"),
        searches=tuple(map(search_view, answer.searches)),
        dropped=tuple(DroppedView(text=joined(d.text), reason=sentence(d.reason)) for d in answer.dropped),
        notes=_texts(notes(answer)),
        details=_texts(block for block in detail_notes(answer) if block.kind == "note"),
        cost=phrases.cost(answer),
        usage=answer.usage,
        report=report_view(answer, groups) if answer.report is not None else None,
        stopped=sentence(answer.stopped) if answer.stopped else "",
    )


def _sentence(group: Sequence[Statement], answer: Answer, quotes: Quotes) -> SentenceView:
    start, end = group[0].start, group[-1].end
    return SentenceView(
        text=clean(answer.rationale[start:end]),
        start=start,
        end=end,
        citations=tuple(dict.fromkeys(one for statement in group for one in statement.evidence)),
        web=quotes.are_web(group[0].evidence),
        section=_section(start, end, answer),
        verdicts=tuple(_verdict(statement, quotes) for statement in group),
    )


def _section(start: int, end: int, answer: Answer) -> int | None:
    sections = answer.report.sections if answer.report is not None else ()
    return next((n for n, section in enumerate(sections) if section.start <= start and end <= section.end), None)


def _verdict(statement: Statement, quotes: Quotes) -> VerdictView:
    shape, glyph = SHAPES[statement.verdict.label]
    return VerdictView(
        text=clean(statement.text),
        label=statement.verdict.label,
        shape=shape,
        glyph=glyph,
        style=STYLES[statement.verdict.label],
        words=said_of(statement, quotes),
        deciding=deciding(statement),
        category=verdict_words.category(statement.verdict),
    )


def _evidence(quote: Evidence, quotes: Quotes) -> EvidenceView:
    return taken(
        EvidenceView,
        quote,
        quote=clean(quote.quote),
        place=clean(", ".join(quotes.place(quote.id))),
        study=references.study(quotes.documents[quote.document_id]),
    )


def _document(document_id: str, number: int, quotes: Quotes) -> DocumentView:
    document = quotes.documents[document_id]
    return taken(
        DocumentView,
        document,
        number=number,
        title=joined(document.title) or document_id,
        journal=joined(document.journal or ""),
        authors=tuple(map(joined, document.authors)),
        design=source_facts.design(document),
        aside=why_aside(document) or "",
        retraction_words=source_facts.state(document),
        cautions=tuple(map(joined, document.cautions)),
        url=source_facts.web_address(document),
        reference=references.bibliography(document),
        licence=references.terms(document),
        source=joined(document.source),
        evidence=tuple(evidence.id for evidence in quotes.of(document_id)),
    )


def _conflict(conflict: Conflict) -> ConflictView:
    return ConflictView(
        about=joined(conflict.about),
        words=phrases.disagreement(conflict),
        found_by_model=conflict.found_by_model,
        sides=tuple(
            SideView(name=phrases.side(side, number), stance=side.stance, evidence=side.evidence)
            for number, side in enumerate(conflict.sides, start=1)
        ),
    )


def search_view(search: Search) -> SearchView:
    """A search as it is shown."""
    failed = search.status == "failed"
    return taken(
        SearchView,
        search,
        source=clean(search.source),
        name=phrases.source(search),
        query=clean(search.query),
        words=sentence(failure(search) if failed else phrases.results(search, search.hits)),
    )


def _texts(blocks: Iterable[Block]) -> tuple[str, ...]:
    """The text of each block."""
    return tuple(joined(block.text) for block in blocks if block.lines)
