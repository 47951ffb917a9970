"""From written sentences to statements, each of which is checked by itself.

Source: Reason and Verify, section 3.4 (sentence borders; its clause markers are not applied here).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.corpus.sentences import sentence_spans
from medground.evidence import Evidence
from medground.write.draft import Sentence


def statements(written: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """The sentences of what was written, each with the citations of the text that it came from.

    A text that is a cited quote letter by letter stays whole: it is compared with that quote.
    """
    quotes = {quote.id: " ".join(quote.quote.split()) for quote in evidence}
    found: list[Sentence] = []
    for text in written:
        if any(quotes.get(e) == text.text for e in text.evidence):
            found.append(text)
        else:
            spans = sentence_spans(text.text)
            found += [Sentence(text=text.text[start:end], evidence=text.evidence) for start, end in spans]
    return tuple(found)
