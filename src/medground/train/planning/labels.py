"""Other signals for a query's label: those of the supervised baselines.

Source: Omni-RAG, appendix D.3. Trainable planning: whether a reader answers better with what the query found. RaFe
planning: whether a reranker scores it at 2.3 or more.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from medground.document import Passage
from medground.errors import ConfigError
from medground.evaluate.metrics.rouge import rouge_l
from medground.operators.answering import RecallInput, recall
from medground.operators.reasoning import ReasonInput, reason_or_recall
from medground.operators.views import SentencedPassage, SentenceView
from medground.rank.rerank import open_reranker
from medground.run import Run
from medground.text.sentences import sentence_spans
from medground.train.planning.values import Explored, Piece

LabelMethod = Literal["judge", "gain", "rerank"]
METHODS: tuple[LabelMethod, ...] = get_args(LabelMethod)
RERANK_THRESHOLD = 2.3
"""Minimum mean score of a positive query's passages (appendix D.3), in log-odds, the scale of a cross-encoder."""
_CERTAIN = 1e-6


@dataclass(frozen=True)
class Labelled:
    """Whether a query is positive, why, and the measured value if there is one."""

    positive: bool
    why: str
    score: float | None = None


async def gain(explored: Explored, pieces: Sequence[Piece], run: Run) -> Labelled:
    """Positive if the reader answers better with the passages than without any (trainable planning).

    Closed questions are compared by their answer, right or wrong; open ones by ROUGE-L against the reference. The
    answer without passages is the same for all queries of a question, and comes from the cache of calls.

    Raises:
        ConfigError: no model reads, so there is no answer to compare.
        ModelFailed: the reader gave no usable answer.
    """
    if not run.answerer(reason_or_recall).is_model or not run.answerer(recall).is_model:
        raise ConfigError("labels by gain need a model that answers questions; name one with --model")
    asked, question = explored.question, run.question
    alone = await run.ask(recall, RecallInput(question=question.text, task=question.task, options=question.options))
    read = await run.ask(
        reason_or_recall,
        ReasonInput(question=question.text, task=question.task, options=question.options, passages=_sentenced(pieces)),
    )
    if asked.gold:
        before, after = float(set(alone.answer) == set(asked.gold)), float(set(read.answer) == set(asked.gold))
        return Labelled(after > before, f"accuracy {before:.0f} without, {after:.0f} with the passages", after - before)
    before = rouge_l(" ".join(sentence.text for sentence in alone.sentences), asked.reference).f1
    after = rouge_l(" ".join(claim.text for claim in read.claims), asked.reference).f1
    why = f"ROUGE-L {before:.3f} without, {after:.3f} with the passages"
    return Labelled(after > before, why, round(after - before, 4))


async def rerank_score(explored: Explored, pieces: Sequence[Piece], run: Run) -> Labelled:
    """Positive if the passages' mean rerank score with the question is at least 2.3 (RaFe planning).

    Raises:
        ConfigError: the settings name no reranker, or it cannot be opened.
    """
    reranker = await asyncio.to_thread(open_reranker, run.settings.retrieval.reranker, run.settings.home / "models")
    if reranker is None:
        raise ConfigError("labels by rerank need a reranker; name one with --set retrieval.reranker=NAME")
    scores = await asyncio.to_thread(reranker.score, explored.question.text, [_passage(piece) for piece in pieces])
    mean = math.fsum(map(log_odds, scores)) / len(scores)
    return Labelled(mean >= RERANK_THRESHOLD, f"{reranker.name}: mean rerank score {mean:.2f}", round(mean, 4))


def log_odds(score: float) -> float:
    """The log-odds of a score from 0 to 1: what a cross-encoder gives before it is mapped to 0 to 1."""
    kept = min(max(score, _CERTAIN), 1 - _CERTAIN)
    return math.log(kept / (1 - kept))


LABELLERS: Mapping[str, Callable[[Explored, Sequence[Piece], Run], Awaitable[Labelled]]] = {
    "gain": gain,
    "rerank": rerank_score,
}


def _passage(piece: Piece) -> Passage:
    return Passage(
        document_id=piece.document_id,
        start=piece.start,
        end=piece.end,
        text=piece.text,
        title=piece.title,
        kind=piece.kind,
    )


def _sentenced(pieces: Sequence[Piece]) -> tuple[SentencedPassage, ...]:
    return tuple(
        SentencedPassage(
            id=f"P{number}",
            title=piece.title,
            sentences=tuple(
                SentenceView(id=f"P{number}.S{at}", text=piece.text[start:end])
                for at, (start, end) in enumerate(sentence_spans(piece.text), start=1)
            ),
        )
        for number, piece in enumerate(pieces, start=1)
    )
