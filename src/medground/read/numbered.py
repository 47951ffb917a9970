"""Number the sentences of passages, so that a model answers with ids and every quote is verbatim by construction."""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Document, Passage
from medground.operators.views import SentencedPassage, SentenceView
from medground.text.sentences import sentence_spans

TextSpan = tuple[str, int, int]
"""Document id and the offsets of a sentence in its text."""


def numbered(
    key: str, document: Document, passages: Sequence[Passage], places: dict[str, TextSpan]
) -> SentencedPassage:
    """Passages of one document as sentences `KEY.S1`, `KEY.S2`, ... in text order.

    Records the position of each sentence in `places`.
    """
    sentences: list[SentenceView] = []
    for passage in sorted(passages, key=lambda p: p.start):
        for start, end in sentence_spans(passage.text):
            sentence = f"{key}.S{len(sentences) + 1}"
            places[sentence] = (document.id, passage.start + start, passage.start + end)
            sentences.append(SentenceView(id=sentence, text=passage.text[start:end]))
    return SentencedPassage(id=key, title=document.title, section=passages[0].section or "", sentences=tuple(sentences))
