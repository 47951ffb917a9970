"""Algorithm 2 over documents: which to read, what to quote, and whether that suffices (Eq. 12 to 15)."""

from collections.abc import Mapping, Sequence

from medground.answering.read.evidence import described, evidence_views, quote_span
from medground.answering.read.reading_list import Reading, named, reading_list
from medground.answering.run import Run
from medground.answering.verify.named import remark
from medground.language.question_reading import Asked
from medground.language.quoting.leading import introduces
from medground.models.operators.base import PassageView
from medground.models.operators.reading import (
    Extracted,
    ExtractInput,
    ScreenInput,
    SufficientInput,
    SufficientOutput,
    UnreadView,
    extract,
    screen,
    sufficient,
)
from medground.values.document import Hit
from medground.values.evidence import Evidence, TextSpan


async def quoted_whole(hits: Sequence[Hit], most: int, run: Run) -> list[Evidence]:
    """The passages found in the first `most` documents, each as one quote.

    Raises SourceUnavailable: a document could not be fetched.
    """
    readings = reading_list([hit for hit in hits if hit.passage.text.strip()], most)
    await run.retrieve([reading.document_id for reading in readings])
    return [
        run.ledger.quote(passage.document_id, passage.start, passage.end, rank=reading.rank)
        for reading in readings
        for passage in reading.passages
        if run.stands(passage)
    ]


async def screen_batch(asked: Asked, batch: Sequence[Reading], run: Run) -> list[Reading]:
    """The documents of a batch that could help, in reading order (Eq. 12)."""
    by_id = {f"P{number}": reading for number, reading in enumerate(batch, start=1)}
    views = tuple(
        PassageView(
            id=key,
            **described(reading.passages[0]),
            text="\n".join(p.text for p in reading.found or reading.passages),
            nearness=reading.nearness,
        )
        for key, reading in by_id.items()
    )
    value = ScreenInput(question=asked.text, passages=views)
    output = await run.ask_for_part(screen, value, f"which of {len(views)} documents to read")
    kept = set(output.relevant)
    return [reading for key, reading in by_id.items() if key in kept]


async def extract_evidence(asked: Asked, readings: Sequence[Reading], run: Run) -> list[Evidence]:
    """Quote these documents and add the quotes to the ledger (Eq. 13 and 14).

    Raises ModelFailed: the model returned no usable output; UnknownCitation: a reading's document was not retrieved.
    """
    places = run.names
    ranks = {reading.document_id: reading.rank for reading in readings}
    verbatim = [(reading, [p for p in reading.passages if run.stands(p)]) for reading in readings]
    views = tuple(
        named(run.ledger.documents[reading.document_id], passages, run.names, reading.strengths)
        for reading, passages in verbatim
        if passages
    )
    views = tuple(view for view in views if view.sentences)
    if not views:
        return []
    value = ExtractInput(question=asked.text, passages=views)
    output = await run.ask_for_part(extract, value, f"the quotes of {', '.join(view.paper for view in views)}")
    quotes: list[Evidence] = []
    texts = {reading.document_id: run.ledger.documents[reading.document_id].text for reading in readings}
    for first, last in _joined(output.sentences, places, texts):
        document, start, end = quote_span(first.sentence, last.sentence, run)
        quotes.append(run.ledger.quote(document, start, end, stance=first.stance, rank=ranks[document]))
    return list(dict.fromkeys(quotes))


def _joined(
    found: Sequence[Extracted], places: Mapping[str, TextSpan], texts: Mapping[str, str]
) -> list[tuple[Extracted, Extracted]]:
    """First and last sentence of each quote: two neighbours that are listed one after the other, or a list, are one."""
    pairs: list[tuple[Extracted, Extracted]] = []
    for one in found:
        if pairs and _follows(*pairs[-1], one, places, texts):
            pairs[-1] = (pairs[-1][0], one)
        else:
            pairs.append((one, one))
    return pairs


def _follows(
    first: Extracted, last: Extracted, after: Extracted, places: Mapping[str, TextSpan], texts: Mapping[str, str]
) -> bool:
    """Whether a sentence belongs to the quote before it, of one sentence or of a list, with which it stands together
    and says the same of the question."""
    document, begin, close = places[first.sentence]
    end, (other, start, _) = places[last.sentence][2], places[after.sentence]
    together = document == other and end <= start and not texts[document][end:start].strip()
    goes_on = first is last or introduces(texts[document][begin:close])
    return together and goes_on and last.stance == after.stance


async def coverage_check(
    asked: Asked, evidence: Sequence[Evidence], unread: Sequence[Reading], run: Run
) -> SufficientOutput:
    """Whether reading may stop; if not, what is missing, and which of the unread documents to read next (Eq. 15).

    Without evidence nobody is asked: it does not suffice. The answer tells what the last check finds missing.

    Raises ModelFailed: the model returned no usable output.
    """
    if not evidence:
        return SufficientOutput(sufficient=False)
    left = tuple(UnreadView(id=r.document_id, title=r.passages[0].title) for r in unread if r.passages)
    value = SufficientInput(question=asked.text, evidence=evidence_views(evidence, run.ledger.documents), unread=left)
    said = await run.ask_for_part(sufficient, value, "whether the quotes suffice")
    missing = "" if said.sufficient else remark(said.missing, run.ledger.documents.values(), asked.text)
    return said.replace(missing=missing)
