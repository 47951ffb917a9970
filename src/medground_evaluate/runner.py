"""Runs a data set through an engine: one line for each item, whatever its outcome; several items at once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from medground.engine.engine import Engine
from medground.errors import (
    BudgetExhausted,
    ConfigError,
    MedgroundError,
    ModelFailed,
    SnapshotCorrupt,
    StorageFailed,
    UsageError,
)
from medground.home.line_file import work_off
from medground.home.settings import Settings
from medground.recipes.base import open_recipe
from medground.values.answer import Answer
from medground.values.usage import UsageReport
from medground_evaluate.datasets.loader import Loader, check_release
from medground_evaluate.items import Item, RunLine, RunStatus
from medground_evaluate.manifest import make_header
from medground_evaluate.recorded_sources import GivenSource, found_documents, recording
from medground_evaluate.run_file import RunFile
from medground_evaluate.tally import Tally

_STATUS: dict[str, RunStatus] = {"decided": "answered"}
_STOPS = (ConfigError, SnapshotCorrupt, StorageFailed)
"""Errors that would affect every later item too: they stop the run, which can be resumed once they are fixed."""


class Watch(Protocol):
    """Called after each item; must be cheap."""

    def __call__(self, tally: Tally, /) -> None:
        """Show the progress of the run."""
        ...


@dataclass(frozen=True)
class Selection:
    """Which items of which file are run, and how.

    Attributes:
        path: the data set's file, as published.
        split: `test`, `train`, `validation`, `unknown`, or `all`.
        limit: maximum number of items: the first of the file, or of a fixed shuffle if a seed is given.
        seed: of that shuffle. It depends only on the seed and the ids, so a smaller limit selects part of a larger one.
        with_context: use an item's own documents as the only source, instead of the engine's.
    """

    dataset: Loader
    path: Path
    split: str = "test"
    limit: int | None = None
    seed: int | None = None
    with_context: bool = False


def check_searched(settings: Settings) -> None:
    """Refuse to search the starter corpus where the user names none: no figure may be of it by accident.

    Raises:
        UsageError: neither a corpus nor a knowledge base is named; or there is no such recipe.
    """
    named = "corpora" in settings.retrieval.model_fields_set  # a knowledge base sets it too
    if not named and open_recipe(settings.recipe.name).needs_evidence:
        raise UsageError(
            "no corpus is named for these questions; add --corpus NAME (`medground corpus list` shows yours), or "
            "--set retrieval.corpora= to search other sources alone"
        )


async def run_set(
    engine: Engine,
    selection: Selection,
    out: Path,
    *,
    concurrency: int = 1,
    accept: Collection[str] = (),
    watch: Watch = lambda tally: None,
) -> Tally:
    """Ask every item that has no line in `out` yet, and append its line. Lines once written are kept.

    Args:
        engine: an open engine; it stays open.
        selection: what is run.
        out: the run's file; an interrupted run is resumed.
        concurrency: number of items in parallel.
        accept: header fields in which an existing run may differ.
        watch: called after each item.

    Raises:
        UsageError: the data set has no such items or is not the published one; `out` holds another run.
        ConfigError: a model cannot be used as configured.
        SnapshotCorrupt: a corpus is damaged.
        StorageFailed: writing failed.
    """
    if concurrency < 1:
        raise UsageError(f"a run needs a concurrency of at least 1, not {concurrency}")
    if selection.limit is not None and selection.limit < 1:
        raise UsageError(f"a run needs a limit of at least 1, not {selection.limit}")
    info = selection.dataset.info
    digest = selection.dataset.hash(selection.path)
    strange = check_release(info, selection.path, digest, accept)
    header = make_header(
        engine,
        dataset=info.name,
        dataset_hash=digest,
        accepted=(strange,) if strange else (),
        split=selection.split,
        limit=selection.limit,
        seed=selection.seed if selection.limit is not None else None,
        with_context=selection.with_context,
        items=0,
    )
    with RunFile.open(out, header, accept, lambda: _count(selection)) as file:
        watch(file.tally)
        items = selected_items(selection, file.done)
        await _ask_all(engine, items, file, concurrency, selection.with_context, watch)
        return file.tally


async def _ask_all(
    engine: Engine, items: Iterator[Item], file: RunFile, concurrency: int, with_context: bool, watch: Watch
) -> None:
    async def ask(item: Item) -> None:
        file.append(await ask_item(engine, item, with_context=with_context))
        watch(file.tally)

    await work_off(items, ask, concurrency)


async def ask_item(engine: Engine, item: Item, *, with_context: bool = False) -> RunLine:
    """The line of one item. A failure also gets a line, with its status.

    Raises:
        ConfigError, SnapshotCorrupt, StorageFailed: no item can be asked.
    """
    sources = recording([GivenSource(item.context)] if with_context else engine.sources)
    view = replace(engine, sources=sources)  # it shares models with the engine, and is never closed
    started = time.monotonic()
    answer: Answer | None = None
    spent: UsageReport | None = None
    trace, error, status = "", "", "failed"
    try:
        answer = await view.ask(item.question.model_copy(update={"documents": item.documents}))
        status = _STATUS.get(answer.decision.status, answer.decision.status)
    except BudgetExhausted as reached:
        answer, error, status = reached.answer, str(reached), "budget"
    except _STOPS:
        raise
    except MedgroundError as failed:
        spent, trace, error = failed.spent, failed.trace_id or "", str(failed)
        status = "unreadable" if isinstance(failed, ModelFailed) and failed.unreadable else "failed"
    except Exception as failed:  # noqa: BLE001 - the edge of one item: its error is its result
        error = f"{type(failed).__name__}: {failed}"
    return _line(
        item,
        answer,
        status=status,
        error=" ".join(error.split()),
        usage=answer.usage if answer else spent or UsageReport(seconds=round(time.monotonic() - started, 3)),
        trace=answer.trace_id if answer else trace,
        found=found_documents(sources, engine.settings.retrieval.fusion_k),
        settings_hash=engine.settings.hash,
    )


def _line(item: Item, answer: Answer | None, **known: object) -> RunLine:
    content: dict[str, object] = {
        "id": item.id,
        "question": item.question.text,
        "task": item.question.task,
        "gold": item.gold,
        "gold_documents": item.documents,
        **known,
    }
    if answer is not None:
        content |= {
            "answer": _values(answer) if known["status"] == "answered" else (),
            "probability": answer.decision.probability,
            "statements": len(answer.statements),
            "support": answer.support,
            "faithfulness": answer.faithfulness,
            "cited": tuple(dict.fromkeys(evidence.document_id for evidence in answer.evidence)),
            "failed_sources": _failed_sources(answer),
            "text": answer.rationale,
        }
    return RunLine.model_validate(content)


def _failed_sources(answer: Answer) -> dict[str, str]:
    failed = {s.source: (s.error or "").removeprefix(f"{s.source}: ") for s in answer.searches if s.status == "failed"}
    return {one.name: one.failure for one in answer.sources if one.state in ("failed", "not configured")} | failed


def _values(answer: Answer) -> tuple[str, ...]:
    decision = answer.decision
    if decision.task == "multiple-choice":
        return decision.values or ()
    return (decision.value,) if decision.value else ()


def _count(selection: Selection) -> int:
    """The number of items. Each is built once, before the first one costs anything."""
    count = 0
    for item in selected_items(selection):
        count += 1
        if selection.with_context and not item.context:
            raise UsageError(f"{item.id!r} of {selection.dataset.info.name} has no context; run without --with-context")
    if count == 0:
        raise UsageError(
            f"{selection.path} has no question of split {selection.split!r}; the splits of "
            f"{selection.dataset.info.name} are {', '.join(selection.dataset.info.sizes)}, or all; use --split"
        )
    return count


def _ids(selection: Selection) -> Iterator[str]:
    return selection.dataset.ids(selection.path, selection.split)


def selected_items(selection: Selection, done: Collection[str] = ()) -> Iterator[Item]:
    """The selected items that are not done, in the order they are asked. Raises what reading the set raises."""
    read = selection.dataset.read
    if selection.limit is None or selection.seed is None:
        left = None if selection.limit is None else selection.limit - len(done)
        yield from islice(read(selection.path, selection.split, lambda i: i not in done), left)
        return
    chosen = sorted(_ids(selection), key=lambda i: shuffle_key(i, selection.seed))[: selection.limit]
    order = [i for i in chosen if i not in done]
    wanted = frozenset(order)
    items = {item.id: item for item in read(selection.path, selection.split, wanted.__contains__)}
    for i in order:
        yield items.pop(i)


def shuffle_key(item: str, seed: int | None) -> str:
    """The sort key of an item in the shuffle of a seed."""
    return hashlib.sha256(f"{seed}:{item}".encode()).hexdigest()
