"""`medground eval judge RUN [RUN]` and `medground eval judged FILE ...`: judges of explanations and long answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.eval_judge_show import shown_judgements
from medground.faces.cli.eval_stop import run_stoppable
from medground.faces.cli.options import Quiet, Sets, SettingsFile, load_settings
from medground.faces.cli.terminal import count, page, say, say_json

if TYPE_CHECKING:
    from medground.evaluate.judges.judge import Watch
    from medground.evaluate.judges.judged import JudgedRun
    from medground.evaluate.judges.lines import Judgement
    from medground.settings import Settings


def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's file.")],
    model: Annotated[str, typer.Option(help="The judge; it must not have written any of the runs.")],
    other: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="Another run over the same set.")] = None,
    data: Annotated[Path | None, typer.Option(help="The set's file, for the reference answers of one run.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Judge only the first N questions.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of judgements in parallel.")] = 1,
    out: Annotated[Path | None, typer.Option(help="File of the judgements; by default in the home folder.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: Sets = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Compare two runs' explanations where both are correct, in both orders, or mark one run's long answers."""
    from medground.errors import UsageError
    from medground.evaluate.judges.judged import JudgedRun, place_of

    if (other is None) == (data is None):
        raise UsageError("give two runs to compare them, or one run and --data to mark its long answers")
    # The judge is the model named here, whatever the settings say about single operators.
    chosen = load_settings(sets, None, settings, {"model.default": model, "model.operators": {}})
    runs = [JudgedRun.read(path) for path in (run, other) if path]
    place = out or place_of(chosen.home, model, [run.name for run in runs])
    lines = run_stoppable(_judged(runs, data, place, limit, concurrency, chosen, quiet=quiet))
    (say_json if json else page)(shown_judgements(lines, json=json))
    if not json:
        say("", *([_compared(runs)] if other else []), f"judgements: {place}")


def judged(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of judgements by models or people.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Summarise judgements and, with several judges, show how far they agree."""
    from medground.evaluate.judges.form import read_marked
    from medground.text.english import some

    found = read_marked(files)
    (say_json if json else page)(shown_judgements(found.lines, json=json))
    if found.blank and not json:
        say("", f"{some(found.blank, 'answer')} not marked yet")


def form(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's file.")],
    data: Annotated[Path, typer.Option(help="The set's file, for the reference answers.")],
    out: Annotated[Path, typer.Option(help="The form, a new file.")],
    sets: Sets = None,
    settings: SettingsFile = None,
) -> None:
    """Write a form in which a person marks a run's long answers; read it with `medground eval judged`."""
    from medground.evaluate.judges.form import SCALE, blank_form, write_form
    from medground.evaluate.judges.judged import JudgedRun
    from medground.evaluate.judges.material import quotes_of, references_of
    from medground.text.english import some

    read = JudgedRun.read(run)
    home = load_settings(sets, None, settings).home
    lines = list(blank_form(read, references_of(read, data), quotes_of(read, home)))
    write_form(lines, out)
    say(f"{some(len(lines), 'answer')} to mark in {out}: fill in `judge`, and each mark of `marks` from 1 to 5")
    for axis, scale in SCALE.items():
        say(f"  {axis:<17} {scale}")
    say(f"then: medground eval judged {out}")


def shown_judging(*, quiet: bool) -> Watch:
    """A watch that draws one line on standard error; it draws nothing when `quiet`."""

    def watch(done: int, of: int) -> None:
        if not quiet:
            count(f"{done:,} of {of:,} judged", ended=done == of)

    return watch


async def _judged(
    runs: list[JudgedRun],
    data: Path | None,
    out: Path,
    limit: int | None,
    concurrency: int,
    settings: Settings,
    *,
    quiet: bool,
) -> list[Judgement]:
    from medground.evaluate.judges.judge import judge_long, judge_pairs
    from medground.evaluate.judges.material import quotes_of, references_of
    from medground.models.open import open_models
    from medground.operators.catalogue import operator_names

    watch = shown_judging(quiet=quiet)
    models = open_models(settings, operator_names())
    try:
        if data is None:
            one, other = runs
            return await judge_pairs(models, one, other, out, limit=limit, concurrency=concurrency, watch=watch)
        return await judge_long(
            models,
            runs[0],
            references_of(runs[0], data),
            out,
            documents=quotes_of(runs[0], settings.home),
            limit=limit,
            concurrency=concurrency,
            watch=watch,
        )
    finally:
        await models.close()


def _compared(runs: list[JudgedRun]) -> str:
    from medground.evaluate.judges.judged import pairs_of

    found = pairs_of(*runs)
    without = f", {found.unexplained:,} more without an explanation" if found.unexplained else ""
    return f"both correct: {len(found.right):,} of {found.both:,} questions{without}"
