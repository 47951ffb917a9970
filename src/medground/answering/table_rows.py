"""The studies of an answer as rows of a table: each cell a verbatim quote, `not reported`, or `failed` with why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from medground.answering.captions import design, state, verdict, web_address
from medground.answering.declaration import Declaration
from medground.answering.evidence_table import (
    Agreement,
    Cell,
    DesignCount,
    EvidenceTable,
    Row,
    RowQuote,
    RowVerdict,
    checked_columns,
)
from medground.answering.read.reading_list import spans
from medground.answering.run import Run
from medground.answering.verify.rationale import one_stance
from medground.corpus.design import design_level
from medground.corpus.retraction import why_aside
from medground.errors import BudgetExhausted, MedgroundError, ModelFailed, SourceUnavailable
from medground.home.concurrency import concurrently
from medground.language.clean import clean, some
from medground.language.sentences import Span
from medground.models.operators.reading import extract
from medground.models.operators.tabulating import NOT_REPORTED, ColumnView, StudySentence, TabulateInput, tabulate
from medground.values.answer import Answer, SourceDocument
from medground.values.document import Document, SourceKind
from medground.values.evidence import Evidence
from medground.values.grouping import grouped
from medground.values.usage import Author


@dataclass(frozen=True)
class Study:
    """A document with the places of its sentences, by their ids."""

    document: Document
    places: dict[str, Span]

    @classmethod
    def from_document(cls, document: Document) -> Study:
        """Its sentences as S1, S2, ... A heading ends a sentence, as in an abstract that is one paragraph."""
        text = document.text
        edges = sorted({0, len(text), *(edge for s in document.sections for edge in (s.start, s.end))})
        places: dict[str, Span] = {}
        for first, last in pairwise(edges):
            for start, end in spans(text[first:last]):
                places[f"S{len(places) + 1}"] = (first + start, first + end)
        return cls(document, places)

    def sentences(self) -> tuple[StudySentence, ...]:
        """Its sentences with the headings over them."""
        return tuple(
            StudySentence(id=name, heading=self.document.section_at(start) or "", text=self.document.text[start:end])
            for name, (start, end) in self.places.items()
        )


FEWEST = 5
"""Studies from which on agreement is shown: of fewer, a share says little."""
NOT_STATED = "design not stated"


def agreement_of(answer: Answer, rows: Sequence[Row]) -> Agreement | None:
    """The counts by design, the strongest design first; None below `FEWEST` studies that are not retracted."""
    counted = [row for row in rows if not row.aside]
    if len(counted) < FEWEST:
        return None
    groups = grouped(((row.level, row.design or NOT_STATED), row.stance) for row in counted)
    designs = tuple(
        DesignCount(
            design=design,
            level=level,
            studies=len(stances),
            supports=stances.count("supports"),
            contradicts=stances.count("contradicts"),
            neither=stances.count("mixed"),
            not_judged=stances.count("unknown"),
        )
        for (level, design), stances in sorted(groups.items())
    )
    return Agreement(
        designs=designs,
        studies=len(counted),
        retracted=len(rows) - len(counted),
        words=_words(answer, designs, len(counted), len(rows) - len(counted)),
    )


def _words(answer: Answer, designs: Sequence[DesignCount], studies: int, retracted: int) -> str:
    aside = f" {some(retracted, 'retracted study is', 'retracted studies are')} not counted." if retracted else ""
    unjudged = sum(one.not_judged for one in designs)
    if unjudged == studies:
        return f"None of the {studies} studies was judged for or against: no model read them.{aside}"
    reader = answer.models.get(extract.name, "")
    who = clean(reader) if reader and Author(reader).is_model else "a model"
    yes, no, neither = (sum(getattr(one, name) for one in designs) for name in ("supports", "contradicts", "neither"))
    said = [
        f"{yes} {'supports' if yes == 1 else 'support'} a yes",
        f"{no} {'contradicts' if no == 1 else 'contradict'} it",
        f"{neither} {'does' if neither == 1 else 'do'} neither",
        f"and {unjudged} {'was' if unjudged == 1 else 'were'} not judged",
    ]
    return (
        f"Of {studies} studies, {', '.join(said)}, as read by {who}; "
        f"no validated judge has checked these stances.{aside}"
    )


_NO_STUDY: tuple[SourceKind, ...] = ("graph", "protein")
"""Records of a database: relations and entries, not studies."""


def rows_of(answer: Answer) -> tuple[Row, ...]:
    """A row for each document that the answer quotes, in the order of its documents.

    Entries of a graph or a protein database are not studies and have no row.
    """
    quoted = grouped((evidence.document_id, evidence) for evidence in answer.evidence)
    return tuple(
        _row(answer, document, quoted[document.id])
        for document in answer.documents
        if document.id in quoted and document.kind not in _NO_STUDY
    )


def _row(answer: Answer, document: SourceDocument, quotes: Sequence[Evidence]) -> Row:
    own = {quote.id for quote in quotes}
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
        url=web_address(document),
        quotes=tuple(
            RowQuote(
                **{name: getattr(quote, name) for name in ("id", "start", "end", "quote", "stance")},
                place=", ".join(filter(None, [clean(quote.section or ""), f"page {quote.page}" if quote.page else ""])),
            )
            for quote in quotes
        ),
        stance=one_stance(quote.stance for quote in quotes),
        verdicts=tuple(
            RowVerdict(sentence=statement.text, label=statement.verdict.label, words=verdict(statement.verdict))
            for statement in answer.statements
            if own.intersection(statement.evidence) or statement.verdict.best in own
        ),
    )


TABLE = Declaration(name="evidence table", operators=(tabulate,))
SENTENCES = 150
"""Sentences of a study that are shown at once; a longer one is read in parts, until every column has its quote."""


async def evidence_table(answer: Answer, columns: Sequence[str], run: Run) -> EvidenceTable:
    """The table of an answer. What fails is in its cells; columns cost what their operator costs.

    Raises UsageError: too many columns, or a name that cannot be used.
    """
    names = checked_columns(columns)
    rows = rows_of(answer)
    if names and rows:
        why = await _retrieved([row.document_id for row in rows], run)
        rows = tuple(await concurrently(_filled(row, names, why, run) for row in rows))
    return EvidenceTable(
        trace_id=answer.trace_id,
        question=answer.question.text,
        columns=names,
        compared=tuple(run.asked.comparison.said) if run.asked.comparison else (),
        rows=rows,
        agreement=agreement_of(answer, rows),
        notes=tuple(run.warnings),
        usage=run.report(),
    )


async def _retrieved(ids: Sequence[str], run: Run) -> str:
    """Fetch the documents; why those that are missing then are not there."""
    try:
        await run.retrieve(ids)
    except SourceUnavailable as error:
        return f"a source could not be searched: {error.reason}"
    except MedgroundError as error:
        return f"it could not be read: {error}"
    return "no longer in any of the sources searched"


async def _filled(row: Row, names: Sequence[str], why: str, run: Run) -> Row:
    document = run.ledger.documents.get(row.document_id)
    reason = why if document is None else _unusable(row, Study.from_document(document))
    if document is None or reason:
        return row.replace(cells=tuple(_failed(row.document_id, reason) for _ in names))
    return row.replace(cells=await _cells(Study.from_document(document), names, run))


def _unusable(row: Row, study: Study) -> str:
    """Why a study cannot be read for a table; empty if it can."""
    text = study.document.text
    if any(text[quote.start : quote.end] != quote.quote for quote in row.quotes):
        return "its text has changed since this answer; ask the question again"
    return "only its title is stored" if text.split() == study.document.title.split() else ""


async def _cells(study: Study, names: Sequence[str], run: Run) -> tuple[Cell, ...]:
    """The cells of one study. Of a long one, later parts are read for the columns that the earlier ones do not fill."""
    by = run.answerer(tabulate)
    sentences = study.sentences()
    found: dict[str, Cell] = {}
    step = SENTENCES if by.is_model else len(sentences)
    for first in range(0, len(sentences), max(step, 1)):
        left = {f"C{n}": name for n, name in enumerate(names, start=1) if f"C{n}" not in found}
        if not left:
            break
        views = tuple(ColumnView(id=key, name=name) for key, name in left.items())
        part = sentences[first : first + step]
        try:
            output = await run.ask(tabulate, TabulateInput(columns=views, title=study.document.title, sentences=part))
        except (ModelFailed, BudgetExhausted) as error:
            found |= {key: _failed(study.document.id, str(error)) for key in left}
            break
        told = [cell for cell in output.cells if cell.sentence != NOT_REPORTED]
        found |= {cell.column: _quoted(study, cell.sentence, by) for cell in told}
    read = f"read: {some(len(sentences), 'sentence')}"
    empty = Cell(state="not reported", document_id=study.document.id, by=by.name, reason=read)
    return tuple(found.get(f"C{n}", empty) for n in range(1, len(names) + 1))


def _quoted(study: Study, sentence: str, by: Author) -> Cell:
    (start, end), document = study.places[sentence], study.document
    return Cell(
        state="quoted",
        document_id=document.id,
        start=start,
        end=end,
        quote=document.text[start:end],
        section=document.section_at(start),
        by=by.name,
    )


def _failed(document_id: str, reason: str) -> Cell:
    return Cell(state="failed", document_id=document_id, reason=reason)
