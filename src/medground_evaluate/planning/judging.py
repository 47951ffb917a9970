"""Planning judging: each query is positive if what it found supports the gold answer, else negative (section 4.2.2).

A judge says so; or, as in the supervised baselines, a reader's gain or a reranker's score (appendix D.3).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from medground.answering.rank.rerank import open_reranker
from medground.answering.run import Run
from medground.engine.engine import Engine
from medground.errors import ConfigError, ModelFailed
from medground.home.settings import Settings
from medground.language.sentences import sentence_spans
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.operators.reasoning import ReasonInput, reason_or_recall
from medground.recipes.pubmed_reasoner.answering import RecallInput, recall
from medground.values.document import Passage
from medground.values.steps import Progress, no_progress
from medground_evaluate.metrics.answers import rouge_l
from medground_evaluate.planning.explore import question_of, run_of
from medground_evaluate.planning.exploring import FoundView, JudgeInput, judge_found
from medground_evaluate.planning.work import (
    Explored,
    Finished,
    Judged,
    JudgedQuery,
    Label,
    Piece,
    Spent,
    Tried,
    read_work,
    work_through,
)

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
    scores = await asyncio.to_thread(
        reranker.score, explored.question.text, [Passage(**piece.model_dump()) for piece in pieces]
    )
    mean = math.fsum(map(log_odds, scores)) / len(scores)
    return Labelled(mean >= RERANK_THRESHOLD, f"{reranker.name}: mean rerank score {mean:.2f}", round(mean, 4))


def log_odds(score: float) -> float:
    """The log-odds of a score from 0 to 1: what a cross-encoder gives before it is mapped to 0 to 1."""
    kept = min(max(score, _CERTAIN), 1 - _CERTAIN)
    return math.log(kept / (1 - kept))


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


Labeller = Callable[[Explored, Sequence[Piece], Run], Awaitable[Labelled]]


async def judge_explored(
    explored: Path,
    settings: Settings,
    out: Path,
    *,
    by: LabelMethod = "judge",
    passages: int | None = None,
    workers: int = 1,
    progress: Progress = no_progress,
) -> Finished:
    """Label every query of an exploration into a file; the same call resumes it.

    Args:
        by: the signal: `judge` (Eq. 1), `gain` (trainable planning) or `rerank` (RaFe), appendix D.3.
        passages: most passages of each query that are shown; None for all.

    Raises:
        UsageError: the exploration cannot be read, or the file was made with other options.
        ConfigError: the model cannot be used.
        StorageFailed: the file cannot be written.
    """
    started = time.monotonic()
    before, lines = read_work(explored, Explored)
    async with await Engine.open(settings, progress=progress) as engine:
        retrieval = engine.settings.retrieval
        head = before.model_copy(
            update={
                "step": "judgements",
                "model": retrieval.reranker if by == "rerank" else engine.models.of(judge_found.name).name,
                "settings_hash": engine.settings.hash,
                "options": {**before.options, "by": by, "passages": passages, "explored by": before.model},
            }
        )
        label: Labeller = {"judge": one_call, "gain": gain, "rerank": rerank_score}[by]
        return await work_through(
            {one.question.id: one for one in lines},
            lambda one: judged(one, label, passages, run_of(engine, question_of(one.question))),
            out,
            head,
            Judged,
            started=started,
            workers=workers,
            progress=progress,
        )


async def judged(explored: Explored, label: Labeller, most: int | None, run: Run) -> Judged:
    """One question: the label of each of its queries. A query that found nothing is negative without a call.

    Raises:
        ModelFailed: the model did not answer at all; what it answered in an unusable form is a failed judgement.
    """
    began = run.clock()
    queries = [await _judged(tried, explored, label, most, run) for tried in explored.queries]
    spent = Spent.of(run.usage, retrieval=0.0, inference=run.clock() - began)
    return Judged(question=explored.question, queries=tuple(queries), spent=spent)


async def _judged(tried: Tried, explored: Explored, label: Labeller, most: int | None, run: Run) -> JudgedQuery:
    def given(found: Label, why: str, score: float | None = None) -> JudgedQuery:
        return JudgedQuery(source=tried.source, query=tried.query, label=found, why=why, score=score)

    if tried.state == "failed":
        return given("failed", "the source could not be searched")
    if not tried.found:
        return given("negative", "nothing was found")
    try:
        made = await label(explored, shown(tried, explored, most), run)
    except ModelFailed as error:
        if not error.unreadable:
            raise
        return given("failed", error.reason[:300])
    return given("positive" if made.positive else "negative", made.why, made.score)


def shown(tried: Tried, explored: Explored, most: int | None = None) -> list[Piece]:
    """What a judge reads of a query's result: all of it, or the first half of what a graph gave, rounded up."""
    pieces = [explored.passages[key] for key in tried.found]
    if pieces and all(piece.kind == "graph" for piece in pieces):
        pieces = pieces[: (len(pieces) + 1) // 2]
    return pieces[:most]


async def one_call(explored: Explored, pieces: Sequence[Piece], run: Run) -> Labelled:
    """Ask the judge whether the passages support the gold answer.

    Raises:
        ModelFailed: it said neither yes nor no, also when it was asked again.
    """
    asked = explored.question
    output = await run.ask(
        judge_found,
        JudgeInput(
            question=asked.text,
            gold_answer=asked.answer,
            documents=tuple(FoundView(title=p.title, text=p.text, document_id=p.document_id) for p in pieces),
            gold_documents=asked.documents,
        ),
    )
    return Labelled(positive=output.answer == "yes", why=output.reason)
