"""An answer as plain values for a page, a notebook or an agent, in the words of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.graph.relation import read_line
from medground.language.clean import clean, joined, sentence
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.evidence import Evidence
from medground.values.question import Option
from medground.values.statement import Conflict, Label, Statement
from medground.wording import blocks as references
from medground.wording import phrases
from medground.wording.answer_blocks import STYLES, deciding, detail_notes, failure, notes, said_of, written_sentences
from medground.wording.blocks import Block, Quotes
from medground.wording.layout import became, connected, file_words, found_by_words, inside, order_words
from medground.wording.view_types import (
    AnswerView,
    ConflictView,
    ConnectionView,
    DocumentView,
    DroppedView,
    EvidenceView,
    FactView,
    FileView,
    NoticeView,
    ReportView,
    SearchView,
    SectionView,
    SentenceView,
    Shape,
    SideView,
    SubAnswerView,
    VerdictView,
    taken,
)


def fact_view(quote: Evidence, document: SourceDocument) -> FactView:
    """A quote from a knowledge graph as a row: its subject is the page that states it."""
    stated = read_line(clean(quote.quote))
    return FactView(
        subject=f"{clean(document.title)} ({document.id})",
        relation=clean(quote.section or ""),
        object=stated.object,
        frequency=stated.details,
        references=stated.references,
        evidence=quote.id,
    )


def report_view(answer: Answer, groups: Sequence[Sequence[Statement]]) -> ReportView | None:
    """The report of an answer; None if it is none.

    Args:
        groups: its written sentences, to which the sections refer by their places.
    """
    if (report := answer.report) is None:
        return None
    texts = {question.id: question.text for question in report.plan.subquestions}
    return ReportView(
        plan=report.plan,
        order=clean(order_words(report.plan)) if report.plan.subquestions else "",
        sections=tuple(
            taken(
                SectionView,
                section,
                title=joined(section.title),
                notes=tuple(map(joined, section.notes)),
                sentences=tuple(place for place, group in enumerate(groups) if inside(group, section)),
            )
            for section in report.sections
        ),
        subanswers=tuple(
            taken(SubAnswerView, one, text=joined(texts.get(one.id, "")), words=became(one))
            for one in report.subanswers
        ),
        connections=tuple(
            taken(ConnectionView, one, words=connected(one), found_by=found_by_words(one)) for one in report.connections
        ),
        flow=report.flow,
        files=tuple(
            taken(FileView, one, title=joined(one.title), words=file_words(one), licence=joined(one.licence))
            for one in report.attachments
        ),
        read=report.read,
    )


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
        report=report_view(answer, groups),
        stopped=sentence(answer.stopped) if answer.stopped else "",
    )


def _sentence(group: Sequence[Statement], answer: Answer, quotes: Quotes) -> SentenceView:
    start, end = group[0].start, group[-1].end
    sections = answer.report.sections if answer.report is not None else ()
    return SentenceView(
        text=clean(answer.rationale[start:end]),
        start=start,
        end=end,
        citations=tuple(dict.fromkeys(one for statement in group for one in statement.evidence)),
        web=quotes.are_web(group[0].evidence),
        section=next((place for place, section in enumerate(sections) if inside(group, section)), None),
        verdicts=tuple(_verdict(statement, quotes) for statement in group),
    )


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
        category=captions.category(statement.verdict),
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
        design=captions.design(document),
        aside=why_aside(document) or "",
        retraction_words=captions.state(document),
        cautions=tuple(map(joined, document.cautions)),
        url=captions.web_address(document),
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
