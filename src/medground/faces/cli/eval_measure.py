"""`medground eval measure RUN`, and `medground eval uncertainty RUN RUN ...`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.eval_stop import run_stoppable
from medground.faces.cli.figures import number, percent
from medground.faces.cli.options import Sets, SettingsFile, load_settings
from medground.faces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from medground.evaluate.measures import Measures

WITHIN = (5, 10, 20)
"""Numbers of articles, as in the paper."""


def measure(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's file.")],
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder, for gold headings and reference answers.")
    ] = None,
    embedding: Annotated[
        str | None, typer.Option(help="Model that encodes queries to measure their diversity, such as minilm.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: Sets = None,
    settings: SettingsFile = None,
) -> None:
    """Measure a run from its stored answers and traces: reading depth, queries, MeSH, rounds, long answers."""
    from medground.corpus.embedding import open_embedder
    from medground.evaluate.measures import measure as measured
    from medground.evaluate.results import items_of, read_result
    from medground.evaluate.runs import read_run

    home = load_settings(sets, None, settings).home
    header, lines = read_run(run)
    items = items_of(read_result(run), data) if data is not None else ()
    embedder = open_embedder(embedding, home) if embedding is not None else None
    found = measured(header, list(lines), home, items, embedder)
    if json:
        from pydantic import TypeAdapter

        from medground.evaluate.measures import Measures as Whole

        say_json(TypeAdapter(Whole).dump_json(found, indent=2).decode())
        return
    for line in _lines(found, encoded=embedder is not None):
        say(line)


def uncertainty(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs of the same questions: the samples.")],
    nli: Annotated[str, typer.Option(help="NLI model with a label for contradiction: a folder or hub name.")],
) -> None:
    """Compute the long-text uncertainty (LUQ) of sampled answers; the paper uses nine at a temperature of 0.7."""
    from medground.evaluate.metrics.uncertainty import nli_entailment
    from medground.evaluate.samples import read_samples, uncertainty_of
    from medground.verify.critics.nli.open import open_nli

    samples = read_samples(runs)  # before loading a model
    found = run_stoppable(uncertainty_of(samples, nli_entailment(open_nli(nli))))
    unjudged = sum(one.unjudged for one in found.each.values())
    say(f"{found.samples} samples at temperature {found.temperature:g}, judged by {nli}")
    without = f"{found.mean.without:,} without a value"
    say(f"uncertainty  {number(found.mean.value)} (mean of {found.mean.of:,} questions; {without})")
    if unjudged:
        say(f"unjudged     {unjudged:,} pairs of sentence and answer, left out")


def _lines(found: Measures, *, encoded: bool) -> Iterator[str]:
    yield f"{found.items:,} questions; {found.untraced:,} without a stored trace"
    low, high = found.grounded.interval
    yield f"answers that cite  {percent(found.grounded.value)} [{low:.1%}, {high:.1%}]"
    if found.checked is not None:
        yield f"  after sufficient reading  {percent(found.checked.value)}"
    if (depths := found.depths) is not None:
        counts = ", ".join(f"{articles}: {count:,}" for articles, count in depths.distribution.items()) or "none"
        within = ", ".join(f"{n} {percent(depths.within(n).value)}" for n in WITHIN)
        yield f"articles read until sufficient: mean {number(depths.mean)}, median {number(depths.median)}"
        yield f"    articles: questions  {counts}; never {depths.never:,}"
        yield f"    sufficient within (of all questions)  {within}"
    if (mesh := found.headings) is not None:
        yield (
            f"MeSH of the final query: precision {number(mesh.precision)}, recall {number(mesh.recall)}"
            f" ({mesh.questions:,} questions, {mesh.without_query:,} of them without a heading)"
        )
    for source, queries in found.queries.items():
        spread = f"diversity {number(queries.diversity.value)} ({queries.diversity.of:,} questions with two or more)"
        yield (
            f"{source}: {queries.queries:.2f} queries per question, {number(queries.words.value)} words each,"
            f" {spread if encoded else 'diversity not measured without --embedding'}"
        )
    for stage in found.stages:
        yield f"{stage.name}: {number(stage.seconds.value)} s and {number(stage.tokens.value)} tokens per question"
    if (rewritten := found.rewritten) is not None:
        low, high = rewritten.interval
        share = f"{percent(rewritten.value)} [{low:.1%}, {high:.1%}]"
        yield f"questions rewritten because too little was found: {share} of {rewritten.of:,}"
    if (assessed := found.assessed) is not None:
        yield (
            f"rationales that the judge calls correct: {percent(assessed.correct.value)} of {assessed.correct.of:,};"
            f" quality {number(assessed.quality.value)} of 5 ({assessed.quality.of:,} answers)"
        )
    for point in found.rounds:
        interval = "[{:.1%}, {:.1%}]".format(*point.accuracy.interval)
        yield (
            f"after round {point.number}: accuracy {percent(point.accuracy.value)} {interval},"
            f" macro-F1 {number(point.macro_f1)}; {point.asked:,} questions reached it"
        )
    if found.rouge is not None:
        yield f"ROUGE-L against the reference: F1 {number(found.rouge.value)} ({found.rouge.of:,} questions)"
