"""Positive and negative plans from labelled queries, written as a training set."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.corpus.faults import writing
from medground.errors import UsageError
from medground.models.planner_weights import Messages, messages
from medground.recipes.omni_rag.operators import ExploredSource, PlanSourcesInput, plan_sources_tagged
from medground.values.source_description import SourceDescription
from medground.values.source_plan import MOST_QUERIES, SourcePlan, SourceQuery, tagged
from medground_evaluate.planning.agreement import agreement
from medground_evaluate.planning.trainset import FILES, MANIFEST, TrainingManifest
from medground_evaluate.planning.work import Asked, Judged, JudgedQuery, Label, read_work

NO_QUERIES = "not explored or not judged"
NO_SOURCE_HELPS = "no source helps: no positive query"


@dataclass(frozen=True)
class Planned:
    """A question with its plans `P+` and `P-`. A plan is None where no query has its label."""

    question: Asked
    positive: SourcePlan | None
    negative: SourcePlan | None

    @property
    def is_pair(self) -> bool:
        """Whether both plans are there, so that it may be used for direct preference optimisation."""
        return self.positive is not None and self.negative is not None


@dataclass(frozen=True)
class TrainingPlans:
    """The plans of all questions that have a positive one, and how many questions were dropped for each reason."""

    planned: tuple[Planned, ...]
    dropped: dict[str, int]

    @property
    def pairs(self) -> tuple[Planned, ...]:
        """D+-: the questions with both plans."""
        return tuple(one for one in self.planned if one.is_pair)


def training_plans(judged: Iterable[Judged], *, seed: int = 0) -> TrainingPlans:
    """The plans of all questions. The same seed gives a question the same plans, whatever other questions there are."""
    planned: list[Planned] = []
    dropped: Counter[str] = Counter()
    for one in judged:
        random_of = random.Random(f"{seed} {one.question.id}")
        plans = Planned(one.question, plan_of(one, "positive", random_of), plan_of(one, "negative", random_of))
        if plans.positive is not None:
            planned.append(plans)
        else:
            dropped[NO_SOURCE_HELPS if one.queries else NO_QUERIES] += 1
    return TrainingPlans(tuple(planned), dict(dropped))


def plan_of(judged: Judged, label: Label, random_of: random.Random) -> SourcePlan | None:
    """At most three random queries of each source with a label; a source without one stays empty.

    None if no source has one.
    """
    sources = dict.fromkeys(one.source for one in judged.queries)
    chosen = {name: _some(_with(judged.queries, name, label), random_of) for name in sources}
    plan = SourcePlan(queries=chosen)
    return plan if plan.size else None


def _with(queries: Sequence[JudgedQuery], source: str, label: Label) -> tuple[SourceQuery, ...]:
    """The distinct queries of a source with a label. A query that also has the other label is in neither plan."""
    mine = [one for one in queries if one.source == source]
    others = {one.query for one in mine if one.label != label}
    return tuple(dict.fromkeys(one.query for one in mine if one.label == label and one.query not in others))


def _some(queries: tuple[SourceQuery, ...], random_of: random.Random) -> tuple[SourceQuery, ...]:
    """At most three of them, in their order."""
    if len(queries) <= MOST_QUERIES:
        return queries
    return tuple(queries[place] for place in sorted(random_of.sample(range(len(queries)), MOST_QUERIES)))


def planner_messages(asked: Asked, sources: Sequence[SourceDescription]) -> Messages:
    """The instructions and the question, as the trained planner gets them."""
    views = tuple(ExploredSource(name=one.name, kind=one.kind, about=one.about) for one in sources)
    value = PlanSourcesInput(question=asked.text, options=asked.options, sources=views)
    return messages(plan_sources_tagged.with_context(asked.context), value)


def export(judged: Path, out: Path, *, seed: int = 0, labels: Path | None = None) -> TrainingManifest:
    """Write the training set of a file of judgements into a folder.

    Args:
        labels: a sheet of labels made by hand; the judge's agreement with them goes into the manifest.

    Raises:
        UsageError: the judgements or the sheet cannot be read, no question has a positive plan, or `out` holds
            something else.
        StorageFailed: it cannot be written.
    """
    if out.exists() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise UsageError(f"{out} is not empty; name another folder")
    head, lines = read_work(judged, Judged)
    plans = training_plans(lines, seed=seed)
    if not plans.planned:
        why = ", ".join(f"{number} {reason}" for reason, number in plans.dropped.items()) or "no question was judged"
        raise UsageError(f"{judged} has no positive plan to learn from ({why}); explore more questions or sources")
    negatives = [one for one in plans.planned if one.negative is not None]
    written = {
        "positive": [_sft(one, one.positive, head.sources) for one in plans.planned],
        "negative": [_sft(one, one.negative, head.sources) for one in negatives],
        "pairs": [_pair(one, head.sources) for one in plans.pairs],
    }
    manifest = TrainingManifest(
        dataset=head.dataset,
        judged_sha256=hashlib.sha256(judged.read_bytes()).hexdigest(),
        labelled_by=f"{head.options.get('by', 'judge')} {head.model}",
        agreement=agreement(labels, lines).told(head.model) if labels else "",
        seed=seed,
        counts={name: len(rows) for name, rows in written.items()},
        dropped=plans.dropped,
        sources=head.sources,
    )
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for which, name in FILES.items():
            (out / name).write_text("".join(_lines(written[which])), encoding="utf-8")
        (out / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return manifest


def _sft(one: Planned, plan: SourcePlan | None, sources: Sequence[SourceDescription]) -> dict[str, Any]:
    return {
        "id": one.question.id,
        "prompt": planner_messages(one.question, sources),
        "completion": _said(plan, sources),
    }


def _pair(one: Planned, sources: Sequence[SourceDescription]) -> dict[str, Any]:
    return {
        "id": one.question.id,
        "prompt": planner_messages(one.question, sources),
        "chosen": _said(one.positive, sources),
        "rejected": _said(one.negative, sources),
    }


def _said(plan: SourcePlan | None, sources: Sequence[SourceDescription]) -> list[dict[str, str]]:
    text = tagged(plan or SourcePlan(), tuple(one.name for one in sources))
    return [{"role": "assistant", "content": text}]


def _lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
