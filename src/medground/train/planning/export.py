"""Write labelled queries as a training set: prompts with tagged plans, in the forms of SFT and DPO.

Source: Omni-RAG, section 4.2.3 and prompt E.7.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from medground.corpus.faults import writing
from medground.described import SourceDescription
from medground.errors import UsageError
from medground.plan.source_plan import SourcePlan, tagged
from medground.train.planning.agreement import agreement
from medground.train.planning.plans import Planned, training_plans
from medground.train.planning.prompts import planner_messages
from medground.train.planning.trainset import FILES, MANIFEST, TrainingManifest
from medground.train.planning.values import Judged
from medground.train.planning.work import read_work


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
