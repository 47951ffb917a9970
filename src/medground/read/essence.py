"""The parts of a paper in which it says what it found, whether or not the search hit them.

A search finds the passages that share words with the question. The sentence that answers it is often elsewhere: in the
conclusion, which names the finding and not the question's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from medground.corpus.chunk import chunk, region
from medground.document import Document, Passage
from medground.quoting.sections import NAMES, parts
from medground.read.order import Reading

SHORT = 4_000
"""Characters: a text of at most this length, such as an abstract, is read whole."""
_ABSTRACT, _CONCLUSION = NAMES.index("abstract"), NAMES.index("conclusion")


def with_findings(readings: Sequence[Reading], documents: Mapping[str, Document]) -> list[Reading]:
    """The readings, each with the passages of its document's abstract and conclusion beside those that were found."""
    return [_filled(reading, documents.get(reading.document_id)) for reading in readings]


def _filled(reading: Reading, document: Document | None) -> Reading:
    if document is None or any(document.text[p.start : p.end] != p.text for p in reading.passages):
        return reading
    taken = [(p.start, p.end) for p in reading.passages]
    if sum(end - start for start, end in taken) >= len(document.text.strip()):
        return reading
    fresh = [p for p in _findings(document) if all(p.end <= start or end <= p.start for start, end in taken)]
    return replace(reading, passages=(*reading.passages, *fresh))


def _findings(document: Document) -> Iterator[Passage]:
    if len(document.text) <= SHORT:
        yield from chunk(document)
        return
    for section in document.sections:
        named = parts(section.label)
        if named[_ABSTRACT] or named[_CONCLUSION]:
            yield from region(document, section.start, section.end, section.label)
