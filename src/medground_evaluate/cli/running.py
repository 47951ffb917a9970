"""Running an evaluation that Ctrl-C can stop, its progress line, and its summary."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from typer import Argument, Option

from medground.faces import bars, begin, out_option, say
from medground.language import one_line

if TYPE_CHECKING:
    from medground.values import Document
    from medground_evaluate.items import Tally
    from medground_evaluate.runner import Watch


def documents_of(home: Path, corpora: Sequence[str] | None, files: Sequence[Path] = ()) -> Iterator[Document]:
    """The documents of some corpora, or of all but the starter corpus, then those of files or folders."""
    from medground.corpus import Library, find_inputs
    from medground.values import Document

    library = Library(home)
    for name in [one for one in library.list() if one != "starter"] if corpora is None else corpora:
        with library.open(name) as snapshot:
            yield from snapshot.all_documents()
    for one in find_inputs(files) if files else ():
        yield from (item for item in one.read(0) if isinstance(item, Document))


def aligned(rows: Sequence[Sequence[str]], *, indent: str = "", right: bool = False) -> Iterator[str]:
    """Lines of a table, two spaces between columns; with `right` all columns but the first are flush right."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        sides = ["<", *((">" if right else "<") for _ in row[1:])]
        padded = (f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True))
        yield (indent + "  ".join(padded)).rstrip()


SetName = Annotated[
    str | None, Option("--dataset", metavar="NAME", help="Its data set; recognised by its content by default.")
]
AsTraining = Annotated[bool, Option("--as-training", help="Use questions of every split, none of them for evaluation.")]
Corpora = Annotated[list[str] | None, Option("--corpus", "-c", help="Corpus to search or read; repeatable.")]
RunFile = Annotated[Path, Argument(metavar="RUN", help="A run's file.")]
SetFile = Annotated[Path, Option(help="The set's file, or its folder.")]
Split = Annotated[str, Option(help="test, train, validation, unknown, or all.")]
Model = Annotated[str | None, Option(help="Model that the operators call; keyless by default.")]
Concurrency = Annotated[int, Option(min=1, help="Number of questions in parallel.")]
Seed = Annotated[int | None, Option(help="Shuffle with this seed before applying --limit.")]
Out = Annotated[Path | None, out_option("The run's file; by default in the home folder.")]

T = TypeVar("T")


def run_stoppable(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, but silent about tasks that a second Ctrl-C interrupts while the first is being handled."""

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), KeyboardInterrupt):
            loop.default_exception_handler(context)

    async def quiet() -> T:
        asyncio.get_running_loop().set_exception_handler(handle)
        return await work

    return asyncio.run(quiet())


@contextlib.contextmanager
def shown_run(*, quiet: bool) -> Iterator[Watch]:
    """A watch that draws one line on standard error; it draws nothing when `quiet`."""
    if quiet:
        yield lambda tally: None
        return
    from rich import progress as rich

    columns = (rich.TextColumn("{task.description}", markup=False), rich.BarColumn(), rich.MofNCompleteColumn())
    left = (rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn())
    # With a local model a question takes minutes, so the speed is averaged over many questions.
    drawn = bars(*columns, *left, speed_estimate_period=3600.0, refresh_per_second=2)
    tasks: list[rich.TaskID] = []

    def show(tally: Tally) -> None:
        if not tasks:  # questions answered before this start say nothing about the speed
            begin(drawn)
            tasks.append(drawn.add_task("", total=tally.items, completed=tally.lines))
        right = "" if tally.accuracy is None else f"accuracy {tally.accuracy:.1%}"
        price = "price unknown" if tally.usage.price is None else f"${tally.usage.price:.2f}"
        told = "  ".join(part for part in (right, f"{tally.usage.tokens:,} tokens", price) if part)
        drawn.update(tasks[0], description=told, completed=tally.lines)

    try:
        yield show
    finally:
        if tasks:
            drawn.stop()


def show_summary(tally: Tally, path: Path) -> None:
    """Print accuracy with its interval, statuses, majority class and cost. Every item counts in the denominator."""
    rows = [("items", f"{tally.items:,}" + (f", {tally.unfinished:,} unfinished" if tally.unfinished else ""))]
    if (share := tally.final).value is not None:
        low, high = share.interval
        shown = f"{share.value:.1%} [{low:.1%}, {high:.1%}] ({share.right:,} of {share.of:,}; 95 % Wilson)"
        rows.append(("accuracy", shown))
    if tally.majority is not None:
        gold, count = tally.majority
        rows.append((f"always {', '.join(gold)!r}", f"{count / tally.scored:.1%} ({count:,} of {tally.scored:,})"))
    rows.append(("statuses", ", ".join(f"{name} {count:,}" for name, count in tally.statuses.most_common()) or "none"))
    rows += [("incomplete", line[:200]) for line in tally.incomplete]
    if tally.error:
        rows.append(("last error", tally.error[:200]))
    used = tally.usage
    if not (used.seconds or used.searches or used.model_calls):  # a run that was imported
        say(*aligned([*rows, ("run", str(path))]))
        return
    paid = f"; paid {used.input_tokens:,} in, {used.output_tokens:,} out" if used.cached_calls else ""
    rows.append(("tokens", f"{used.needed_input:,} in, {used.needed_output:,} out{used.token_notes}{paid}"))
    cached = f" (+{used.cached_calls:,} from the cache)" if used.cached_calls else ""
    rows.append(("calls", f"{used.model_calls:,} model calls{cached}, {used.searches:,} searches"))
    each = used.seconds / tally.lines if tally.lines else 0.0
    rows.append(("seconds", f"{used.seconds:,.1f} for all questions, {each:.2f} each"))
    rows.append(("price", "unknown" if used.price is None else f"${used.price:f}"))
    rows.append(("run", str(path)))
    say(*aligned(rows))
