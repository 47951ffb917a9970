"""Progress on standard error, as bars or as one live line; and what a build or a search of a corpus has found."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from rich.filesize import decimal

from medground.faces.cli.terminal import bars, begin, console, is_terminal, say, say_data
from medground.language.clean import one_line, some
from medground.wording.templates import printed

if TYPE_CHECKING:
    from rich.status import Status

    from medground.corpus.library import Library
    from medground.corpus.manifest import Manifest
    from medground.corpus.reports import DocumentReport
    from medground.corpus.snapshot import Snapshot
    from medground.engine.search import SearchResult
    from medground.values.steps import Progress, Step


@contextlib.contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Draw one progress bar per step; nothing before the first step, and nothing if `quiet`."""
    if quiet:
        yield lambda step, done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}", markup=False)
    drawn = bars(words, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}

    def show(step: str, done: int, total: int | None) -> None:
        if not tasks:
            begin(drawn)
        if step not in tasks:
            tasks[step] = drawn.add_task(one_line(step), total=total)
        drawn.update(tasks[step], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            drawn.stop()


class StepLine:
    """Shows the current step under the sentences written so far; nothing if `quiet` or standard error is no terminal.

    Attributes:
        kept: trace id of a partial answer that was kept; empty if there is none.
        research: id of the research that can be resumed; empty for another question.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.kept = ""
        self.research = ""
        self._written: list[str] = []
        self._live: Status | None = None
        if is_terminal(err=True) and not quiet:
            self._live = console(err=True).status("", spinner="line")

    def __call__(self, step: Step) -> None:
        """Show a step."""
        from medground.values.steps import Kept, ResearchBegun, Written

        if isinstance(step, ResearchBegun):
            self.research = step.id
        if isinstance(step, Kept) and step.stopped:
            self.kept = step.trace_id
        elif self._live is not None:
            from rich.text import Text

            from medground.wording.progress import in_words

            words = one_line(in_words(step))
            self._written += [words] if isinstance(step, Written) else []
            if words:
                self._live.update(Text("\n".join(dict.fromkeys([*self._written, words]))))

    def __enter__(self) -> Self:
        if self._live is not None:
            begin(self._live)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._live is not None:
            self._live.stop()


_SHOWN = 10


def show_built(library: Library, manifest: Manifest) -> None:
    """Print what a corpus holds now, and what there is to tell of its files."""
    say(f"{manifest.name}: {summary(manifest)}")
    with library.built(manifest.name) as snapshot:
        say(*described(snapshot, whole=False), err=True)


def show_found(found: SearchResult, *, json: bool) -> None:
    """Print the passages that a search found."""
    from medground.corpus.retraction import why_aside

    if json:
        say_data(found)
        return
    if found.notice is not None:
        say(found.notice.sentence, "")
    for note in found.notes:
        say(f"note: {note}", err=True)
    for hit in found.hits:
        passage = hit.passage
        mark = f" [{reason.upper()}]" if (reason := why_aside(passage)) else ""
        page = f"  p. {passage.page}" if passage.page else ""
        say(f"{hit.rank:>3}  {passage.key}{page}  {passage.title[:100]}{mark}")
        say(f"     {' '.join(passage.text.split())[:200]}")
    if not found.hits and not (found.notice and found.notice.stops):
        say("no passages found", err=True)


def described(snapshot: Snapshot, *, whole: bool = True) -> list[str]:
    """What a corpus contains and how it was built; of its files, what could not be read, and what was joined."""
    size = decimal(snapshot.manifest.size)
    return printed(__package__, "corpus", snapshot=snapshot, whole=whole, size=size, most=_SHOWN)


def summary(manifest: Manifest) -> str:
    """Counts, size, vectors and hash of a corpus, in one line."""
    counts = manifest.counts
    parts = [f"{counts.documents:,} documents", f"{counts.passages:,} passages", decimal(manifest.size)]
    parts.append(f"{manifest.embedding.name} vectors" if manifest.embedding else "no vectors")
    if counts.skipped:
        parts.append(f"{counts.skipped:,} skipped")
    if counts.passed_over:
        parts.append(f"{some(counts.passed_over, 'file')} skipped")
    return f"{', '.join(parts)}, {manifest.hash[:16]}"


def joined(snapshot: Snapshot) -> dict[str, list[str]]:
    """What became of joining the documents of each file: by name if there are few, else by number."""
    by_file: dict[str, list[DocumentReport]] = {}
    for entry in snapshot.document_reports():
        by_file.setdefault(entry.file, []).append(entry)
    lines = {}
    for file, entries in by_file.items():
        alone = len({entry.document for entry in entries}) == 1
        whole = [e for e in entries if alone or e.outcome in ("title", "several")]
        joined = sum(entry.outcome == "joined" for entry in entries)
        shown = [] if alone else [f"{joined:,} of {len(entries):,} records joined"]
        lines[file] = [*shown, *((f"{e.document}: " if not alone else "") + e.line() for e in whole)]
    return lines
