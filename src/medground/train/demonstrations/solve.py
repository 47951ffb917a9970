"""Solves training questions: finds passages and writes a rationale, with the same steps that answer questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medground.document import Hit
from medground.engine import Engine
from medground.errors import ModelFailed
from medground.evaluate.base import Item
from medground.evidence import Evidence
from medground.progress import Progress
from medground.recipes.reason_and_verify import find_evidence
from medground.run import Run
from medground.trace import Trace
from medground.train.demonstrations.pool import TRAINING, Quoted, Solved, packed
from medground.train.demonstrations.records import known_answer
from medground.train.demonstrations.storage import Step, Unfinished
from medground.write.reason import Reasoned, reasoned

STEP = "demonstrations"


@dataclass(frozen=True)
class Task:
    """A training question and its unit vector."""

    item: Item
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
    waiting = [task for task in tasks if task.item.id not in done]
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
    question = task.item.question.model_copy(update={"documents": task.item.documents})
    trace = Trace(f"demonstration-{task.item.id}", None)
    try:
        return await _solved(
            task, Run(question, engine.settings, engine.recipe, engine.sources, engine.models, trace=trace)
        )
    except ModelFailed as error:
        return error
    finally:
        trace.close()


async def _solved(task: Task, run: Run) -> Step:
    """One demonstration (q, r, y, E): with the known answer and the model's own rationale."""
    item = task.item
    passages = await find_evidence(run.question, run)
    own = run.settings.recipe.own_knowledge
    made = await reasoned(run.question, passages, run, own_knowledge=own)
    if not made.evidence:
        return Step(id=item.id, left_out="the model cited nothing" if passages else "no passage was found")
    solved = Solved(
        id=item.id,
        question=item.question.text,
        task=item.question.task,
        options=item.question.options,
        rationale=" ".join(sentence.text for sentence in made.draft.sentences),
        linked=_linked(made, passages),
        answer=known_answer(item),
        reference="" if item.gold else item.reference,
        said=made.draft.answer,
        evidence=tuple(
            Quoted(document_id=e.document_id, start=e.start, end=e.end, quote=e.quote) for e in made.evidence
        ),
        passages=tuple(
            Quoted(document_id=p.document_id, start=p.start, end=p.end, quote=f"{p.title}\n{p.text}".strip())
            for p in (hit.passage for hit in passages)
        ),
        documents=tuple(dict.fromkeys([*item.documents, *(hit.passage.document_id for hit in passages)])),
        split=TRAINING,
        embedding=packed(task.vector),
    )
    return Step(id=item.id, solved=solved)


def _linked(made: Reasoned, passages: Sequence[Hit]) -> str:
    """The rationale with marks such as `[1][3]`: the numbers of the passages that hold the quotes of each sentence."""
    quotes = {quote.id: quote for quote in made.evidence}
    parts = []
    for sentence in made.draft.sentences:
        cited = [quotes[i] for i in sentence.evidence]
        held = [n for n, hit in enumerate(passages, start=1) if any(_holds(hit, quote) for quote in cited)]
        parts.append(" ".join([sentence.text, "".join(f"[{n}]" for n in held)]).strip())
    return " ".join(parts)


def _holds(hit: Hit, quote: Evidence) -> bool:
    passage = hit.passage
    same = passage.document_id == quote.document_id
    return same and passage.start <= quote.start and quote.end <= passage.end
