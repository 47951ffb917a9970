"""Split written sentences into statements, each of which is checked separately: sentences, then clauses."""

from collections.abc import Sequence

from medground.language.clauses import clause_spans, written_sentences
from medground.values.evidence import Evidence, Sentence


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
