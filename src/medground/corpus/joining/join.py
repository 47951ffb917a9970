"""The phase of a build that joins documents with their records. Texts stay, so it comes before they are cut."""

from __future__ import annotations

from collections.abc import Sequence

from medground.corpus.joining.agree import decide
from medground.corpus.joining.base import Records
from medground.corpus.joining.merge import merged
from medground.corpus.manifest import Enriched
from medground.corpus.writer import DatabaseWriter
from medground.document import Document
from medground.errors import SourceUnavailable
from medground.own_loop import OwnLoop
from medground.progress import Progress

_BATCH = 200


def join_records(
    database: DatabaseWriter,
    sources: Sequence[Records],
    progress: Progress,
    before: Sequence[Enriched] = (),
    *,
    anew: bool = False,
) -> None:
    """Ask the sources, in their order, for the records of all documents for which they have not answered yet.

    A source that is in another state than `before` is asked for all documents; with `anew`, each source is.

    A document of which a source that is no longer among them had filled fields becomes as its file has it, and is then
    filled by the others. What one source fills, the next finds filled. Each batch is committed, so that work that was
    stopped goes on where it was.

    Raises:
        ConfigError: PubMed rejected the API key.
        SnapshotCorrupt: a corpus of records has changed since it was built.
    """
    names = [source.source for source in sources]
    states = {entry.source: entry.state for entry in before}
    if not database.state("asked anew"):
        for source in sources:
            if anew or states.get(source.source, source.state) != source.state:
                database.joins.ask_again(source.source)
        database.set_state("asked anew", 1)
    what = f"join with {', '.join(source.name for source in sources)}" if sources else "forget records"
    failed: dict[str, str] = {}
    total, done, last = database.count(), 0, 0
    with OwnLoop() as loop:
        try:
            while batch := database.joins.waiting(names, last, _BATCH):
                _join_batch(database, sources, [document for _, document in batch], failed, loop)
                database.commit()
                last, done = batch[-1][0], done + len(batch)
                progress(what, done, total)
        finally:
            for source in sources:
                loop.wait(source.close())


def _join_batch(
    database: DatabaseWriter,
    sources: Sequence[Records],
    stored: Sequence[Document],
    failed: dict[str, str],
    loop: OwnLoop,
) -> None:
    owned = [database.own_version(document) for document in stored]
    filled = [*owned]
    for source in sources:
        found = _found(source, filled, failed, loop)
        for row, document in enumerate(filled):
            outcome, record = ("failed", None) if found is None else decide(document, found[row])
            if not document.paper:
                outcome = "no id"
            detail = failed[source.source] if outcome == "failed" else record.id if record else ""
            database.joins.note(document.id, source.source, outcome, detail)
            if record is not None:
                filled[row] = merged(document, record, source.source)
    for before, own, after in zip(stored, owned, filled, strict=True):
        if not any(note.source in failed for note in before.joined):  # what a source had filled stays until it answers
            database.amend(before, own, after)
        database.joins.drop_others(before.id, [source.source for source in sources])


def _found(
    source: Records, documents: Sequence[Document], failed: dict[str, str], loop: OwnLoop
) -> list[tuple[Document, ...]] | None:
    """What a source finds for each document; None if it cannot be asked. One that failed is not asked again."""
    if source.source in failed:
        return None
    try:
        return loop.wait(source.find(documents))
    except SourceUnavailable as error:
        failed[source.source] = error.reason
        return None
