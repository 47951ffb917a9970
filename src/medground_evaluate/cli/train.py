"""`medground train planner`: explore, judge, label, agreement, export, sft, dpo, merge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medground.faces import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, page, say, searched
from medground_evaluate.cli.running import AsTraining, Corpora, SetName, run_stoppable

if TYPE_CHECKING:
    from medground_evaluate.planning.trainset import TrainingOptions
    from medground_evaluate.planning.work import Finished


Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write; an unfinished one is resumed.")]
Workers = Annotated[int, typer.Option(min=1, help="Questions at the same time.")]
Check = Annotated[bool, typer.Option("--check", help="Only estimate what it will need.")]
Model = Annotated[str | None, typer.Option(help="Model that answers; keyless by default.")]


def explore(
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="File or folder of a data set.")],
    out: Out,
    dataset: SetName = None,
    as_training: AsTraining = False,
    queries: Annotated[int, typer.Option(min=1, max=12, help="Queries for each source.")] = 6,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Explore only this source; repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum questions; all by default.")] = None,
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
    from medground.faces import shown_progress
    from medground_evaluate.datasets.registry import Source
    from medground_evaluate.planning.explore import Exploration, check_exploring, explore_questions
    from medground_evaluate.runner import check_searched

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})
    check_searched(chosen)
    wanted = Exploration(Source(source, dataset, (), as_training), queries, tuple(only or ()), limit, seed)
    if check:
        page(str(run_stoppable(check_exploring(wanted, chosen))))
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
        int | None, typer.Option(min=1, help="Maximum passages read per query; all by default.")
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
    from medground.faces import shown_progress
    from medground_evaluate.planning.explore import estimate_judging
    from medground_evaluate.planning.judging import METHODS, judge_explored
    from medground_evaluate.planning.work import Explored, read_work

    if by not in METHODS:
        raise UsageError(f"unknown signal {by[:40]!r}; use --by {', '.join(METHODS)}")
    chosen = load_settings(sets, preset, settings, {"retrieval.corpora": (), "model.default": model})
    if check:
        who = chosen.model.operators.get("judge_found", chosen.model.default)
        page(str(estimate_judging(read_work(explored, Explored)[1], passages, who)))
        return
    with shown_progress(quiet=quiet) as progress:
        finished = run_stoppable(
            judge_explored(explored, chosen, out, by=by, passages=passages, workers=workers, progress=progress)
        )
    _tell(finished, workers)


def _tell(finished: Finished, workers: int) -> None:
    """What there is now, what it cost for each question, and what could not be finished."""
    from medground_evaluate.planning.explore import lines_of

    for line in lines_of(finished, workers):
        say(line)
    for name, reason in finished.unfinished.items():
        say(f"not finished: {name}: {reason}", err=True)
    if finished.unfinished:
        say(f"{len(finished.unfinished)} questions are not finished; run the same command to try again", err=True)
        raise typer.Exit(1)


JudgedFile = Annotated[Path, typer.Argument(help="File that judge wrote.", metavar="JUDGED")]


def label(
    explored: Annotated[Path, typer.Argument(help="File that explore wrote.", metavar="EXPLORED")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Sheet to write (CSV).")],
    samples: Annotated[int, typer.Option(min=1, help="Queries on the sheet.")] = 100,
    passages: Annotated[int | None, typer.Option(min=1, help="As many passages as the judge reads.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Write a sheet of randomly drawn queries to label by hand: yes or no in the column `supports`."""
    from medground_evaluate.planning.judging import write_sheet
    from medground_evaluate.planning.work import Explored, read_work

    rows = write_sheet(read_work(explored, Explored)[1], out, samples=samples, seed=seed, passages=passages)
    say(f"{out}: {rows} queries; write yes or no in the column supports, then run medground train planner agreement")


def agreement(
    sheet: Annotated[Path, typer.Argument(help="The labelled sheet.", metavar="SHEET")],
    judged: JudgedFile,
) -> None:
    """Compare the judge with labels made by hand: Cohen's kappa, accuracy, precision, recall, F1."""
    from medground_evaluate.planning.judging import agreement as compared
    from medground_evaluate.planning.work import Judged, read_work

    head, lines = read_work(judged, Judged)
    page(compared(sheet, lines).line(head.model))


def export(
    judged: JudgedFile,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the training set.")],
    labels: Annotated[
        Path | None, typer.Option(metavar="SHEET", help="Labels made by hand; the agreement is shown before training.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for the choice of three queries.")] = 0,
) -> None:
    """Write prompts with positive plans, negative plans and pairs, as JSON Lines."""
    from medground_evaluate.planning.trainset import export as write_set

    manifest = write_set(judged, out, seed=seed, labels=labels)
    counts = ", ".join(f"{number:,} {name}" for name, number in manifest.counts.items())
    say(f"{out}: {counts}, labelled by {manifest.labelled_by}")
    for reason, number in manifest.dropped.items():
        say(f"dropped     {number:,}  {reason}", err=True)
    for source in manifest.sources:
        say(f"licence     {source.name}: {source.licence}")
    if manifest.agreement:
        say(manifest.agreement)


Data = Annotated[Path, typer.Argument(help="Folder that export wrote.", metavar="DATA")]
Planner = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the planner; resumed if unfinished.")]
Base = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model to train: a folder, or a name on a hub; any size.")
]
Batch = Annotated[int, typer.Option(min=1, help="Examples per step.")]
AtOnce = Annotated[int, typer.Option(min=1, help="Examples per forward pass; lower it to save memory.")]
Ratio = Annotated[float, typer.Option(help="Random share of the training set, above 0 and at most 1.")]
Longest = Annotated[int, typer.Option(min=16, help="Leave out examples with more tokens than this.")]
Save = Annotated[int, typer.Option("--save-every", min=1, help="Steps between two checkpoints.")]
Seed = Annotated[int, typer.Option(help="Seed for order, sampling and initial weights.")]
CheckTraining = Annotated[bool, typer.Option("--check", help="Only estimate memory, time and cost.")]
Price = Annotated[float | None, typer.Option("--price-per-hour", min=0, help="Machine price in US dollars per hour.")]


def sft(
    command: typer.Context,
    data: Data,
    out: Planner,
    base: Base = None,
    negative: Annotated[
        bool, typer.Option("--negative", help="Train on negative plans, for a comparison (Table 10).")
    ] = False,
    batch: Batch = 64,
    at_once: AtOnce = 4,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 2.5e-4,
    epochs: Annotated[float, typer.Option(help="Passes over the training set.")] = 5,
    rank: Annotated[int, typer.Option(min=1, help="Rank of the adapter.")] = 16,
    alpha: Annotated[int, typer.Option(min=1, help="Scale of the adapter.")] = 32,
    ratio: Ratio = 1.0,
    longest: Longest = 4096,
    save_every: Save = 20,
    seed: Seed = 0,
    check: CheckTraining = False,
    price_per_hour: Price = None,
    quiet: Quiet = False,
) -> None:
    """Train a planner on plans (supervised fine-tuning of a LoRA adapter)."""
    from medground_evaluate.planning.trainset import SFT

    options = _chosen(SFT, command, which="negative" if negative else "positive")
    _train(data, out, options, base, None, check=check, price=price_per_hour, quiet=quiet)


def dpo(
    command: typer.Context,
    data: Data,
    out: Planner,
    adapter: Annotated[Path, typer.Option(metavar="FOLDER", help="The planner after sft: model and reference.")],
    base: Base = None,
    beta: Annotated[float, typer.Option(help="Strength of the preference.")] = 0.1,
    batch: Batch = 64,
    at_once: AtOnce = 4,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 5e-6,
    epochs: Annotated[float, typer.Option(help="Passes over the training set.")] = 3,
    ratio: Ratio = 1.0,
    longest: Longest = 4096,
    save_every: Save = 20,
    seed: Seed = 0,
    check: CheckTraining = False,
    price_per_hour: Price = None,
    quiet: Quiet = False,
) -> None:
    """Train a planner to prefer positive plans to negative ones (direct preference optimisation)."""
    from medground_evaluate.planning.trainset import DPO

    options = _chosen(DPO, command)
    _train(data, out, options, base, adapter, check=check, price=price_per_hour, quiet=quiet)


def merge(
    adapter: Annotated[Path, typer.Argument(help="Folder of a trained planner.", metavar="ADAPTER")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder for the merged model.")],
    base: Base = None,
) -> None:
    """Merge a planner with its base into one model, for servers and converters that do not accept adapters."""
    from medground.models import planner

    card = planner.merge(adapter, out, base=base)
    say(f"{out}: {card.base} with {', '.join(card.stages)}")


def _chosen(options: TrainingOptions, command: typer.Context, **more: Any) -> TrainingOptions:
    """The options of a stage with those that the command was given."""
    from pydantic import ValidationError

    from medground.errors import UsageError

    try:
        given = {name: value for name, value in command.params.items() if name in type(options).model_fields}
        return type(options).model_validate({**options.model_dump(), **given, **more})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from None


def _train(
    data: Path,
    out: Path,
    options: TrainingOptions,
    base: str | None,
    adapter: Path | None,
    *,
    check: bool,
    price: float | None,
    quiet: bool,
) -> None:
    from decimal import Decimal

    from medground.errors import UsageError
    from medground.faces import shown_progress
    from medground.models import planner
    from medground_evaluate.planning.learn import estimate_training, train

    if check:
        name = base or (planner.read_card(adapter).base if adapter else None)
        if name is None:
            raise UsageError("name the model to train with --base NAME")
        hourly = None if price is None else Decimal(str(price))
        page(str(estimate_training(data, name, options, price_per_hour=hourly)))
        return

    def tell(line: str) -> None:
        say(line, err=True)

    with shown_progress(quiet=quiet) as progress:
        made = train(data, out, options, base=base, adapter=adapter, tell=tell, progress=progress)
    say(
        f"{made.folder}: {made.examples:,} examples, {made.steps:,} steps in {made.seconds:.1f} s, loss "
        f"{made.first_loss:.4f} at the first step, {made.last_loss:.4f} at the last"
    )


train_app = typer.Typer(help="Train a planner of sources.", no_args_is_help=True)
planner_app = typer.Typer(
    help="Train a planner on what each query found: explore, judge, label, agreement, export, sft, dpo, merge.",
    no_args_is_help=True,
)
train_app.add_typer(planner_app, name="planner")
for command in (explore, judge, label, agreement, export, sft, dpo, merge):
    planner_app.command(command.__name__)(command)
