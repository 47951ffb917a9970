"""`medground train planner explore` and `judge`: which queries find what supports the gold answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.terminal import page, say

if TYPE_CHECKING:
    from medground.train.planning.explore import Finished

Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write; an unfinished one is resumed.")]
Workers = Annotated[int, typer.Option(min=1, help="Questions at the same time.")]
Check = Annotated[bool, typer.Option("--check", help="Only say what it will need.")]
Corpora = Annotated[list[str] | None, typer.Option("--corpus", "-c", help="Corpus to search; repeatable.")]
Model = Annotated[str | None, typer.Option(help="Model that answers; keyless by default.")]


def explore(
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="File or folder of a data set.")],
    out: Out,
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its data set; recognised by its content by default.")
    ] = None,
    as_training: Annotated[
        bool, typer.Option("--as-training", help="Take questions of every split: none of them will ever be asked.")
    ] = False,
    queries: Annotated[int, typer.Option(min=1, max=12, help="Queries for each source.")] = 6,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Explore only this source; repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Most questions; all by default.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for the order of the questions.")] = 0,
    workers: Workers = 1,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: Model = None,
    check: Check = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Try several queries for each source and training question, and keep what each finds."""
    from medground.evaluate.runner import check_searched
    from medground.faces.cli.eval_stop import run_stoppable
    from medground.faces.cli.progress import shown_progress
    from medground.train.demonstrations.records import Source
    from medground.train.planning.explore import Exploration, check_exploring, explore_questions

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})
    check_searched(chosen)
    wanted = Exploration(Source(source, dataset, (), as_training), queries, tuple(only or ()), limit, seed)
    if check:
        page(run_stoppable(check_exploring(wanted, chosen)).told())
        return
    with shown_progress(quiet=quiet) as progress:
        finished = run_stoppable(explore_questions(wanted, chosen, out, workers=workers, progress=progress))
    _tell(finished, workers)


def judge(
    explored: Annotated[Path, typer.Argument(help="File that explore wrote.", metavar="EXPLORED")],
    out: Out,
    by: Annotated[
        str, typer.Option(help="The signal: judge, gain (a reader's accuracy or ROUGE-L) or rerank (2.3 or more).")
    ] = "judge",
    passages: Annotated[
        int | None, typer.Option(min=1, help="Most passages of a query that are read; all by default.")
    ] = None,
    workers: Workers = 1,
    model: Model = None,
    check: Check = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Label every query: does what it found support the gold answer?"""
    from medground.errors import UsageError
    from medground.faces.cli.eval_stop import run_stoppable
    from medground.faces.cli.progress import shown_progress
    from medground.train.planning.cost import estimate_judging
    from medground.train.planning.judging import judge_explored
    from medground.train.planning.labels import METHODS
    from medground.train.planning.values import Explored
    from medground.train.planning.work import read_work

    method = next((one for one in METHODS if one == by), None)
    if method is None:
        raise UsageError(f"unknown signal {by[:40]!r}; use --by {', '.join(METHODS)}")
    chosen = load_settings(sets, preset, settings, {"retrieval.corpora": (), "model.default": model})
    if check:
        who = chosen.model.operators.get("judge_found", chosen.model.default)
        page(estimate_judging(read_work(explored, Explored)[1], passages, who).told())
        return
    with shown_progress(quiet=quiet) as progress:
        finished = run_stoppable(
            judge_explored(explored, chosen, out, by=method, passages=passages, workers=workers, progress=progress)
        )
    _tell(finished, workers)


def _tell(finished: Finished, workers: int) -> None:
    """What there is now, what it cost for each question, and what could not be finished."""
    from medground.train.planning.told import lines_of

    for line in lines_of(finished, workers):
        say(line)
    for one in finished.unfinished:
        say(f"not finished: {one.id}: {one.reason}", err=True)
    if finished.unfinished:
        say(f"{len(finished.unfinished)} questions are not finished; run the same command to try again", err=True)
        raise typer.Exit(1)
