"""Where the sentences of a piece begin in its spans, so that a layout can note the page of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from medground.language.sentences import sentence_spans

from .article import Piece, Span


@dataclass
class Truth:
    """The sentences of a print, and the page of each by its number.

    Attributes:
        running: sentences of the running text.
        legends: sentences of the legends.
        sections: the section of each sentence of the running text, as the print has it.
        text: paragraphs of the running text, in order.
        pages: page of the sentence with a number, once it is drawn.
    """

    running: dict[int, str] = field(default_factory=dict)
    legends: dict[int, str] = field(default_factory=dict)
    sections: dict[int, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    pages: dict[int, int] = field(default_factory=dict)
    _next: int = 0

    def marked(self, piece: Piece) -> Iterator[Span | int]:
        """The spans of a piece, cut so that before each sentence comes its number."""
        kept = self.legends if piece.kind in ("figure", "table") else self.running
        if kept is self.running:
            self.text.append(piece.plain)
        starts = {}
        for start, end in sentence_spans(piece.plain):
            kept[self._next] = piece.plain[start:end]
            if kept is self.running:
                self.sections[self._next] = piece.section
            starts[start] = self._next
            self._next += 1
        yield from _cut(piece.spans, starts)


def _cut(spans: tuple[Span, ...], starts: dict[int, int]) -> Iterator[Span | int]:
    at = 0  # in the plain text, which the spans make up letter by letter
    for span in spans:
        if span.plain is not None:
            yield from ([starts[at]] if at in starts and span.plain else [])
            yield span
            at += len(span.plain)
            continue
        cuts = sorted(place - at for place in starts if at <= place < at + len(span.text))
        last = 0
        for cut in cuts:
            if span.text[last:cut]:
                yield Span(span.text[last:cut], span.face)
            yield starts[at + cut]
            last = cut
        if span.text[last:]:
            yield Span(span.text[last:], span.face)
        at += len(span.text)
