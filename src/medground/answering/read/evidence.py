"""What is quoted of documents; what a paper found is read though no search hit it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medground.answering.read.readable import is_beside
from medground.answering.read.reading_list import Reading, named, with_antecedent
from medground.answering.run import Run
from medground.corpus.chunk import chunk, region
from medground.language.question_reading import Asked
from medground.language.quoting.headings import parts_of
from medground.language.quoting.leading import ITEM, cell_named
from medground.language.sentences import ROW
from medground.models.operators.base import EvidenceView
from medground.models.operators.reading import quotable_spans
from medground.values.document import Document, Passage
from medground.values.evidence import Evidence, TextSpan

SHORT = 4_000
"""Characters: a text of at most this length, such as an abstract, is read whole."""
MOST_QUOTES = 12
"""Quotes that are weighed for what is shown."""
_ROWS = 2
"""Rows of a paper's tables that are read though no search hit them."""
_ROW = re.compile(rf"(?<=\n)[^\n|]+{re.escape(ROW)}[^\n]+")
_FINDINGS = frozenset(["abstract", "conclusion"])
"""Parts of a paper that tell what it found."""


def with_findings(asked: Asked, readings: Sequence[Reading], documents: Mapping[str, Document]) -> list[Reading]:
    """The readings, each with the passages of its document's abstract and conclusion beside those that were found, and
    with the rows of its tables whose value is asked for."""
    return [_filled(asked, reading, documents.get(reading.document_id)) for reading in readings]


def _filled(asked: Asked, reading: Reading, document: Document | None) -> Reading:
    if document is None or any(document.text[p.start : p.end] != p.text for p in reading.passages):
        return reading
    taken = [(p.start, p.end) for p in reading.passages]
    if sum(end - start for start, end in taken) >= len(document.text.strip()):
        return reading
    found = (p for p in _findings(document) if not is_beside(p.section, asked))
    fresh = [
        p for p in (*found, *_rows(asked, document)) if all(p.end <= start or end <= p.start for start, end in taken)
    ]
    return replace(reading, passages=(*reading.passages, *fresh))


def _rows(asked: Asked, document: Document) -> list[Passage]:
    """The rows of its tables that a question names best, if any."""
    found = list[tuple[float, Passage]]()
    for line in _ROW.finditer(document.text):
        heading = document.section_at(line.start())
        if named := cell_named(asked, line[0], document.title, heading):
            found.append((named, document.passage(*line.span(), heading)))
    return [row for _, row in sorted(found, key=lambda one: (-one[0], one[1].start))[:_ROWS]]


def _findings(document: Document) -> Iterator[Passage]:
    if len(document.text) <= SHORT:
        yield from chunk(document)
        return
    for section in document.sections:
        if not parts_of(section.label).isdisjoint(_FINDINGS):
            yield from region(document, section.start, section.end, section.label)


def quotes_of(asked: Asked, readings: Sequence[Reading], run: Run) -> list[Evidence]:
    """The strongest quotes of judged documents, at most `MOST_QUOTES`, the strongest first."""
    places = {reading.document_id: [p for p in reading.passages if run.stands(p)] for reading in readings}
    views = [
        named(run.ledger.documents[reading.document_id], passages, run.names, reading.strengths)
        for reading in readings
        if (passages := places[reading.document_id])
    ]
    ranks = {reading.document_id: reading.rank for reading in readings}
    quotes = list[Evidence]()
    for sentences in quotable_spans(asked, views)[:MOST_QUOTES]:
        document, start, end = quote_span(sentences[0], sentences[-1], run)
        quotes.append(run.ledger.quote(document, start, end, rank=ranks[document]))
    return list(dict.fromkeys(quotes))


def quote_span(first: str, last: str, run: Run) -> TextSpan:
    """The place of a quote from one sentence to another, by their ids: without the mark of a list's item, and with the
    sentence before it where it points back."""
    document, _, end = run.names[last]
    text = run.ledger.documents[document].text
    _, start, _ = with_antecedent(first, run.names, run.ledger.documents[document])
    mark = ITEM.match(text, start, end)
    return document, mark.end() if mark else start, end


def evidence_views(evidence: Sequence[Evidence], documents: Mapping[str, Document]) -> tuple[EvidenceView, ...]:
    """Evidence as it is shown to operators."""
    return tuple(
        EvidenceView(
            id=e.id, section=e.section or "", stance=e.stance, quote=e.quote, **described(documents[e.document_id])
        )
        for e in evidence
    )


def described(paper: Passage | Document) -> dict[str, Any]:
    """What operators learn of a paper."""
    name = paper.id if isinstance(paper, Document) else paper.document_id
    return {"paper": name, "title": paper.title, "year": paper.year, "design": ", ".join(paper.publication_types)}
