"""Builds a pool from the training records of a file.

Source: Reason and Verify, section 4.1. Finished questions are saved; run the same command to resume a stopped build.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from medground.corpus.embedding import Embedder
from medground.engine import Engine
from medground.errors import MedgroundError, ModelFailed, UsageError
from medground.progress import Progress, no_progress
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.settings import Settings
from medground.train.demonstrations.decontaminate import Clean, decontaminated
from medground.train.demonstrations.pool import PoolManifest, Solved, pool_path
from medground.train.demonstrations.records import Records, read_records
from medground.train.demonstrations.shots import opened_embedder
from medground.train.demonstrations.solve import Task, solve_all
from medground.train.demonstrations.storage import Plan, Unfinished, locked
from medground.version import __version__

EMBEDDER = "minilm"
_OPERATORS = ("reason", "rewrite")


async def build_pool(
    name: str,
    source: Path,
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
        source: PubMedQA in JSON Lines, with a `split` per record. Held-out records are refused, and training records
            that resemble them are left out.
        settings: model, corpora and the group `reason_and_verify`. No demonstrations are shown while building.
        limit: maximum number of demonstrations; None takes all.
        seed: seed for the order of the training records.
        embedder: embedding model for the questions.
        progress: receives the number of demonstrations so far.

    Raises:
        UsageError: the name is invalid, there is no training record, no question could be solved, or another process
            is building the pool.
        BadDocument: the file cannot be read.
        ConfigError: the model, a corpus, the reranker or the embedding model cannot be used.
        SourceUnavailable: no source could be searched; finished questions are saved.
        ModelFailed: the model failed for every question.
        StorageFailed: the disk is full or cannot be written to.
    """
    file = pool_path(name, settings.home)
    records = read_records(source)
    encoder = await asyncio.to_thread(opened_embedder, embedder, settings.home)
    clean, tasks = await asyncio.to_thread(_tasks, records, encoder, seed)
    async with await Engine.open(_without_shots(settings), progress=progress) as engine:
        plan = await asyncio.to_thread(_plan, source, seed, engine, encoder)
        with locked(file):
            unfinished = Unfinished(file, plan)
            failures = await solve_all(tasks, unfinished, limit, engine, progress)
            solved = [step.solved for step in unfinished.steps if step.solved is not None][:limit]
            if not solved:
                raise _nothing(source, failures)
            manifest = PoolManifest(
                name=file.stem,
                made_by=f"medground {__version__}",
                created=datetime.now(UTC),
                source=source.name,
                limit=limit,
                models={operator: engine.models.of(operator).name for operator in _OPERATORS},
                settings=engine.settings.section(ReasonAndVerifySettings).model_dump(mode="json"),
                embedder=embedder,
                left_out=_left_out(records, clean, unfinished, len(failures)),
                **_counted(solved),
                **plan.model_dump(),
            )
            return unfinished.finish(solved, manifest)


def _tasks(records: Records, encoder: Embedder, seed: int) -> tuple[Clean, list[Task]]:
    """Training questions that neither share a document with a held-out one nor repeat one, in a seeded order."""
    vectors = encoder.embed([record.question for record in records.training])
    clean = decontaminated(
        [[record.document] for record in records.training],
        vectors,
        [record.document for record in records.held_out],
        encoder.embed([record.question for record in records.held_out]),
    )
    order = list(clean.places)
    random.Random(seed).shuffle(order)
    return clean, [Task(records.training[place], vectors[place]) for place in order]


def _plan(source: Path, seed: int, engine: Engine, encoder: Embedder) -> Plan:
    return Plan(
        source_sha256=hashlib.sha256(source.read_bytes()).hexdigest(),
        seed=seed,
        settings_hash=engine.settings.hash,
        snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
        embedding=encoder.identity,
    )


def _without_shots(settings: Settings) -> Settings:
    options = {"shots": 0, "pool": None, "rationale": True}
    choices = settings.section(ReasonAndVerifySettings).model_copy(update=options)
    return settings.with_options({"recipe.name": "reason-and-verify"}).with_section(choices)


def _nothing(source: Path, failures: Sequence[ModelFailed]) -> MedgroundError:
    """Why there is no pool: the model's last failure, or no passages to reason from."""
    if failures:
        return failures[-1]
    return UsageError(f"no passage was found for any question of {source}; name the right corpus with --corpus NAME")


def _left_out(records: Records, clean: Clean, unfinished: Unfinished, failed: int) -> dict[str, int]:
    """Records that are not in the pool, by reason."""
    counts = Counter({f"refused: from the split {split}": number for split, number in records.refused.items()})
    counts["unreadable"] = records.unreadable
    counts["shares a document with a held-out record"] = clean.shared
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
