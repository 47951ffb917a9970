"""Whether the right documents are cited: against the documents that a data set names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from medground.evaluate.base import RunLine
from medground.evaluate.metrics.share import Mean, mean


@dataclass(frozen=True)
class DocumentCitations:
    """Cited documents against gold documents: means over questions with gold documents, 0 to 1.

    `precision` has no value for an answer that cites nothing.
    """

    precision: Mean
    recall: Mean


def document_citations(lines: Iterable[RunLine]) -> DocumentCitations:
    """Precision and recall of the documents that answers cite."""
    pairs = [({*line.cited}, {*line.gold_documents}) for line in lines if line.gold_documents]
    return DocumentCitations(
        precision=mean(len(cited & gold) / len(cited) if cited else None for cited, gold in pairs),
        recall=mean(len(cited & gold) / len(gold) for cited, gold in pairs),
    )
