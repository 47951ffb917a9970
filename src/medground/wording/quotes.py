"""Where each quote of an answer is printed, so that it is printed once, and the numbers of its sources."""

from __future__ import annotations

from collections.abc import Iterable

from medground.answer import Answer, SourceDocument, Statement
from medground.evidence import Evidence
from medground.wording.blocks import Line, Span
from medground.wording.references import study


class Quotes:
    """The quotes and sources of an answer.

    A quote that is itself a sentence of the answer is printed as that sentence; one on a side of a conflict is printed
    there; all others are printed under their source. Sources are numbered in the order in which they are cited.

    Args:
        answer: the answer.
    """

    def __init__(self, answer: Answer) -> None:
        self._evidence = {evidence.id: evidence for evidence in answer.evidence}
        self._printed = {e for s in answer.statements for e in s.evidence if self._is_quote(s, e)}
        cited = [e for s in answer.statements for e in cited_by(s)]
        cited += [e for conflict in answer.conflicts for side in conflict.sides for e in side.evidence]
        ids = [self._evidence[e].document_id for e in cited] + [document.id for document in answer.documents]
        self.documents: dict[str, SourceDocument] = {document.id: document for document in answer.documents}
        self.numbers = {document: number for number, document in enumerate(dict.fromkeys(ids), start=1)}

    def place(self, evidence_id: str | None) -> list[str]:
        """Where in its paper a quote is from: section and page, as far as they are known."""
        if not evidence_id:
            return []
        quote = self._evidence[evidence_id]
        section = [quote.section.lower()] if quote.section else []
        return [*section, f"p. {quote.page}"] if quote.page else section

    def are_web(self, evidence_ids: Iterable[str]) -> bool:
        """Whether all these quotes are from web pages; False for none."""
        kinds = {self.documents[self._evidence[e].document_id].kind for e in evidence_ids}
        return kinds == {"web"}

    def study(self, evidence_id: str) -> str:
        """Design, year and number of the source of a quote, in brackets."""
        document_id = self._evidence[evidence_id].document_id
        return f"({study(self.documents[document_id])}; source {self.numbers[document_id]})"

    @property
    def cited(self) -> set[str]:
        """Ids of the documents that are quoted."""
        return {evidence.document_id for evidence in self._evidence.values()}

    def of(self, document_id: str) -> list[Evidence]:
        """The quotes from one source, in the order they were taken."""
        return [evidence for evidence in self._evidence.values() if evidence.document_id == document_id]

    def is_printed(self, evidence_id: str) -> bool:
        """Whether the text of a quote has been printed."""
        return evidence_id in self._printed

    def text(self, evidence_id: str) -> str:
        """The quote in quotation marks the first time, `quoted above` after that."""
        if evidence_id in self._printed:
            return "quoted above"
        self._printed.add(evidence_id)
        return f"“{' '.join(self._evidence[evidence_id].quote.split())}”"

    def _is_quote(self, statement: Statement, evidence_id: str) -> bool:
        return statement.text.split() == self._evidence[evidence_id].quote.split()


def cited_by(statement: Statement) -> list[str]:
    """The quotes that a statement cites, and the one that decided its verdict."""
    best = statement.verdict.best
    return list(dict.fromkeys([*statement.evidence, *([best] if best else [])]))


def mark(evidence_id: str) -> Span:
    """The citation mark of a quote, which leads to its source."""
    return Span(f"[{evidence_id}]", "mark", url=f"#{evidence_id.lower()}")


def marks(evidence_ids: Iterable[str], *, anchored: bool = False) -> Line:
    """Citation marks with spaces between; those in the list of sources are what the others lead to."""
    spans: list[Span] = []
    for evidence_id in evidence_ids:
        spans += [Span(" ")] if spans else []
        spans.append(anchor(evidence_id) if anchored else mark(evidence_id))
    return tuple(spans)


def anchor(evidence_id: str) -> Span:
    """The mark of a quote in the list of sources."""
    return Span(f"[{evidence_id}]", "mark", anchor=evidence_id.lower())
