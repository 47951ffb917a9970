"""The critic that uses an NLI model, which is opened by its name in the settings.

A network that scores a pair of texts hardly reads the order of the sides: it supports "A was higher than B" over a text
that says the reverse. So what it says about a comparison counts only where `arms.py` finds both sides in the text, in
the same roles and with the same direction.

Heavy libraries are imported only when a model is opened.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from medground.answering.run import Run
from medground.answering.verify.arms import WHEREAS, Roles, contrasts, is_denied, roles_in
from medground.answering.verify.critic import Claim, Judgement, Reads, Score, Scorer, without_judge
from medground.errors import ConfigError, ModelFailed
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView

if TYPE_CHECKING:
    from medground.answering.verify.nli_model import NliModel


_STOPPED = "the model took too long; allow more with the setting model.timeout"


class NliCritic:
    """Judges all claims together, in a thread.

    It may take `model.timeout` seconds per claim, like a critic that is asked one claim at a time. After that time, or
    if the caller is cancelled, it stops after the current batch.
    """

    reads: Reads = "passages"
    """Whole passages, in windows of the model's length."""

    def __init__(self, run: Run, name: str, model: Scorer) -> None:
        self.name = name
        self._run = run
        self._model = model

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        """Judge claims; results are in order."""
        without_model = [without_judge(claim) for claim in claims]
        waiting = [claim for claim, judgement in zip(claims, without_model, strict=True) if judgement is None]
        with self._run.trace.span("critic", critic=self.name, claims=len(claims), judged=len(waiting)):
            found = iter(await self._judged(waiting) if waiting else [])
        return [next(found) if judgement is None else judgement for judgement in without_model]

    async def _judged(self, claims: Sequence[Claim]) -> list[Judgement]:
        stop = threading.Event()
        try:
            async with asyncio.timeout(self._run.settings.model.timeout * len(claims)):
                found = await asyncio.to_thread(self._read, claims, stop)
        except TimeoutError:
            found = [Judgement("failed", note=_STOPPED)] * len(claims)
        except ModelFailed as failed:
            found = [Judgement("failed", note=failed.reason)] * len(claims)
        finally:
            stop.set()
        for reason in dict.fromkeys(j.note for j in found if j.relation == "failed"):
            self._run.warn(f"a sentence could not be verified: {self.name}: {reason}")
        return found

    def _read(self, claims: Sequence[Claim], stop: threading.Event) -> list[Judgement]:
        problems = [self._model.problem(claim.statement) for claim in claims]
        premises = [[] if problem else self._near(claim) for claim, problem in zip(claims, problems, strict=True)]
        pairs = [(p.quote, claim.statement) for claim, near in zip(claims, premises, strict=True) for p in near]
        scores = iter(self._model.score(pairs, stop.is_set))
        return [
            Judgement("failed", note=problem) if problem else self._of(claim, near, [next(scores) for _ in near])
            for claim, near, problem in zip(claims, premises, problems, strict=True)
        ]

    def _of(self, claim: Claim, near: Sequence[EvidenceView], scores: Sequence[Score]) -> Judgement:
        found = held_to_sides(claim, self._final(self._decide(claim, near, scores)))
        if found.relation == "failed":
            return found
        return replace(found, mean=sum(score.entailment for score in scores) / max(len(scores), 1))

    def _near(self, claim: Claim) -> list[EvidenceView]:
        return [premise for premise in claim.premises if premise.quote.strip()]

    def _decide(self, claim: Claim, premises: Sequence[EvidenceView], scores: Sequence[Score]) -> Judgement:
        """The judgement of a claim that the scores of the premises that were read give."""
        verify = self._run.settings.verify
        return decide(premises, scores, verify.entailment, overruled=verify.contradiction)

    def _final(self, judgement: Judgement) -> Judgement:
        """What the critic says of a judgement."""
        return judgement


def decide(
    premises: Sequence[EvidenceView], scores: Sequence[Score], tau: float, *, overruled: bool = True
) -> Judgement:
    """Judge one statement from the scores of its premises, at least one.

    Contradiction decides if it reaches tau and is above the highest entailment; otherwise entailment decides if it
    reaches tau. If both reach tau, the note names both premises. The probability of neutral is one minus the higher of
    the two. Without `overruled`, entailment that reaches tau decides, however high the contradiction: the paper's rule.
    """
    if not all(math.isfinite(s.entailment) and math.isfinite(s.contradiction) for s in scores):
        return Judgement("failed", note="the model returned a value that is not a finite number")
    numbers = range(len(scores))
    near = max(numbers, key=lambda i: (scores[i].entailment, -i))
    against = max(numbers, key=lambda i: (scores[i].contradiction, -i))
    entailment, contradiction = scores[near].entailment, scores[against].contradiction
    both = f"entailed by {premises[near].id} ({entailment:.2f}), contradicted by {premises[against].id}"
    note = f"{both} ({contradiction:.2f})" if min(entailment, contradiction) >= tau else ""
    if contradiction >= tau and contradiction > entailment and (overruled or entailment < tau):
        return Judgement("contradicts", premises[against].id, contradiction, entailment, note=note)
    if entailment >= tau:
        return Judgement("entails", premises[near].id, entailment, entailment, note=note)
    return Judgement("neutral", premises[near].id, 1 - max(entailment, contradiction), entailment)


GRAPH = "model.onnx"
"""A folder with this file is opened with onnxruntime."""


@lru_cache(maxsize=2)
def open_nli(name: str) -> NliModel:
    """Load an NLI model and cache it. This blocks and may download from a hub.

    Its name is a folder with `model.onnx`, a folder that transformers can load, or a name on a hub.

    Raises ConfigError: an extra is not installed, no model has that name, or it is not an NLI model.
    """
    folder = Path(os.path.expanduser(name))  # noqa: PTH111  # Path.expanduser raises for an unknown user
    if (folder / GRAPH).is_file():
        try:
            from medground.answering.verify.nli_onnx import open_onnx
        except ImportError as error:
            raise _missing(name, "dense", error) from None
        return open_onnx(name, folder / GRAPH)
    if not folder.is_dir() and (name.startswith((".", "~", os.sep)) or os.path.isabs(name)):  # noqa: PTH117
        raise ConfigError(f"no folder {name!r} with an NLI model; check verify.critic")
    try:
        from medground.answering.verify.nli_torch import open_torch
    except ImportError as error:
        raise _missing(name, "torch", error) from None
    return open_torch(str(folder) if folder.is_dir() else name)


def _missing(name: str, extra: str, error: ImportError) -> ConfigError:
    return ConfigError(
        f'NLI model {name!r} needs the extra "{extra}" ({error.name} is missing); run: pip install "medground[{extra}]"'
    )


# What its judgement of a comparison is worth.

OPPOSITE = "opposite"
"""The flag of a statement of which a text says the opposite."""
_NOT_SHOWN = "this compares two sides, and the rules did not find both in the same roles in the text"


def held_to_sides(claim: Claim, judgement: Judgement) -> Judgement:
    """What counts of a network's judgement of a claim; all of it if the claim compares nothing."""
    leans, each_clause = judgement.leans, WHEREAS.search(claim.within or claim.statement) is not None
    claimed = contrasts(claim.statement, each_clause=each_clause)
    if leans is None or not claimed:
        return judgement
    if all(one.kind == "alike" and not one.arm for one in claimed):
        best = next(view.quote for view in claim.premises if view.id == judgement.best)
        return judgement if is_denied(best) == (leans == "entails") else _open(judgement)
    roles, premise = _found(claim, each_clause)
    if roles == "same":
        return replace(judgement, relation=leans, best=premise, note="") if leans == "entails" else _open(judgement)
    if roles is None:
        return _open(judgement)
    if judgement.relation == "contradicts":
        return replace(judgement, best=premise)
    note = "the text compares these the other way round"
    return Judgement("related", premise, flags=(OPPOSITE,), note=note)


def _open(judgement: Judgement) -> Judgement:
    return Judgement("unsure", judgement.best, note=_NOT_SHOWN)


def _found(claim: Claim, each_clause: bool) -> tuple[Roles | None, str | None]:
    """The roles in which the premises have the sides, and the shortest premise that shows it; None if they differ."""
    found: dict[Roles, str] = {}
    for view in sorted(claim.premises, key=lambda view: len(view.quote)):
        for start, end in sentence_spans(view.quote):
            if roles := roles_in(claim.statement, view.quote[start:end], each_clause=each_clause):
                found.setdefault(roles, view.id)
    return next(iter(found.items())) if len(found) == 1 else (None, None)
