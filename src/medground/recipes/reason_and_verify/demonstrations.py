"""Choose demonstrations for a question, and report what was left out."""

import asyncio
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medground.answering.run import Run
from medground.corpus.embedder import Embedder
from medground.errors import ConfigError
from medground.models.embedders import open_embedder
from medground.models.operators.reasoning import Demonstration
from medground.recipes.reason_and_verify.pool import Pool, Solved, decontaminated, read_pool
from medground.recipes.settings import ReasonAndVerifySettings
from medground.values.document import Hit
from medground.values.question import CLOSED, Question


@dataclass(frozen=True)
class Selection:
    """Places in the pool, in display order; how many were too similar, and how many were drawn at random."""

    places: tuple[int, ...]
    alike: int = 0
    drawn: int = 0


def selected(
    pool: Pool, places: Sequence[int], asked: NDArray[np.float32], question: str, choices: ReasonAndVerifySettings
) -> Selection:
    """At most `shots` of the clean places.

    `dynamic`: nearest to the question first. `static`: one seeded order of the pool for all questions. `balanced`: the
    classes take turns, starting with the class of the first one. Candidates whose similarity to one already taken
    exceeds `diversity` are skipped. If that leaves fewer than `least` (or `shots`, if lower), the rest are drawn at
    random, with a fixed seed, from the other questions.
    `places` are left after decontamination; the text of the question determines the draw, with the seed.
    """
    order = _order(pool, places, asked, choices)
    taken, alike = _diverse(pool, order, choices)
    drawn = _drawn(pool, [p for p in order if p not in taken], taken, question, choices)
    return Selection((*taken, *drawn), alike, len(drawn))


def _order(
    pool: Pool, places: Sequence[int], asked: NDArray[np.float32], choices: ReasonAndVerifySettings
) -> list[int]:
    if choices.selection == "dynamic":
        nearness = pool.vectors @ asked
        return sorted(places, key=lambda place: (-float(nearness[place]), place))
    shuffled = list(range(len(pool.solved)))  # the whole pool: leaving one out for a question moves no others
    random.Random(choices.seed).shuffle(shuffled)
    left = set(places)
    return [place for place in shuffled if place in left]


def _diverse(pool: Pool, order: Sequence[int], choices: ReasonAndVerifySettings) -> tuple[list[int], int]:
    queues: dict[str, deque[int]] = {}
    for place in order:
        queues.setdefault(pool.solved[place].label if choices.balanced else "", deque()).append(place)
    turns = deque(queues.values())
    taken: list[int] = []
    alike = 0
    while turns and len(taken) < choices.shots:
        queue = turns.popleft()
        while queue:
            place = queue.popleft()
            if not taken or float((pool.vectors[taken] @ pool.vectors[place]).max()) <= choices.diversity:
                taken.append(place)
                turns.append(queue)
                break
            alike += 1
    return taken, alike


def _drawn(
    pool: Pool, left: Sequence[int], taken: Sequence[int], question: str, choices: ReasonAndVerifySettings
) -> list[int]:
    missing = min(choices.least, choices.shots) - len(taken)
    used = {_words(pool, place) for place in taken}
    unique = {_words(pool, place): place for place in reversed(left) if _words(pool, place) not in used}
    if missing <= 0 or not unique:
        return []
    draw = random.Random(f"{choices.seed}:{question}")
    return draw.sample(sorted(unique.values()), min(missing, len(unique)))


def _words(pool: Pool, place: int) -> str:
    return " ".join(pool.solved[place].question.casefold().split())


async def demonstrations_for(question: Question, evidence: Sequence[Hit], run: Run) -> tuple[Demonstration, ...]:
    """Demonstrations that have the form of the question, and neither repeat it nor share a document with it or with
    its passages; none if the settings want none.

    Raises ConfigError: no pool is named or it is missing, or its embedding model is missing or has changed;
    SnapshotCorrupt: it has changed since it was built.
    """
    choices = run.settings.section(ReasonAndVerifySettings)
    opened = await asyncio.to_thread(open_pool, choices, run.settings.home)
    if opened is None:
        return ()
    pool, embedder = opened
    with run.trace.span("demonstrations", pool=pool.manifest.name, sha256=pool.manifest.sha256) as span:
        asked = await asyncio.to_thread(embedder.embed, [question.text])
        held = {*question.documents, *(hit.passage.document_id for hit in evidence)}
        clean = decontaminated([one.documents for one in pool.solved], pool.vectors, held, asked)
        fitting = [place for place in clean.places if fits(pool.solved[place], question)]
        chosen = selected(pool, fitting, asked[0], question.text, choices)
        other = len(clean.places) - len(fitting)
        span.set(
            shown=[pool.solved[place].id for place in chosen.places],
            left_out_shared_document=clean.shared,
            left_out_near_duplicate=clean.near,
            left_out_other_form=other,
            passed_over_alike=chosen.alike,
            drawn_by_lot=chosen.drawn,
        )
    if len(chosen.places) < choices.shots:
        run.warn(
            f"{len(chosen.places)} of {choices.shots} demonstrations were shown: of {len(pool.solved)} in the pool "
            f"{pool.manifest.name}, {clean.shared} share a document with the question or its passages, "
            f"{clean.near} repeat the question, {other} have another form of answer, {chosen.alike} are too alike"
        )
    return tuple(pool.solved[place].shown(passages=choices.shown == "passages") for place in chosen.places)


def fits(solved: Solved, question: Question) -> bool:
    """Whether the answer of a demonstration could be one to the question: a `maybe` is none to a yes/no question."""
    decided = ("yes-no", "yes-no-maybe")
    if solved.task in decided and question.task in decided:
        return set(CLOSED[question.task]) >= set(solved.answer)
    return solved.task == question.task


def open_pool(choices: ReasonAndVerifySettings, home: Path) -> tuple[Pool, Embedder] | None:
    """The pool and its embedding model, read and loaded; None if the settings want no demonstrations."""
    if not choices.shots or not choices.rationale:
        return None
    if choices.pool is None:
        raise ConfigError(
            f"reason_and_verify.shots is {choices.shots}, but no pool is named; build one with medground "
            "demonstrations build, then set reason_and_verify.pool to its name"
        )
    pool = read_pool(choices.pool, home)
    if choices.shown == "passages" and not all(one.passages for one in pool.solved):
        raise ConfigError(
            f"pool {pool.manifest.name} has no passages of its demonstrations; rebuild it with medground "
            "demonstrations build, or set reason_and_verify.shown to quotes"
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
    """Open an embedding model once for all questions; raises as `open_embedder` does."""
    return open_embedder(name, home)
