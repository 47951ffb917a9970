"""`medground eval` and `experiment`; all commands of this package join by the entry points `medground.commands`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from medground.errors import UsageError
from medground.faces import (
    KnowledgeBase,
    Preset,
    PrintJson,
    Quiet,
    Sets,
    SettingsFile,
    group,
    load_settings,
    out_option,
    page,
    say,
    say_data,
    say_either,
    searched,
    shown_progress,
)
from medground.home import parse_options
from medground_evaluate.cli.compare import compare_runs, measure, uncertainty
from medground_evaluate.cli.judge import agreement, form, judge, judge_app, judged, shown_judging
from medground_evaluate.cli.running import (
    Concurrency,
    Corpora,
    Model,
    Out,
    Seed,
    SetFile,
    SetName,
    Split,
    aligned,
    run_stoppable,
    show_summary,
    shown_run,
)
from medground_evaluate.cli.sets import audit, build, data_app, demonstrations_app
from medground_evaluate.cli.train import train_app

if TYPE_CHECKING:
    from medground.home import Settings
    from medground.values import Finding
    from medground_evaluate.experiments.form import Experiment
    from medground_evaluate.experiments.run import Made, Options
    from medground_evaluate.items import Item, Tally
    from medground_evaluate.runner import Selection, Watch


__all__ = ["agreement", "data_app", "demonstrations_app", "eval_app", "experiment_app", "judge_app", "train_app"]

experiment_app = group("Run the papers' tables here and print them next to the published figures.")

Judge = Annotated[str | None, Option(help="Model that compares explanations, for the columns that need a judge.")]
Nli = Annotated[str | None, Option(help="NLI model that compares sampled answers, for the columns of uncertainty.")]
Marks = Annotated[list[Path] | None, Option(metavar="FILE", help="A form that a person filled in; repeatable.")]
Accept = Annotated[
    list[str] | None, Option(metavar="FIELD", help="Resume although this field differs, and record it; repeatable.")
]
Folder = Annotated[Path | None, Option(help="Folder of the experiment files; by default those of the papers.")]


@experiment_app.command("list")
def list_experiments(folder: Folder = None, json: PrintJson = False) -> None:
    """List every experiment: its name, what it shows, and what fills it if it is not run."""
    from medground_evaluate.experiments.form import PAPERS, find_experiments

    found = [one for _, one in find_experiments(folder or PAPERS)]
    rows = [(one.name, one.shows + ("" if one.runnable else f" ({one.status})")) for one in found]
    say_either(found, aligned(rows), json=json)


@experiment_app.command("run")
def run_experiment(
    command: Context,
    file: Annotated[str, Argument(metavar="FILE", help="A file, or a name such as 000/table-1.")],
    data: Annotated[Path, Option(help="Folder with the data sets, directly or in subfolders.")] = Path("data"),
    model: Model = None,
    judge: Judge = None,
    smoke: Annotated[bool, Option("--smoke", help="Keyless, on three questions of each set.")] = False,
    limit: Annotated[int | None, Option(min=1, help="Ask at most N questions of each set.")] = None,
    corpus: Annotated[
        list[str] | None,
        Option("--corpus", "-c", help="Search this corpus: NAME, or DATA=NAME for one data set; repeatable."),
    ] = None,
    nli: Nli = None,
    marks: Marks = None,
    concurrency: Concurrency = 1,
    verbatim: Annotated[
        bool, Option("--verbatim", help="Ask in the paper's own prompts (scripts/paper_prompts.py).")
    ] = False,
    repeat: Annotated[
        int, Option(min=1, help="Runs of each row, for the mean and standard deviation of accuracy.")
    ] = 1,
    out: Annotated[Path | None, out_option("Folder of the runs; by default in the home folder.", "FOLDER")] = None,
    save: Annotated[Path | None, Option(metavar="FOLDER", help="Save figures and settings here.")] = None,
    accept: Accept = None,
    folder: Folder = None,
    sets: Sets = None,
    quiet: Quiet = False,
) -> None:
    """Run a table's rows and print the paper's figures next to ours; run the same command to resume."""
    from medground_evaluate.experiments.form import PAPERS, read_experiment
    from medground_evaluate.experiments.run import Options

    if smoke and (model or judge or save):
        raise UsageError("--smoke is a keyless trial on three questions; leave out --model, --judge and --save")
    named = (folder or PAPERS) / f"{file}.toml"
    experiment = read_experiment(named if named.is_file() and not Path(file).is_file() else Path(file))
    same = ("data", "out", "model", "smoke", "limit", "concurrency", "nli", "repeat", "verbatim")
    options = Options(
        **{name: command.params[name] for name in same},
        corpora=tuple(corpus or ()),
        accept=tuple(accept or ()),
        marks=tuple(marks or ()),
        sets=parse_options(sets or []),
    )
    made = run_stoppable(_make(experiment, options, judge, quiet=quiet))
    _show(made)
    if save is not None:
        from medground_evaluate.experiments.table import save as keep

        say(f"saved in {', '.join(map(str, keep(made, save)))}")


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
    from medground.engine import operator_names
    from medground.home import Settings
    from medground.models import open_models
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


eval_app = group("Evaluate recipes on data sets, with resumable runs.")


@eval_app.command("run")
def run(
    dataset: Annotated[str, Argument(metavar="SET", help="A set from `medground data list`, or `module:NAME`.")],
    data: SetFile,
    recipe: Annotated[str | None, Option(help="Recipe to follow.")] = None,
    model: Model = None,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    split: Split = "test",
    limit: Annotated[int | None, Option(min=1, help="Ask only the first N questions of the file.")] = None,
    seed: Seed = None,
    concurrency: Concurrency = 1,
    out: Out = None,
    with_context: Annotated[
        bool, Option("--with-context", help="Give each question its own documents; search nothing else.")
    ] = False,
    accept: Accept = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Ask every question of a data set and write one line each; run the same command to resume."""
    from medground_evaluate.datasets.registry import named_dataset
    from medground_evaluate.runner import Selection, check_searched, run_path

    if with_context and (corpus or kb):
        raise UsageError("--with-context searches nothing else; leave out --corpus and --kb")
    loader = named_dataset(dataset)
    place = loader.find(data)
    selection = Selection(loader, place, split, limit, seed if limit is not None else None, with_context)
    nothing: dict[str, object] = {"retrieval.corpora": (), "retrieval.knowledge_base": ""}
    extra = {"recipe.name": recipe, "model.default": model, **(nothing if with_context else searched(corpus, kb))}
    chosen = _wide_enough(load_settings(sets, preset, settings, extra), concurrency)
    if not with_context:
        check_searched(chosen)
    path = out or run_path(chosen.home / "runs", selection, chosen)
    tally = run_stoppable(_run(selection, chosen, path, concurrency, accept or [], quiet=quiet))
    show_summary(tally, path)


@eval_app.command("cited")
def cited(
    dataset: Annotated[str, Argument(metavar="SET", help="citation-integrity, reference-errors, or scifact.")],
    data: SetFile,
    split: Split = "test",
    limit: Annotated[int | None, Option(min=1, help="Check only the first N sentences of the file.")] = None,
    json: PrintJson = False,
    sets: Sets = None,
    settings: SettingsFile = None,
) -> None:
    """Check sentences that cite against the texts that they cite, and compare with what people found."""
    from medground_evaluate.citing import measured
    from medground_evaluate.datasets.registry import named_dataset
    from medground_evaluate.runner import Selection, count_items, selected_items

    loader = named_dataset(dataset)
    selection = Selection(loader, loader.find(data), split, limit, with_context=True)
    count_items(selection)
    items = list(selected_items(selection))
    chosen = load_settings(sets, None, settings, {"retrieval.corpora": (), "retrieval.knowledge_base": ""})
    found = measured(items, run_stoppable(_checked(items, chosen)))
    if json:
        say_data(found)
        return
    shares = {"contradicted, and so it is": found.right, "contradictions found": found.found, "alarms": found.alarms}
    rows = [("area under the curve", "unknown" if found.area is None else f"{found.area:.3f}")]
    rows += [(name, f"{share.right:,} of {share.of:,}") for name, share in shares.items()]
    rows += [(f"gold {gold}", ", ".join(f"{k} {n:,}" for k, n in kinds.items())) for gold, kinds in found.kinds.items()]
    say(*aligned(rows))


async def _checked(items: Sequence[Item], settings: Settings) -> list[Finding]:
    from medground.engine import Engine
    from medground_evaluate.citing import findings_on

    async with await Engine.open(settings) as engine:
        return await findings_on(engine, items)


async def _run(
    selection: Selection, settings: Settings, path: Path, concurrency: int, accept: list[str], *, quiet: bool
) -> Tally:
    from medground.engine import Engine
    from medground_evaluate.runner import run_set

    with shown_progress(quiet=quiet) as progress:
        engine = await Engine.open(settings, progress=progress)
    async with engine:
        with shown_run(quiet=quiet) as watch:
            return await run_set(engine, selection, path, concurrency=concurrency, accept=accept, watch=watch)


def _wide_enough(settings: Settings, concurrency: int) -> Settings:
    """Allow as many parallel model calls as questions, unless the user has set a number."""
    if "concurrency" in settings.model.model_fields_set or concurrency <= settings.model.concurrency:
        return settings
    model = settings.model.replace(concurrency=concurrency)
    return settings.replace(model=model)


def report(
    runs: Annotated[list[Path], Argument(metavar="RUN...", help="Run files over one data set.")],
    out: Annotated[Path, out_option("Folder for report.md and report.html.", "FOLDER")],
    data: Annotated[
        Path | None, Option(help="The set's file or folder, to add the best blind baseline as the first row.")
    ] = None,
) -> None:
    """Write a report on runs: accuracy, tests, statuses, classes, cost, and each question won or lost."""
    from medground_evaluate.compare import items_of, read_result
    from medground_evaluate.report.content import read_report
    from medground_evaluate.report.pages import write_report

    items = None if data is None else items_of(read_result(runs[0]), data)
    for path in write_report(read_report(runs, items), out):
        say(str(path))


@eval_app.command("import")
def import_predictions(
    predictions: Annotated[Path, Argument(metavar="PRED", help="Predictions: JSON Lines with id and answer.")],
    data: SetFile,
    name: Annotated[str, Option(help="Name of the system that made them.")],
    dataset: SetName = None,
    split: Split = "test",
    limit: Annotated[int | None, Option(min=1, help="Only the first N questions of the file.")] = None,
    seed: Seed = None,
    out: Out = None,
) -> None:
    """Make a run of the predictions of another system, to compare it with others."""
    from medground_evaluate.datasets.registry import Source
    from medground_evaluate.importing import import_run
    from medground_evaluate.runner import Selection

    selection = Selection(*Source(data, dataset).open(), split, limit, seed if limit is not None else None)
    show_summary(*import_run(predictions, selection, name, out))


for command in (measure, uncertainty, compare_runs, report, audit, build, judge, judged, form):
    eval_app.command(command.__name__.removesuffix("_runs"))(command)
