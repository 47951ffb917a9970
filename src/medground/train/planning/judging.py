"""Planning judging: each query is positive if what it found supports the gold answer, else negative.

Source: Omni-RAG, section 4.2.2 (Eq. 1), section 5.1.2 (the latter half of a graph's result is left out), prompt E.4.
Where nobody could judge, the label is `failed`, with the reason; it is never "negative".
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from medground.engine import Engine
from medground.errors import ModelFailed
from medground.operators.exploring import FoundView, JudgeInput, judge_found
from medground.progress import Progress, no_progress
from medground.run import Run
from medground.settings import Settings
from medground.train.planning.explore import Finished
from medground.train.planning.labels import LABELLERS, Labelled, LabelMethod
from medground.train.planning.running import question_of, run_of
from medground.train.planning.values import Explored, Judged, JudgedQuery, Label, Piece, Spent, Tried
from medground.train.planning.work import WorkFile, read_work, work_through

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
        head = before.model_copy(
            update={
                "step": "judgements",
                "model": _labelled_by(engine, by),
                "settings_hash": engine.settings.hash,
                "options": {**before.options, "by": by, "passages": passages, "explored by": before.model},
            }
        )
        label = one_call if by == "judge" else LABELLERS[by]
        with WorkFile(out, head, Judged) as work:
            done = {one.question.id for one in work.done}
            failures = await work_through(
                [one for one in lines if one.question.id not in done],
                lambda one: judged(one, label, passages, run_of(engine, question_of(one.question))),
                work,
                name=lambda one: one.question.id,
                workers=workers,
                progress=progress,
            )
            return Finished(out, head, len(work.done), tuple(failures), time.monotonic() - started)


def _labelled_by(engine: Engine, by: LabelMethod) -> str:
    if by == "rerank":
        return engine.settings.retrieval.reranker
    return engine.models.of(judge_found.name).name


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
