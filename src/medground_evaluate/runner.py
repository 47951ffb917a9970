"""Runs a data set through an engine: a line for each item, from the documents that come with it or from sources."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import get_args

from medground.answering import fuse
from medground.corpus import chunk
from medground.engine import Engine
from medground.errors import (
    BudgetExhausted,
    ConfigError,
    MedgroundError,
    ModelFailed,
    SnapshotCorrupt,
    StorageFailed,
    UsageError,
)
from medground.home import Settings
from medground.recipes import open_recipe
from medground.sources import CountingSource, DescribedSource, FactSource, Source, TermsSource
from medground.values import (
    Answer,
    ConceptQuery,
    Document,
    DocumentId,
    Filters,
    Found,
    Hit,
    Lookup,
    PlainWords,
    ProteinQuery,
    Ranker,
    Ranking,
    SnapshotReference,
    SourceKind,
    UsageReport,
)
from medground_evaluate.datasets.loader import Loader, check_release
from medground_evaluate.items import Item, RunLine, Tally
from medground_evaluate.line_file import work_off
from medground_evaluate.run_file import RunFile, make_header

MOST_FOUND = 100
"""Most documents that are recorded."""


class GivenSource:
    """The documents of one item. Every query finds all of them, in the order they are given."""

    name = "given"
    kinds: frozenset[SourceKind] = frozenset(get_args(SourceKind))
    state: SnapshotReference | None = None

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    def accepts(self, lookup: Lookup) -> bool:
        """Any query tree, for rankers by words; the tree itself is ignored."""
        return lookup.wants(Ranker.LEXICAL) and not isinstance(lookup.asked, PlainWords | ConceptQuery | ProteinQuery)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """All passages, in the order the documents are given."""
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} takes query trees for rankers by words")
        passages = [passage for document in self._documents.values() for passage in chunk.chunk(document)]
        limit = lookup.limit or len(passages)
        hits = tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1.0 / rank, source=self.name)
            for rank, passage in enumerate(passages[:limit], start=1)
        )
        return Found(lookup, self.name, rankings=(hits,))

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents by id; others are absent."""
        return {i: self._documents[i] for i in ids if i in self._documents}

    async def close(self) -> None:
        """Nothing is open."""


class RecordingSource:
    """Wraps a source and records the rankings that it gives. What is only counted is not recorded."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name, self.kinds, self.state = source.name, source.kinds, source.state
        # What the source says of itself, so that a plan names it as it does outside of a run.
        self.described = source.described if isinstance(source, DescribedSource) else None
        self.terms = source.terms if isinstance(source, TermsSource) else None
        if isinstance(source, CountingSource):
            self.count = source.count
        self.rankings: list[Ranking] = []

    def accepts(self, lookup: Lookup) -> bool:
        """Whether the wrapped source accepts it."""
        return self._source.accepts(lookup)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Search the wrapped source and record its rankings."""
        found = await self._source.search(lookup, filters)
        self.rankings += found.rankings
        return found

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Documents from the wrapped source."""
        return await self._source.fetch(ids)

    async def close(self) -> None:
        """The wrapped source stays open; its opener closes it."""


def recording(sources: Sequence[Source]) -> list[Source]:
    """The sources, wrapped to record their rankings. Sources of facts have no rankings and stay as they are."""
    return [source if isinstance(source, FactSource) else RecordingSource(source) for source in sources]


def found_documents(sources: Sequence[Source], k: int) -> tuple[DocumentId, ...]:
    """Documents of all recorded rankings, fused by RRF with `k`; each document has the rank of its best passage."""
    recorded = (source for source in sources if isinstance(source, RecordingSource))
    rankings = [ranking for source in recorded for ranking in source.rankings if ranking]
    return tuple(dict.fromkeys(hit.passage.document_id for hit in fuse(rankings, k)))[:MOST_FOUND]


_STOPS = (ConfigError, SnapshotCorrupt, StorageFailed)
"""Errors that would affect every later item too: they stop the run, which can be resumed once they are fixed."""


Watch = Callable[[Tally], None]
"""Called after each item; must be cheap."""


@dataclass(frozen=True)
class Selection:
    """Which items of which file are run, and how.

    Attributes:
        limit: maximum number of items: the first of the file, or of a fixed shuffle if a seed is given.
        seed: of that shuffle. It depends only on the seed and the ids, so a smaller limit selects part of a larger one.
        with_context: use an item's own documents as the only source, instead of the engine's.
        until: the last day of the evidence that is searched.
    """

    dataset: Loader
    path: Path
    split: str = "test"
    limit: int | None = None
    seed: int | None = None
    with_context: bool = False
    until: date | None = None


def run_path(folder: Path, selection: Selection, settings: Settings) -> Path:
    """The default file of a run; its name encodes what is run, so that the same command finds it again."""
    what = [str(selection.limit), str(selection.seed), str(selection.with_context), settings.hash]
    what += [str(selection.until)] if selection.until else []
    words = (selection.dataset.info.name, selection.split, settings.recipe.name, settings.model.default[-40:])
    plain = (re.sub(r"[^A-Za-z0-9.]+", "-", word).strip("-") for word in words)
    return folder / f"{'_'.join([*plain, sha256('/'.join(what).encode()).hexdigest()[:8]])}.jsonl"


def check_searched(settings: Settings) -> None:
    """Refuse to search the starter corpus where the user names none: no figure may be of it by accident."""
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
        out: the run's file; an interrupted run is resumed.
        accept: header fields in which an existing run may differ.

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
    chosen = {name: getattr(selection, name) for name in ("split", "limit", "with_context", "until")}
    chosen |= {"seed": None if selection.limit is None else selection.seed, "accepted": (strange,) if strange else ()}
    header = make_header(engine, dataset=info.name, dataset_hash=digest, items=0, **chosen)
    with RunFile(out, header, accept, lambda: count_items(selection)) as file:
        watch(file.tally)

        async def ask(item: Item) -> None:
            file.append(await ask_item(engine, item, with_context=selection.with_context, until=selection.until))
            watch(file.tally)

        await work_off(selected_items(selection, file.done), ask, concurrency)
        return file.tally


async def ask_item(engine: Engine, item: Item, *, with_context: bool, until: date | None) -> RunLine:
    """The line of one item. A failure also gets a line, with its status.

    Raises ConfigError, SnapshotCorrupt, StorageFailed: no item can be asked.
    """
    sources = recording([GivenSource(item.context)] if with_context else engine.sources)
    # It shares models with the engine, and is never closed.
    view = replace(engine, sources=sources, quotes_instead=False)
    started = monotonic()
    answer: Answer | None = None
    spent: UsageReport | None = None
    trace, error, status = "", "", "failed"
    try:
        filters = Filters(date_to=str(until)) if until else item.question.filters
        answer = await view.ask(item.question.replace(documents=item.documents, filters=filters))
        status = "answered" if answer.decision.status == "decided" else answer.decision.status
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
        usage=answer.usage if answer else spent or UsageReport(seconds=round(monotonic() - started, 3)),
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
        decision, searches = answer.decision, [search for search in answer.searches if search.status == "failed"]
        values = (decision.values or ()) if decision.task == "multiple-choice" else filter(None, [decision.value])
        failed = {
            source.name: source.failure for source in answer.sources if source.state in ("failed", "not configured")
        }
        content |= {
            "answer": tuple(values) if known["status"] == "answered" else (),
            "probability": decision.probability,
            "statements": len(answer.statements),
            "support": answer.support,
            "faithfulness": answer.faithfulness,
            "cited": tuple(dict.fromkeys(evidence.document_id for evidence in answer.evidence)),
            "failed_sources": failed | {s.source: (s.error or "").removeprefix(f"{s.source}: ") for s in searches},
            "text": answer.rationale,
        }
    return RunLine.model_validate(content)


def count_items(selection: Selection) -> int:
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


def selected_items(selection: Selection, done: Collection[str] = ()) -> Iterator[Item]:
    """The selected items that are not done, in the order they are asked. Raises what reading the set raises."""
    read = selection.dataset.read
    if selection.limit is None or selection.seed is None:
        left = None if selection.limit is None else selection.limit - len(done)
        yield from islice(read(selection.path, selection.split, lambda i: i not in done), left)
        return
    ids = selection.dataset.ids(selection.path, selection.split)
    chosen = sorted(ids, key=lambda i: shuffle_key(i, selection.seed))[: selection.limit]
    order = [i for i in chosen if i not in done]
    wanted = frozenset(order)
    items = {item.id: item for item in read(selection.path, selection.split, wanted.__contains__)}
    for i in order:
        yield items.pop(i)


def shuffle_key(item: str, seed: int | None) -> str:
    """The sort key of an item in the shuffle of a seed."""
    return sha256(f"{seed}:{item}".encode()).hexdigest()
