"""Number the sentences of passages, so that a model answers with ids and every quote is verbatim by construction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from medground.document import Document, Passage
from medground.operators.views import SentencedPassage, SentenceView
from medground.text.prose import is_prose
from medground.text.sentences import Span, sentence_spans

TextSpan = tuple[str, int, int]
"""Document id and the offsets of a sentence in its text."""

_POINTS_BACK = re.compile(
    r"(?:This|These|Those|Such|It|They|Its|Their|He|She|Both|The (?:former|latter))\b(?! (?:study|trial|review|"
    r"article|paper)\b)"
)
_LONGEST = 900
"""Characters of a quote of two sentences."""


def numbered(
    key: str,
    document: Document,
    passages: Sequence[Passage],
    places: dict[str, TextSpan],
    strengths: Mapping[int, float] | None = None,
) -> SentencedPassage:
    """Passages of one document as sentences `KEY.S1`, `KEY.S2`, ... in text order.

    Records the position of each sentence in `places`. `strengths` are by the offset of a sentence's start.
    """
    sentences: list[SentenceView] = []
    known = strengths or {}
    for passage in sorted(passages, key=lambda p: p.start):
        for start, end in spans(passage.text):
            sentence = f"{key}.S{len(sentences) + 1}"
            places[sentence] = (document.id, passage.start + start, passage.start + end)
            strength = known.get(passage.start + start)
            sentences.append(SentenceView(id=sentence, text=passage.text[start:end], strength=strength))
    return SentencedPassage(id=key, title=document.title, section=passages[0].section or "", sentences=tuple(sentences))


def with_antecedent(sentence: str, places: Mapping[str, TextSpan], document: Document) -> TextSpan:
    """The position of a sentence; with the sentence before it in the same paragraph if it begins with `This` or so."""
    identity, start, end = places[sentence]
    key, _, number = sentence.rpartition(".S")
    before = places.get(f"{key}.S{int(number) - 1}")
    if before is None or not _POINTS_BACK.match(document.text, start, end) or end - before[1] > _LONGEST:
        return identity, start, end
    apart = before[2] > start or document.text[before[2] : start].strip(" ")
    if apart or not is_prose(document.text[before[1] : before[2]]):
        return identity, start, end
    return identity, before[1], end


@lru_cache(maxsize=2048)
def spans(text: str) -> tuple[Span, ...]:
    """The sentences of a passage. Remembered, because a passage is weighed before it is shown."""
    return tuple(sentence_spans(text))
