"""`medground experiment`: the papers' tables, run here and printed next to the published figures."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import Quiet, Sets
from medground.faces.cli.terminal import page, say
from medground_evaluate.cli.running import aligned, run_stoppable, shown_run

if TYPE_CHECKING:
    from medground_evaluate.experiments.form import Experiment
    from medground_evaluate.experiments.run import Made, Options
    from medground_evaluate.runner import Watch

experiment_app = typer.Typer(
    help="Run the papers' tables here and print them next to the published figures.", no_args_is_help=True
)

Judge = Annotated[str | None, typer.Option(help="Model that compares explanations, for the columns that need a judge.")]
Nli = Annotated[
    str | None, typer.Option(help="NLI model that compares sampled answers, for the columns of uncertainty.")
]
Marks = Annotated[list[Path] | None, typer.Option(metavar="FILE", help="A form that a person filled in; repeatable.")]
Accept = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD", help="Resume although this field differs, and record it; repeatable."),
]
Folder = Annotated[Path, typer.Option(help="Folder of the experiment files.")]


@experiment_app.command("list")
def list_experiments(folder: Folder = Path("experiments")) -> None:
    """List every experiment: its name, what it shows, and what it waits for if it cannot be run yet."""
    from medground_evaluate.experiments.form import find_experiments

    found = find_experiments(folder)
    rows = [(one.name, one.shows + ("" if one.runnable else f" ({one.status})")) for _, one in found]
    say(*aligned(rows))


@experiment_app.command("run")
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or a name such as 000/table-1.")],
    data: Annotated[Path, typer.Option(help="Folder with the data sets, directly or in subfolders.")] = Path("data"),
    model: Annotated[str | None, typer.Option(help="Model that answers operators; keyless by default.")] = None,
    judge: Judge = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Keyless, on three questions of each set.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most N questions of each set.")] = None,
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", "-c", help="Search this corpus instead; repeatable.")
    ] = None,
    nli: Nli = None,
    marks: Marks = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of questions in parallel.")] = 1,
    repeat: Annotated[
        int, typer.Option(min=1, help="Runs of each row, for the mean and standard deviation of accuracy.")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs; by default in the home folder.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Save figures and settings there.")] = None,
    accept: Accept = None,
    folder: Folder = Path("experiments"),
    sets: Sets = None,
    quiet: Quiet = False,
) -> None:
    """Run a table's rows and print the paper's figures next to ours; run the same command to resume."""
    from medground.errors import UsageError
    from medground.home.layers import parse_options
    from medground_evaluate.experiments.form import read_experiment
    from medground_evaluate.experiments.run import Options

    if smoke and (model or judge or save):
        raise UsageError("--smoke is a keyless trial on three questions; leave out --model, --judge and --save")
    experiment = read_experiment(_path(file, folder))
    options = Options(
        data=data,
        out=out,
        model=model,
        smoke=smoke,
        limit=limit,
        corpora=tuple(corpus or ()),
        sets=parse_options(sets or []),
        concurrency=concurrency,
        accept=tuple(accept or ()),
        nli=nli,
        marks=tuple(marks or ()),
        repeat=repeat,
    )
    made = run_stoppable(_make(experiment, options, judge, quiet=quiet))
    _show(made)
    if save is not None:
        from medground_evaluate.experiments.table import save as keep

        say(f"saved in {', '.join(map(str, keep(made, save)))}")


def _path(file: str, folder: Path) -> Path:
    named = folder / f"{file}.toml"
    return named if not Path(file).is_file() and named.is_file() else Path(file)


async def _make(experiment: Experiment, options: Options, judge: str | None, *, quiet: bool) -> Made:
    from medground_evaluate.experiments.judging import check_judge
    from medground_evaluate.experiments.run import make

    @contextlib.contextmanager
    def shown(name: str) -> Iterator[Watch]:
        if not quiet:
            say(name, err=True)
        with shown_run(quiet=quiet) as watch:
            yield watch

    if judge is not None:
        check_judge(experiment, judge, options)
    made = await make(experiment, options, shown)
    return made if judge is None else await _judged(made, judge, options, quiet=quiet)


async def _judged(made: Made, judge: str, options: Options, *, quiet: bool) -> Made:
    from medground.engine.opening import operator_names
    from medground.home.settings import Settings
    from medground.models.registry import open_models
    from medground_evaluate.cli.judge import shown_judging
    from medground_evaluate.experiments.judging import judge_rows

    # The judge is the model named here, whatever the settings say about single operators.
    settings = Settings.load(options={**options.sets, "model.default": judge, "model.operators": {}})
    models = open_models(settings, operator_names())
    try:
        watch = shown_judging(quiet=quiet)
        return await judge_rows(made, models, settings.home, concurrency=options.concurrency, watch=watch)
    finally:
        await models.close()


def _show(made: Made) -> None:
    from medground_evaluate.experiments.table import as_markdown, notes, table

    experiment = made.experiment
    say(f"{experiment.title}, {experiment.table}: {experiment.shows}", "")
    page(as_markdown(table(made)))
    say("")
    for note in notes(made):
        say(f"- {' '.join(note.split())}")
