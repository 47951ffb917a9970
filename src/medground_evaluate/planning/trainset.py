"""A training set: positive and negative plans from labelled queries, on disk, and how a planner is trained on it.

A planner is asked in training exactly what it is asked when it plans (prompt E.7). The defaults of its training are
those of the paper where it names them (Omni-RAG, appendix D.4).
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Literal

from pydantic import Field, PositiveFloat, ValidationError

from medground.corpus import writing
from medground.errors import BadDocument, UsageError
from medground.models import planner
from medground.recipes import PlanSourcesInput, explored, plan_sources_tagged
from medground.values import MOST_QUERIES, AtLeastOne, Frozen, SourceDescription, SourcePlan, tagged
from medground_evaluate.line_file import whole_lines
from medground_evaluate.planning.judging import agreement
from medground_evaluate.planning.work import Judged, Label, TrainItem, read_work

Which = Literal["positive", "negative", "pairs"]
FILES: dict[Which, str] = {"positive": "sft.jsonl", "negative": "sft-negative.jsonl", "pairs": "dpo.jsonl"}
MANIFEST = "manifest.json"


class TrainingManifest(Frozen):
    """How a training set was made.

    Attributes:
        labelled_by: the signal, and who gave it.
        agreement: the judge beside labels made by hand, in a line; empty if they were not compared.
        dropped: questions that are in no file, by reason.
    """

    form: Literal["medground-planner-training-1"] = "medground-planner-training-1"
    dataset: str
    judged_sha256: str
    labelled_by: str
    agreement: str = ""
    seed: int
    counts: dict[str, int]
    dropped: dict[str, int] = Field(default_factory=dict)
    sources: tuple[SourceDescription, ...]


NO_QUERIES = "not explored or not judged"
NO_SOURCE_HELPS = "no source helps: no positive query"


@dataclass(frozen=True)
class Planned:
    """A question with its plans `P+` and `P-`. A plan is None where no query has its label."""

    question: TrainItem
    positive: SourcePlan | None
    negative: SourcePlan | None


def training_plans(judged: Iterable[Judged], *, seed: int = 0) -> tuple[list[Planned], dict[str, int]]:
    """The plans of all questions that have a positive one, and how many questions were dropped for each reason.

    The same seed gives a question the same plans, whatever other questions there are.
    """
    planned: list[Planned] = []
    dropped = Counter[str]()
    for one in judged:
        random_of = Random(f"{seed} {one.question.id}")
        plans = Planned(one.question, plan_of(one, "positive", random_of), plan_of(one, "negative", random_of))
        if plans.positive is not None:
            planned.append(plans)
        else:
            dropped[NO_SOURCE_HELPS if one.queries else NO_QUERIES] += 1
    return planned, dict(dropped)


def plan_of(judged: Judged, label: Label, random_of: Random) -> SourcePlan | None:
    """At most three random queries of each source with a label; a source without one stays empty.

    None if no source has one. A query that also has the other label is in neither plan.
    """
    chosen = {}
    for name in dict.fromkeys(query.source for query in judged.queries):
        mine = [query for query in judged.queries if query.source == name]
        others = {one.query for one in mine if one.label != label}
        fitting = [*dict.fromkeys(one.query for one in mine if one.label == label and one.query not in others)]
        places: Iterable[int] = range(len(fitting))
        if len(fitting) > MOST_QUERIES:
            places = sorted(random_of.sample(range(len(fitting)), MOST_QUERIES))
        chosen[name] = tuple(fitting[place] for place in places)
    plan = SourcePlan(queries=chosen)
    return plan if plan.size else None


def planner_messages(asked: TrainItem, sources: Sequence[SourceDescription]) -> planner.Messages:
    """The instructions and the question, as the trained planner gets them."""
    value = PlanSourcesInput(question=asked.text, options=asked.options, sources=explored(sources))
    return planner.messages(plan_sources_tagged.with_context(asked.context), value)


def export(
    judged: Sequence[Path], out: Path, *, seed: int = 0, labels: Path | None = None, without: Sequence[str] = ()
) -> TrainingManifest:
    """Write the training set of files of judgements, one for each data set, into a folder.

    Args:
        without: sources that are in no prompt and no plan (Table 8).
        labels: a sheet of labels made by hand; the judge's agreement with them goes into the manifest.

    Raises UsageError: the judgements or the sheet cannot be read, the files are of different sources, no question has a
    positive plan, or `out` holds something else; StorageFailed: it cannot be written.
    """
    if out.exists() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise UsageError(f"{out} is not empty; name another folder")
    heads, lines, head = [], [], read_work(judged[0], Judged)[0]
    for path in judged:
        own, some = read_work(path, Judged)
        if (own.sources, own.model, own.options.get("by")) != (head.sources, head.model, head.options.get("by")):
            raise UsageError(f"{path} and {judged[0]} have other sources, or another judge; export them one by one")
        heads.append(own.dataset)
        lines += [one.without(without) for one in some]
    sources = tuple(one for one in head.sources if one.name not in without)
    if len(sources) + len(set(without)) > len(head.sources):
        raise UsageError(f"--without: choose from the sources {', '.join(one.name for one in head.sources)}")
    planned, dropped = training_plans(lines, seed=seed)
    if not planned:
        why = ", ".join(f"{number} {reason}" for reason, number in dropped.items()) or "no question was judged"
        raise UsageError(f"{judged[0]} has no positive plan to learn from ({why}); explore more questions or sources")
    written: dict[Which, list[dict[str, Any]]] = {"positive": [], "negative": [], "pairs": []}
    for one in planned:
        asked = {"id": one.question.id, "prompt": planner_messages(one.question, sources)}
        names = tuple(source.name for source in sources)
        positive, negative = (
            [{"role": "assistant", "content": tagged(plan or SourcePlan(), names)}]
            for plan in (one.positive, one.negative)
        )
        written["positive"].append({**asked, "completion": positive})
        if one.negative is not None:
            written["negative"].append({**asked, "completion": negative})
            written["pairs"].append({**asked, "chosen": positive, "rejected": negative})
    manifest = TrainingManifest(
        dataset=", ".join(dict.fromkeys(heads)),
        judged_sha256=sha256(b"".join(path.read_bytes() for path in judged)).hexdigest(),
        labelled_by=f"{head.options.get('by', 'judge')} {head.model}",
        agreement=agreement(labels, lines).line(head.model) if labels else "",
        seed=seed,
        counts={name: len(rows) for name, rows in written.items()},
        dropped=dropped,
        sources=sources,
    )
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for which, name in FILES.items():
            rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in written[which])
            (out / name).write_text(rows, encoding="utf-8")
        (out / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return manifest


def read_manifest(folder: Path) -> tuple[TrainingManifest, str]:
    """The manifest, and its SHA-256."""
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except OSError:
        raise UsageError(f"{folder} holds no training set; write one with medground train planner export") from None
    try:
        return TrainingManifest.model_validate_json(content), sha256(content).hexdigest()
    except ValidationError:
        raise BadDocument("not the manifest of a planner's training set", file=path) from None


def read_examples(folder: Path, which: Which, *, ratio: float = 1.0, seed: int = 0) -> list[dict[str, Any]]:
    """The examples of a training set, or a random share of them (Figure 5)."""
    if not 0 < ratio <= 1:
        raise UsageError(f"a data ratio of {ratio:g} is not possible; use a number above 0, up to 1")
    path = folder / FILES[which]
    found: list[dict[str, Any]] = []
    for number, raw in whole_lines(path, "export the set again"):
        try:
            found.append(json.loads(raw))
        except ValueError:
            raise BadDocument("not a line of JSON", file=path, position=number) from None
    if not found:
        raise UsageError(_NONE[which].format(path=path))
    if ratio < 1:
        places = Random(seed).sample(range(len(found)), max(1, round(ratio * len(found))))
        found = [found[place] for place in sorted(places)]
    return found


_NONE: dict[Which, str] = {
    "positive": "{path} has no positive plan: no source helped with any question; explore more questions or sources",
    "negative": "{path} has no negative plan: every query helped, so there is nothing to compare with",
    "pairs": "{path} has no pair of a positive and a negative plan, so there is no preference to learn; explore more "
    "questions or sources",
}


BETA = 0.1
"""The strength of the preference. The paper does not name its value; this is that of Rafailov et al., 2023."""

Stage = Literal["sft", "dpo"]


class TrainingOptions(Frozen):
    """Options of one stage.

    Attributes:
        stage: supervised fine-tuning (Eq. 2) or direct preference optimisation (Eq. 3 and 4).
        which: the plans of supervised fine-tuning; `negative` for the comparison of Table 10.
        at_once: how many of a batch are computed at the same time; fewer need less memory.
        ratio: random share of the training set (Figure 5).
        rank, alpha, dropout: of the adapter (LoRA). The paper does not name them.
        longest: examples of more tokens, prompt and plan, are left out, never cut.
        beta: of Eq. 4. The paper does not name it.
    """

    stage: Stage
    which: Which = "positive"
    batch: AtLeastOne = 64
    at_once: AtLeastOne = 4
    learning_rate: PositiveFloat
    epochs: PositiveFloat
    ratio: float = Field(default=1.0, gt=0, le=1)
    rank: AtLeastOne = 16
    alpha: AtLeastOne = 32
    dropout: float = Field(default=0.05, ge=0, lt=1)
    longest: int = Field(default=4096, ge=16)
    beta: PositiveFloat = BETA
    save_every: AtLeastOne = 20
    seed: int = 0


SFT = TrainingOptions(stage="sft", learning_rate=2.5e-4, epochs=5)
DPO = TrainingOptions(stage="dpo", which="pairs", learning_rate=5e-6, epochs=3)
