"""Solves training questions with the steps that answer questions, and makes a pool of them."""

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground import __version__
from medground.answering import Reasoned, Run, Trace, reasoned
from medground.corpus import Embedder, writing
from medground.engine import Engine
from medground.errors import ModelFailed, UsageError
from medground.home import Settings, write_whole
from medground.models import reason, reason_or_recall
from medground.recipes import ReasonAndVerifySettings, find_evidence, opened_embedder, pool, rewrite
from medground.values import Evidence, Frozen, Hit, Progress, no_progress
from medground_evaluate.datasets.registry import Records, Source, known_answer, read_records
from medground_evaluate.items import Item
from medground_evaluate.line_file import HeadedFile


class Step(Frozen):
    """One finished question: solved, or left out for a reason."""

    id: str
    solved: pool.Solved | None = None
    left_out: str = ""


class Unfinished(HeadedFile[pool.PoolPlan, Step]):
    """The finished steps, stored in `NAME.partial` next to the pool. Steps of a different plan are discarded."""

    what = "an unfinished pool"
    replaces = True

    def __init__(self, file: Path, plan: pool.PoolPlan) -> None:
        super().__init__(file.with_suffix(".partial"), plan, Step)
        self._pool = file

    def finish(self, solved: Sequence[pool.Solved], manifest: pool.PoolManifest) -> pool.PoolManifest:
        """Write the pool, replacing any of the same name, and delete the steps."""
        content = "".join(one.model_dump_json() + "\n" for one in solved)
        finished = manifest.replace(sha256=hashlib.sha256(content.encode()).hexdigest())
        with writing(self.path.parent):
            write_whole(self._pool, content)
            write_whole(pool.manifest_path(self._pool), finished.model_dump_json(indent=1) + "\n")
            self.close()
            self.path.unlink()
        return finished


STEP = "demonstrations"
Task = tuple[Item, NDArray[np.float32]]
"""A training question and its unit vector."""


async def solve_all(
    tasks: Sequence[Task], unfinished: Unfinished, limit: int | None, engine: Engine, progress: Progress
) -> list[ModelFailed]:
    """Solve in order until `limit` are solved, with as many questions at once as model calls are allowed at once.

    Questions for which the model failed are not saved, so the next build tries them again. Their errors are returned.
    """
    done = {step.id for step in unfinished.lines}
    waiting = [task for task in tasks if task[0].id not in done]
    made = sum(step.solved is not None for step in unfinished.lines)
    wanted = len(tasks) if limit is None else min(limit, len(tasks))
    failures: list[ModelFailed] = []
    progress(STEP, min(made, wanted), wanted)
    while waiting and made < wanted:
        width = min(engine.settings.model.concurrency, wanted - made)
        batch, waiting = waiting[:width], waiting[width:]
        results = await asyncio.gather(*(_tried(task, engine) for task in batch))
        steps = [result for result in results if isinstance(result, Step)]
        failures += [result for result in results if isinstance(result, ModelFailed)]
        for step in steps:
            unfinished.add(step)
        made += sum(step.solved is not None for step in steps)
        progress(STEP, made, wanted)
    return failures


async def _tried(task: Task, engine: Engine) -> Step | ModelFailed:
    item, vector = task
    question = item.question.replace(documents=item.documents)
    trace = Trace(f"demonstration-{item.id}", None)
    run = Run(question, engine.settings, engine.recipe, engine.sources, engine.models, trace=trace)
    try:
        return await _solved(item, vector, run)
    except ModelFailed as error:
        return error
    finally:
        trace.close()


async def _solved(item: Item, vector: NDArray[np.float32], run: Run) -> Step:
    """One demonstration (q, r, y, E): with the known answer and the model's own rationale."""
    passages = await find_evidence(run.question, run)
    own = run.settings.recipe.own_knowledge
    made = await reasoned(run.question, passages, run, own_knowledge=own)
    if not made.evidence:
        return Step(id=item.id, left_out="the model cited nothing" if passages else "no passage was found")
    solved = pool.Solved(
        id=item.id,
        question=item.question.text,
        task=item.question.task,
        options=item.question.options,
        rationale=" ".join(sentence.text for sentence in made.draft.sentences),
        linked=_linked(made, passages),
        answer=known_answer(item),
        reference="" if item.gold else item.reference,
        said=made.draft.answer,
        evidence=tuple(pool.Quoted.model_validate(quote, from_attributes=True) for quote in made.evidence),
        passages=tuple(
            pool.Quoted(document_id=p.document_id, start=p.start, end=p.end, quote=f"{p.title}\n{p.text}".strip())
            for p in (hit.passage for hit in passages)
        ),
        documents=tuple(dict.fromkeys([*item.documents, *(hit.passage.document_id for hit in passages)])),
        split=pool.TRAINING,
        embedding=pool.packed(vector),
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
    return passage.document_id == quote.document_id and passage.start <= quote.start <= quote.end <= passage.end


EMBEDDER = "minilm"


async def build_pool(
    name: str,
    source: Source,
    settings: Settings,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> pool.PoolManifest:
    """Build a pool, replacing any pool of the same name.

    Args:
        source: a data set. Its held-out questions are refused, and training questions that resemble these, or those
            that will be asked, are left out.
        settings: model, corpora and the group `reason_and_verify`. No demonstrations are shown while building.

    Raises:
        UsageError: the name is invalid, the set cannot be read or has no training question, no question could be
            solved, or another process is building the pool.
        ConfigError: the model, a corpus, the reranker or the embedding model cannot be used.
        SourceUnavailable: no source could be searched; finished questions are saved.
        ModelFailed: the model failed for every question.
        StorageFailed: the disk is full or cannot be written to.
    """
    file = pool.pool_path(name, settings.home)
    records = await asyncio.to_thread(read_records, source)
    encoder = await asyncio.to_thread(opened_embedder, EMBEDDER, settings.home)
    clean, tasks = await asyncio.to_thread(_tasks, records, encoder, seed)
    async with await Engine.open(_without_shots(settings), progress=progress) as engine:
        plan = _plan(records, seed, engine, encoder)
        with Unfinished(file, plan) as unfinished:
            failures = await solve_all(tasks, unfinished, limit, engine, progress)
            solved = [step.solved for step in unfinished.lines if step.solved is not None][:limit]
            if not solved:
                why = (
                    f"no passage was found for any question of {source.path}; name the right corpus with --corpus NAME"
                )
                raise failures[-1] if failures else UsageError(why)
            asked = (reason_or_recall if engine.settings.recipe.own_knowledge else reason, rewrite)
            manifest = pool.PoolManifest(
                name=file.stem,
                made_by=f"medground {__version__}",
                created=datetime.now(UTC),
                source=source.path.name,
                dataset=records.dataset,
                against=tuple(path.name for path in source.against),
                as_training=source.as_training,
                limit=limit,
                models={one.name: engine.models.for_operator(one.name).name for one in asked},
                settings=engine.settings.section(ReasonAndVerifySettings).model_dump(mode="json"),
                embedder=EMBEDDER,
                left_out=_left_out(records, clean, unfinished.lines, len(failures)),
                demonstrations=len(solved),
                classes=dict(sorted(Counter(one.label for one in solved).items())),
                agreed=sum(one.said == one.answer for one in solved),
                **plan.model_dump(),
            )
            return unfinished.finish(solved, manifest)


def _tasks(records: Records, encoder: Embedder, seed: int) -> tuple[pool.Clean, list[Task]]:
    """Training questions that neither share a document with a held-out one nor repeat one, in a seeded order."""
    vectors = encoder.embed([item.question.text for item in records.training])
    clean = pool.decontaminated(
        [item.documents for item in records.training],
        vectors,
        [document for item in records.held_out for document in item.documents],
        encoder.embed([item.question.text for item in records.held_out]),
    )
    order = list(clean.places)
    random.Random(seed).shuffle(order)
    return clean, [(records.training[place], vectors[place]) for place in order]


def _plan(records: Records, seed: int, engine: Engine, encoder: Embedder) -> pool.PoolPlan:
    return pool.PoolPlan(
        source_sha256=records.digest,
        seed=seed,
        settings_hash=engine.settings.hash,
        snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
        embedding=encoder.identity,
    )


def _left_out(records: Records, clean: pool.Clean, steps: Sequence[Step], failed: int) -> dict[str, int]:
    """Questions that are not in the pool, by reason."""
    counts = Counter(records.refused)
    counts["shares a document with a held-out question"] = clean.shared
    counts["repeats a held-out question"] = clean.near
    counts["the model failed"] = failed
    counts.update(step.left_out for step in steps if step.left_out)
    return dict(sorted((+counts).items()))


def _without_shots(settings: Settings) -> Settings:
    options = {"shots": 0, "pool": None, "rationale": True, "assess": False}
    choices = settings.section(ReasonAndVerifySettings).replace(**options)
    return settings.with_options({"recipe.name": "reason-and-verify"}).with_section(choices)
