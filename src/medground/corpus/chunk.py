"""Cut a document into passages at sentence boundaries."""

import re
from collections.abc import Iterable, Iterator

from medground.errors import UsageError
from medground.language.sentences import Span, sentence_spans
from medground.values.document import Document, Passage

_VISIBLE = re.compile(r"\S")
_LINE = re.compile(r"\S(?:[^\n]*\S)?")


def chunk(document: Document, limit: int = 1000) -> Iterator[Passage]:
    """Passages of at most `limit` characters, each within one section and with as many whole sentences as fit.

    Every character that is not white space is in exactly one passage. Only a sentence longer than `limit` is cut, at
    white space if it has any. UsageError if the limit is below 1.
    """
    yield from (document.passage(*place) for place in cuts(document, limit))


def cuts(document: Document, limit: int) -> Iterator[tuple[int, int, str | None]]:
    """Start, end and section of each passage, as `chunk` makes them."""
    if limit < 1:
        raise UsageError(f"the passage limit must be at least 1 character, not {limit}")
    for start, end, label in _regions(document):
        yield from ((first, last, label) for first, last in _passages(document, start, end, limit))


def region(document: Document, start: int, end: int, label: str | None, limit: int = 1000) -> Iterator[Passage]:
    """The passages of a slice of a document that is in the section `label`, or in none; as in `chunk`."""
    for first, last in _passages(document, start, end, limit):
        yield document.passage(first, last, label)


def _passages(document: Document, start: int, end: int, limit: int) -> Iterator[Span]:
    """Start and end of each passage of one region."""
    text = document.text[start:end]
    first, last = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
    if last - first <= limit:  # most sections are this short, and finding sentences is the slow part
        if first < last:
            yield first, last
        return
    # Each line of a graph document states one relation, so it counts as a sentence.
    spans = [line.span() for line in _LINE.finditer(text)] if document.kind == "graph" else sentence_spans(text)
    sentences = ((start + low, start + high) for low, high in spans)
    yield from _fill(_pieces(document.text, sentences, limit), limit)


def _regions(document: Document) -> Iterator[tuple[int, int, str | None]]:
    """The sections, and the text between them that belongs to no section."""
    position = 0
    for section in document.sections:
        yield position, section.start, None
        yield section.start, section.end, section.label
        position = section.end
    yield position, len(document.text), None


def _pieces(text: str, sentences: Iterable[Span], limit: int) -> Iterator[Span]:
    """The sentences, with those longer than `limit` cut into pieces: at white space, if they have any."""
    for start, end in sentences:
        while end - start > limit:
            cut = next((at for at in range(start + limit, start, -1) if text[at].isspace()), start + limit)
            yield start, start + len(text[start:cut].rstrip())
            start = next(_VISIBLE.finditer(text, cut, end)).start()
        yield start, end


def _fill(sentences: Iterable[Span], limit: int) -> Iterator[Span]:
    """Join neighbouring sentences as long as they fit."""
    start = end = -1
    for first, last in sentences:
        if start >= 0 and last - start <= limit:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end
