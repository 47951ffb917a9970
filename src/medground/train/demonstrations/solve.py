"""Solves training questions: finds passages and writes a rationale, with the same steps that answer questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medground.engine import Engine
from medground.errors import ModelFailed, UsageError
from medground.progress import Progress
from medground.question import Question
from medground.recipes.reason_and_verify import find_evidence
from medground.run import Run
from medground.trace import Trace
from medground.train.demonstrations.pool import Quoted, Solved, packed
from medground.train.demonstrations.records import Record
from medground.train.demonstrations.storage import Step, Unfinished
from medground.write.reason import reasoned

STEP = "demonstrations"


@dataclass(frozen=True)
class Task:
    """A training record and the unit vector of its question."""

    record: Record
    vector: NDArray[np.float32]


async def solve_all(
    tasks: Sequence[Task], unfinished: Unfinished, limit: int | None, engine: Engine, progress: Progress
) -> list[ModelFailed]:
    """Solve in order until `limit` are solved, with as many questions at once as model calls are allowed at once.

    Questions for which the model failed are not saved, so the next build tries them again. Their errors are returned.

    Raises:
        SourceUnavailable: no source could be searched.
        BudgetExhausted: a question reached one of its limits.
        StorageFailed: the disk is full or cannot be written to.
    """
    done = {step.id for step in unfinished.steps}
    waiting = [task for task in tasks if task.record.document not in done]
    made = sum(step.solved is not None for step in unfinished.steps)
    wanted = len(tasks) if limit is None else min(limit, len(tasks))
    failures: list[ModelFailed] = []
    progress(STEP, min(made, wanted), wanted)
    while waiting and made < wanted:
        width = min(engine.settings.model.concurrency, wanted - made)
        batch, waiting = waiting[:width], waiting[width:]
        results = await asyncio.gather(*(_tried(task, engine) for task in batch))
        steps = [result for result in results if isinstance(result, Step)]
        failures += [result for result in results if isinstance(result, ModelFailed)]
        unfinished.add(steps)
        made += sum(step.solved is not None for step in steps)
        progress(STEP, made, wanted)
    return failures


async def _tried(task: Task, engine: Engine) -> Step | ModelFailed:
    trace = Trace(f"demonstration-{task.record.pmid}", None)
    try:
        question = Question.ask(task.record.question, task="yes-no-maybe")
        return await _solved(task, Run(question, engine.settings, engine.recipe, engine.sources, engine.models, trace))
    except UsageError as error:
        return Step(id=task.record.document, left_out=f"invalid question: {error}")
    except ModelFailed as error:
        return error
    finally:
        trace.close()


async def _solved(task: Task, run: Run) -> Step:
    """One demonstration, with the known answer and the model's own rationale."""
    record, question = task.record, run.question
    passages = await find_evidence(question, run)
    made = await reasoned(question, passages, run)
    if not made.evidence:
        reason = "the model cited nothing" if passages else "no passage was found"
        return Step(id=record.document, left_out=reason)
    solved = Solved(
        id=record.document,
        question=question.text,
        task=question.task,
        rationale=" ".join(sentence.text for sentence in made.draft.sentences),
        answer=(record.answer,),
        said=made.draft.answer,
        evidence=tuple(
            Quoted(document_id=e.document_id, start=e.start, end=e.end, quote=e.quote) for e in made.evidence
        ),
        documents=tuple(dict.fromkeys([record.document, *(hit.passage.document_id for hit in passages)])),
        split=record.split,
        embedding=packed(task.vector),
    )
    return Step(id=record.document, solved=solved)
