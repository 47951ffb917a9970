"""The choice of quotes with a second opinion: a shipped ranker reads the sentences that word statistics put first.

The strengths of `quoting` are logarithms of how likely a sentence is the best quote, so the ranker's log-odds are added
to them, with the weight that was fitted on held-out questions (`mix` of its card).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from medground.question import Question
from medground.rank.rerank import open_reranker
from medground.rank.trained import TrainedReranker
from medground.read.order import Reading, places, with_strengths
from medground.run import Run
from medground.text.prose import is_prose

SENTENCES = 24
"""Sentences that the ranker reads, over all documents: what is further down is never quoted."""


async def weighed(question: Question, readings: Sequence[Reading], run: Run) -> list[Reading]:
    """The readings with the strengths of their sentences, by words and, if there is a measured one, by the ranker.

    A sentence that the ranker has not read gets the lowest of its log-odds, so that it overtakes none that was read.

    Raises:
        ConfigError: the reranker cannot be opened.
        ModelFailed: the ranker could not run.
    """
    found = with_strengths(question, readings)
    settings = run.settings
    ranker = await asyncio.to_thread(open_reranker, settings.retrieval.reranker, settings.home / "models")
    if not isinstance(ranker, TrainedReranker) or not ranker.card.orders_sentences:
        return found
    read = _strongest(found)
    if not read:
        return found
    texts = [(found[n].passages[0].title, text) for n, _, text in read]
    with run.trace.span("weigh sentences", reranker=ranker.name, sentences=len(texts)):
        odds = await asyncio.to_thread(ranker.log_odds, question.text, texts)
    known = {(n, start): value for (n, start, _), value in zip(read, odds, strict=True)}
    least = min(odds)
    return [
        replace(
            reading,
            strengths={
                start: strength + ranker.card.mix * known.get((n, start), least)
                for start, strength in reading.strengths.items()
            },
        )
        for n, reading in enumerate(found)
    ]


def _strongest(readings: Sequence[Reading]) -> list[tuple[int, int, str]]:
    """The strongest sentences of prose: the number of the reading, the offset in its document, the text."""
    texts = [dict(places(reading)) for reading in readings]
    ordered = sorted(
        ((-strength, n, start) for n, reading in enumerate(readings) for start, strength in reading.strengths.items())
    )
    prose = ((n, start, texts[n][start]) for _, n, start in ordered if is_prose(texts[n][start]))
    return [one for one, _ in zip(prose, range(SENTENCES), strict=False)]
