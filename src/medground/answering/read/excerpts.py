"""What a model is shown of many documents within a budget: first what each of them found, then what answers best."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from medground.answering.read.reading_list import Reading, named, share_of
from medground.answering.run import Run
from medground.language import words
from medground.language.quoting.leading import is_quotable, reports_result
from medground.language.sentences import ROW
from medground.models.operators.base import SentencedPassage, SentenceView

TOKENS, OF_LOCAL = 6_000, 600
"""Tokens of excerpts for a served model, and for `local`. Of 137 relevant papers of Cochrane reviews that a search
finds, 600 tokens show the conclusion of 65, and 6,000 that of 131."""
_CHARACTERS = 4
"""Characters of a token."""
_OF_CONTEXT = 0.6
"""Share of a model's context that excerpts may fill."""
_FEWEST = 3
"""Minimum words of a sentence: fewer are left of one that a page or a cut broke."""
_LAST = 2
"""Sentences at the end of an abstract that are shown whatever their words: its conclusion is one of them."""


@dataclass(frozen=True)
class Excerpts:
    """What is shown of documents.

    Attributes:
        passages: the documents, each with some of its sentences in text order.
        read: ids of the documents that are shown whole or with a result.
        whole: ids of the documents that are shown whole.
    """

    passages: tuple[SentencedPassage, ...]
    read: tuple[str, ...]
    whole: tuple[str, ...]


def excerpts(
    readings: Sequence[Reading],
    run: Run,
    *,
    budget: int,
    known: Sequence[SentencedPassage],
    seen: Collection[str],
) -> Excerpts:
    """The sentences of these documents, best first, that fit into `budget` characters.

    First comes the conclusion of each document, then its strongest sentence, then its results, then any other, the
    strongest first.

    Args:
        known: documents with sentences that were cited before; they are shown in any case.
        seen: ids of sentences that were shown before; others come before them.
    """
    documents = {one.id: one for one in _sentenced(readings, run)}
    given = {one.id: one for one in known}
    shown = {sentence.id: sentence for one in known for sentence in one.sentences}
    told = {_plain(sentence.text) for sentence in shown.values()}
    left = budget - sum(map(_size, shown.values()))
    ordered = list(_in_order([document.sentences for document in documents.values()]))
    for sentence in sorted(ordered, key=lambda one: one.id in seen):
        same = _plain(sentence.text)
        if same not in told and (not shown or _size(sentence) <= left):
            told.add(same)
            shown[sentence.id] = sentence
            left -= _size(sentence)
    views = [_excerpt(_joined(one, given.get(one.id)), shown, run) for one in (given | documents).values()]
    views = [view for view in views if view.sentences]
    whole = [view for view in views if view.id in documents and not view.share]
    read = [view for view in views if view in whole or any(reports_result(s.text) for s in view.sentences)]
    return Excerpts(tuple(views), tuple(one.paper for one in read), tuple(one.paper for one in whole))


def budget_of(run: Run, model: str) -> int:
    """Characters of excerpts that a model is shown."""
    given, context = run.settings.read.tokens, run.settings.server_of(model).context
    tokens = given or (OF_LOCAL if model.startswith("local") else TOKENS)
    return _CHARACTERS * (tokens if context is None else min(tokens, int(context * _OF_CONTEXT)))


def _sentenced(readings: Sequence[Reading], run: Run) -> Iterator[SentencedPassage]:
    """The documents with all their sentences of prose."""
    asked = run.asked
    for reading in readings:
        document = run.ledger.documents[reading.document_id]
        if not (passages := [passage for passage in reading.passages if run.stands(passage)]):
            continue
        view = named(document, passages, run.names, reading.strengths)
        prose = [sentence for sentence in view.sentences if is_quotable(asked, sentence.text)]
        shown = tuple(s for s in prose if ROW in s.text or len(words.tokens(s.text)) >= _FEWEST)
        yield view.replace(sentences=shown)


def _in_order(documents: Sequence[Sequence[SentenceView]]) -> Iterator[SentenceView]:
    """All sentences in the order in which they are shown as long as there is room."""
    ends = [document[-_LAST:] for document in documents]
    results = [[s for s in document if reports_result(s.text)] for document in documents]
    yield from (s[-1] for s in results if s)
    yield from (min(document, key=_weakness) for document in documents if document)
    yield from chain.from_iterable(ends)
    yield from sorted(chain.from_iterable(results), key=_weakness)
    yield from sorted(chain.from_iterable(documents), key=_weakness)


def _weakness(sentence: SentenceView) -> float:
    return float("inf") if sentence.strength is None else -sentence.strength


def _plain(text: str) -> tuple[str, ...]:
    return tuple(words.tokens(text))


def _size(sentence: SentenceView) -> int:
    return len(sentence.id) + 1 + len(sentence.text)


def _joined(passage: SentencedPassage, known: SentencedPassage | None) -> SentencedPassage:
    """A document with the sentences that are known of it."""
    if known is None:
        return passage
    every = {sentence.id: sentence for sentence in (*known.sentences, *passage.sentences)}
    return passage.replace(sentences=tuple(every.values()))


def _excerpt(passage: SentencedPassage, shown: dict[str, SentenceView], run: Run) -> SentencedPassage:
    """Those of its sentences that are shown, in text order, with their share of the document."""
    chosen = sorted(
        (sentence for sentence in passage.sentences if sentence.id in shown),
        key=lambda sentence: run.names[sentence.id][1:],
    )
    told = share_of(chosen, run.ledger.documents[passage.paper])
    if not told and len(chosen) < len(passage.sentences):
        told = "nearly all of the text"
    return passage.replace(sentences=tuple(chosen), share=told)
