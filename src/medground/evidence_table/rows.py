"""The studies of an answer as rows, from the answer alone."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Answer, SourceDocument
from medground.document import SourceKind
from medground.evidence import Evidence, Stance
from medground.evidence_table.values import Row, RowQuote, RowVerdict
from medground.rank.design import design_level
from medground.rank.source_facts import address, design, is_web_address, state
from medground.retraction import why_aside
from medground.text.clean import clean
from medground.verify.verdict_words import verdict

_NO_STUDY: tuple[SourceKind, ...] = ("graph", "protein")
"""Records of a database: relations and entries, not studies."""


def rows_of(answer: Answer) -> tuple[Row, ...]:
    """A row for each document that the answer quotes, in the order of its documents.

    Entries of a graph or a protein database are no studies and have no row.
    """
    quoted: dict[str, list[Evidence]] = {}
    for evidence in answer.evidence:
        quoted.setdefault(evidence.document_id, []).append(evidence)
    return tuple(
        _row(answer, document, quoted[document.id])
        for document in answer.documents
        if document.id in quoted and document.kind not in _NO_STUDY
    )


def _row(answer: Answer, document: SourceDocument, quotes: Sequence[Evidence]) -> Row:
    link = address(document)
    return Row(
        document_id=document.id,
        title=clean(document.title) or document.id,
        year=document.year,
        journal=document.journal and clean(document.journal),
        design=design(document),
        level=design_level(document.publication_types),
        kind=document.kind,
        retraction=document.retraction,
        retraction_words=state(document),
        aside=why_aside(document) or "",
        url=link if is_web_address(link) else "",
        quotes=tuple(_quote(one) for one in quotes),
        stance=together([one.stance for one in quotes]),
        verdicts=_verdicts(answer, {one.id for one in quotes}),
    )


def _quote(one: Evidence) -> RowQuote:
    place = [clean(one.section) if one.section else "", f"page {one.page}" if one.page else ""]
    return RowQuote(
        id=one.id,
        start=one.start,
        end=one.end,
        quote=one.quote,
        place=", ".join(filter(None, place)),
        stance=one.stance,
    )


def _verdicts(answer: Answer, own: set[str]) -> tuple[RowVerdict, ...]:
    return tuple(
        RowVerdict(sentence=statement.text, label=statement.verdict.label, words=verdict(statement.verdict))
        for statement in answer.statements
        if own.intersection(statement.evidence) or statement.verdict.best in own
    )


def together(stances: Sequence[Stance]) -> Stance:
    """The stance of a study from those of its quotes: both for and against is mixed; quotes without one say nothing."""
    told = {stance for stance in stances if stance != "unknown"}
    if len(told) > 1:
        return "mixed"
    return next(iter(told), "unknown")
