"""Split written sentences into statements, each of which is checked separately.

Source: Reason and Verify, section 3.4: sentence boundaries, then clause markers and list delimiters (`clauses`). The
split is deterministic, so people, models and rules annotate the same units.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from medground.evidence import Evidence
from medground.sentence import Sentence
from medground.text.brackets import asides
from medground.text.sentences import Span, sentence_spans
from medground.verify.clauses import clause_spans

_CITED = r"\[(?:E\d+|\d+|[A-Za-z]{2,12}:\s?[\w.:/-]+)(?:\s*[,;–-]\s*(?:E?\d+|[A-Za-z]{2,12}:\s?[\w.:/-]+)){0,20}\]"
_CITATIONS = re.compile(rf"(?:{_CITED}[\s.]*)+")
_FULL_STOP = re.compile(r"[。！？｡।۔؟]+[”」』）\"]*")
_LABEL = re.compile(r"\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)]|[-*•–]|(?:yes|no|maybe)[.,!]?", re.IGNORECASE)


def segment(text: str) -> tuple[Span, ...]:
    """Spans `(start, end)` of the statements of a text, in code points.

    They are in order, do not overlap and cover everything except the white space between them.
    """
    return tuple(
        (start + first, start + last)
        for start, end in written_sentences(text)
        for first, last in clause_spans(text[start:end])
    )


def written_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a rationale: those of `sentence_spans`, also split at the full stops of other scripts.

    A sentence does not end inside brackets or quotes, after a lone list number or a lone `Yes.` (these belong to the
    text after them), or before citation marks (these belong to the text before them).
    """
    inside = asides(text)
    starts = [start for start, _ in inside]
    found: list[Span] = []
    for start, end in _sentences(text):
        place = bisect_right(starts, start - 1) - 1
        if found and ((place >= 0 and start < inside[place][1]) or _LABEL.fullmatch(text, *found[-1]) is not None):
            found[-1] = (found[-1][0], end)
            continue
        if found and (marks := _CITATIONS.match(text, start, end)):
            found[-1] = (found[-1][0], start + len(marks[0].rstrip()))
            start = marks.end()
        if start < end:
            found.append((start, end))
    return found


def _sentences(text: str) -> Iterator[Span]:
    for start, end in sentence_spans(text):
        first = start
        for stop in _FULL_STOP.finditer(text, start, end):
            yield first, stop.end()
            first = stop.end()
            while first < end and text[first].isspace():
                first += 1
        if first < end:
            yield first, end


def statements(written: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """Split written sentences into statements; each keeps the citations and the text of its sentence.

    A sentence that repeats a cited quote verbatim stays whole, so that it can be compared with that quote. Statements
    are returned unchanged.
    """
    quotes = {quote.id: " ".join(quote.quote.split()) for quote in evidence}
    found: list[Sentence] = []
    for text in written:
        if text.within or any(quotes.get(e) == " ".join(text.text.split()) for e in text.evidence):
            found.append(text)
            continue
        for start, end in written_sentences(text.text):
            found += _parts(text.model_copy(update={"text": text.text[start:end]}))
    return tuple(found)


def _parts(sentence: Sentence) -> list[Sentence]:
    spans = clause_spans(sentence.text)
    if len(spans) < 2:
        return [sentence]
    return [
        Sentence(text=sentence.text[start:end], evidence=sentence.evidence, within=sentence.text, start=start)
        for start, end in spans
    ]
