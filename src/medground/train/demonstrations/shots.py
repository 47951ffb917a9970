"""Choose demonstrations for a question, and report what was left out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from medground.corpus.embedding import open_embedder
from medground.corpus.embedding.base import Embedder
from medground.document import Hit
from medground.errors import ConfigError, MedgroundError
from medground.operators.reasoning import Demonstration
from medground.operators.writing import allowed_answers
from medground.question import Question
from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.run import Run
from medground.train.demonstrations.decontaminate import Clean, decontaminated
from medground.train.demonstrations.pool import Pool, Solved, read_pool
from medground.train.demonstrations.select import Selection, selected


@dataclass(frozen=True)
class Shots:
    """An open pool for one run. Without a pool, no demonstrations are shown."""

    run: Run
    pool: Pool | None = None
    embedder: Embedder | None = None

    async def choose(self, question: Question, evidence: Sequence[Hit]) -> tuple[Demonstration, ...]:
        """Demonstrations that have the form of the question, and neither repeat it nor share a document with it or with
        its passages."""
        if self.pool is None or self.embedder is None:
            return ()
        pool, choices = self.pool, self.run.settings.section(ReasonAndVerifySettings)
        with self.run.trace.span("demonstrations", pool=pool.manifest.name, sha256=pool.manifest.sha256) as span:
            asked = await asyncio.to_thread(self.embedder.embed, [question.text])
            held = {*question.documents, *(hit.passage.document_id for hit in evidence)}
            clean = decontaminated([one.documents for one in pool.solved], pool.vectors, held, asked)
            fitting = [place for place in clean.places if fits(pool.solved[place], question)]
            chosen = selected(pool, fitting, asked[0], question.text, choices)
            span.set(
                shown=[pool.solved[place].id for place in chosen.places],
                left_out_shared_document=clean.shared,
                left_out_near_duplicate=clean.near,
                left_out_other_form=len(clean.places) - len(fitting),
                passed_over_alike=chosen.alike,
                drawn_by_lot=chosen.drawn,
            )
        self._warn_if_fewer(clean, len(clean.places) - len(fitting), chosen)
        return tuple(pool.solved[place].shown(passages=choices.shown == "passages") for place in chosen.places)

    def _warn_if_fewer(self, clean: Clean, other: int, chosen: Selection) -> None:
        wanted = self.run.settings.section(ReasonAndVerifySettings).shots
        if len(chosen.places) < wanted and self.pool is not None:
            self.run.warn(
                f"{len(chosen.places)} of {wanted} demonstrations were shown: of {len(self.pool.solved)} in the pool "
                f"{self.pool.manifest.name}, {clean.shared} share a document with the question or its passages, "
                f"{clean.near} repeat the question, {other} have another form of answer, {chosen.alike} are too alike"
            )


def fits(solved: Solved, question: Question) -> bool:
    """Whether the answer of a demonstration could be one to the question: a `maybe` is none to a yes/no question."""
    decided = ("yes-no", "yes-no-maybe")
    if solved.task in decided and question.task in decided:
        return allowed_answers(question.task, ()) >= set(solved.answer)
    return solved.task == question.task


async def open_shots(run: Run) -> Shots:
    """Open the pool that the settings name, with its embedding model. Opens nothing if no demonstrations are wanted.

    Raises:
        ConfigError: no pool is named or it is missing, or its embedding model is missing or has changed.
        UsageError: the pool holds a question that is not from a training split.
        BadDocument: a line cannot be read.
        SnapshotCorrupt: it has changed since it was built.
    """
    choices = run.settings.section(ReasonAndVerifySettings)
    opened = await asyncio.to_thread(_opened, choices, run.settings.home)
    return Shots(run) if opened is None else Shots(run, *opened)


def pool_problems(choices: ReasonAndVerifySettings, home: Path) -> Iterator[MedgroundError]:
    """Why the pool cannot be used, for a recipe's check. Reads the pool and loads its embedding model."""
    try:
        _opened(choices, home)
    except MedgroundError as error:
        yield error


def _opened(choices: ReasonAndVerifySettings, home: Path) -> tuple[Pool, Embedder] | None:
    if not choices.shots or not choices.rationale:
        return None
    if choices.pool is None:
        raise ConfigError(
            f"reason_and_verify.shots is {choices.shots}, but no pool is named; build one with medground "
            "demonstrations build NAME --from DATA, then use --set reason_and_verify.pool=NAME"
        )
    pool = read_pool(choices.pool, home)
    if choices.shown == "passages" and not all(one.passages for one in pool.solved):
        raise ConfigError(
            f"pool {pool.manifest.name} has no passages of its demonstrations; rebuild it with medground "
            "demonstrations build, or use --set reason_and_verify.shown=quotes"
        )
    embedder = opened_embedder(pool.manifest.embedder, home)
    if embedder.identity != pool.manifest.embedding:
        raise ConfigError(
            f"pool {pool.manifest.name} was built with the embedding model {pool.manifest.embedding}, but "
            f"{embedder.identity} is installed; rebuild it with medground demonstrations build"
        )
    return pool, embedder


@lru_cache(maxsize=2)
def opened_embedder(name: str, home: Path) -> Embedder:
    """Open an embedding model once for all questions.

    Raises:
        ConfigError: the model cannot be opened.
    """
    return open_embedder(name, home)
