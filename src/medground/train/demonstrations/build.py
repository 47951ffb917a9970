"""Builds a pool from the training questions of a data set.

Source: Reason and Verify, section 4.1. Finished questions are saved; run the same command to resume a stopped build.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from medground.corpus.embedding.base import Embedder
from medground.engine import Engine
from medground.errors import MedgroundError, ModelFailed, UsageError
from medground.operators.reasoning import reason, reason_or_recall
from medground.operators.rewriting import rewrite
from medground.progress import Progress, no_progress
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.settings import Settings
from medground.train.demonstrations.decontaminate import Clean, decontaminated
from medground.train.demonstrations.pool import PoolManifest, Solved, pool_path
from medground.train.demonstrations.records import Records, Source, documents_of, read_records
from medground.train.demonstrations.shots import opened_embedder
from medground.train.demonstrations.solve import Task, solve_all
from medground.train.demonstrations.storage import Plan, Unfinished
from medground.version import __version__

EMBEDDER = "minilm"


async def build_pool(
    name: str,
    source: Source,
    settings: Settings,
    *,
    limit: int | None = None,
    seed: int = 0,
    embedder: str = EMBEDDER,
    progress: Progress = no_progress,
) -> PoolManifest:
    """Build a pool, replacing any pool of the same name.

    Args:
        name: name of the pool.
        source: a data set. Its held-out questions are refused, and training questions that resemble these, or those
            that will be asked, are left out.
        settings: model, corpora and the group `reason_and_verify`. No demonstrations are shown while building.
        limit: maximum number of demonstrations; None takes all.
        seed: seed for the order of the training questions.
        embedder: embedding model for the questions.
        progress: receives the number of demonstrations so far.

    Raises:
        UsageError: the name is invalid, the set cannot be read or has no training question, no question could be
            solved, or another process is building the pool.
        ConfigError: the model, a corpus, the reranker or the embedding model cannot be used.
        SourceUnavailable: no source could be searched; finished questions are saved.
        ModelFailed: the model failed for every question.
        StorageFailed: the disk is full or cannot be written to.
    """
    file = pool_path(name, settings.home)
    records = await asyncio.to_thread(read_records, source)
    encoder = await asyncio.to_thread(opened_embedder, embedder, settings.home)
    clean, tasks = await asyncio.to_thread(_tasks, records, encoder, seed)
    async with await Engine.open(_without_shots(settings), progress=progress) as engine:
        plan = _plan(records, seed, engine, encoder)
        with Unfinished(file, plan) as unfinished:
            failures = await solve_all(tasks, unfinished, limit, engine, progress)
            solved = [step.solved for step in unfinished.steps if step.solved is not None][:limit]
            if not solved:
                raise _nothing(source, failures)
            manifest = PoolManifest(
                name=file.stem,
                made_by=f"medground {__version__}",
                created=datetime.now(UTC),
                source=source.path.name,
                dataset=records.dataset,
                against=tuple(path.name for path in source.against),
                as_training=source.as_training,
                limit=limit,
                models={operator: engine.models.of(operator).name for operator in _operators(engine.settings)},
                settings=engine.settings.section(ReasonAndVerifySettings).model_dump(mode="json"),
                embedder=embedder,
                left_out=_left_out(records, clean, unfinished, len(failures)),
                **_counted(solved),
                **plan.model_dump(),
            )
            return unfinished.finish(solved, manifest)


def _tasks(records: Records, encoder: Embedder, seed: int) -> tuple[Clean, list[Task]]:
    """Training questions that neither share a document with a held-out one nor repeat one, in a seeded order."""
    vectors = encoder.embed([item.question.text for item in records.training])
    clean = decontaminated(
        [item.documents for item in records.training],
        vectors,
        list(documents_of(records.held_out)),
        encoder.embed([item.question.text for item in records.held_out]),
    )
    order = list(clean.places)
    random.Random(seed).shuffle(order)
    return clean, [Task(records.training[place], vectors[place]) for place in order]


def _plan(records: Records, seed: int, engine: Engine, encoder: Embedder) -> Plan:
    return Plan(
        source_sha256=records.digest,
        seed=seed,
        settings_hash=engine.settings.hash,
        snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
        embedding=encoder.identity,
    )


def _operators(settings: Settings) -> tuple[str, str]:
    """The operators that are asked: the one that writes the rationale, and the one that rewrites a question."""
    own = settings.recipe.own_knowledge
    return (reason_or_recall if own else reason).name, rewrite.name


def _without_shots(settings: Settings) -> Settings:
    options = {"shots": 0, "pool": None, "rationale": True, "assess": False}
    choices = settings.section(ReasonAndVerifySettings).model_copy(update=options)
    return settings.with_options({"recipe.name": "reason-and-verify"}).with_section(choices)


def _nothing(source: Source, failures: Sequence[ModelFailed]) -> MedgroundError:
    """Why there is no pool: the model's last failure, or no passages to reason from."""
    if failures:
        return failures[-1]
    return UsageError(
        f"no passage was found for any question of {source.path}; name the right corpus with --corpus NAME"
    )


def _left_out(records: Records, clean: Clean, unfinished: Unfinished, failed: int) -> dict[str, int]:
    """Questions that are not in the pool, by reason."""
    counts = Counter(records.refused)
    counts["shares a document with a held-out question"] = clean.shared
    counts["repeats a held-out question"] = clean.near
    counts["the model failed"] = failed
    counts.update(step.left_out for step in unfinished.steps if step.left_out)
    return dict(sorted((+counts).items()))


def _counted(solved: Sequence[Solved]) -> dict[str, object]:
    return {
        "demonstrations": len(solved),
        "classes": dict(sorted(Counter(one.label for one in solved).items())),
        "agreed": sum(one.said == one.answer for one in solved),
    }
