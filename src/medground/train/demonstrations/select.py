"""Selects the demonstrations for a question.

Source: Reason and Verify, section 4.1 (dynamic demonstration selection) and 4.1.2 (number of demonstrations).
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medground.recipes.settings.reason_and_verify import ReasonAndVerifySettings
from medground.train.demonstrations.pool import Pool


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

    Args:
        pool: the pool to select from.
        places: the places left after decontamination.
        asked: unit vector of the question, shape (dimensions,).
        question: its text, which together with the seed determines the draw.
        choices: the settings.
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
    shuffled = list(
        range(len(pool.solved))
    )  # the whole pool, so that leaving one out for a question does not move the others
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
