"""`medground train planner`: explore, judge, label, agreement, export, sft, dpo, merge."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Exit, Option

from medground.errors import ConfigError, UsageError
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
    say,
    say_either,
    searched,
    shown_progress,
)
from medground_evaluate.cli.running import AsTraining, Corpora, SetName, run_stoppable

if TYPE_CHECKING:
    from medground_evaluate.metrics.searching import Embed
    from medground_evaluate.planning.trainset import TrainingOptions
    from medground_evaluate.planning.work import Finished


Out = Annotated[Path, out_option("File to write; an unfinished one is resumed.")]
ExploredFile = Annotated[Path, Argument(help="File that explore wrote.", metavar="EXPLORED")]
Workers = Annotated[int, Option(min=1, help="Questions at the same time.")]
Model = Annotated[str | None, Option(help="Model that answers; keyless by default.")]


def explore(
    source: Annotated[Path, Option("--from", metavar="FILE", help="File or folder of a data set.")],
    out: Out,
    dataset: SetName = None,
    as_training: AsTraining = False,
    queries: Annotated[int, Option(min=1, max=12, help="Queries for each source.")] = 6,
    limit: Annotated[int | None, Option(min=1, help="Maximum questions; all by default.")] = None,
    seed: Annotated[int, Option(help="Seed for the order of the questions.")] = 0,
    workers: Workers = 1,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: Model = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Try several queries for each source and training question, and keep what each finds."""
    from medground.models import open_embedder
    from medground_evaluate.datasets.registry import Source
    from medground_evaluate.planning.explore import Exploration, explore_questions
    from medground_evaluate.runner import check_searched

    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))
    check_searched(chosen)
    wanted = Exploration(Source(source, dataset, (), as_training), queries, limit, seed)
    with shown_progress(quiet=quiet) as progress:
        finished = run_stoppable(explore_questions(wanted, chosen, out, workers=workers, progress=progress))
    embed = None
    with suppress(ConfigError):  # without it, the diversity of queries is not told
        embed = open_embedder("minilm", chosen.home).embed
    _tell(finished, workers, embed)


def judge(
    explored: ExploredFile,
    out: Out,
    by: Annotated[
        str, Option(help="The signal: judge, gain (a reader's accuracy or ROUGE-L) or rerank (2.3 or more).")
    ] = "judge",
    passages: Annotated[int | None, Option(min=1, help="Maximum passages read per query; all by default.")] = None,
    workers: Workers = 1,
    model: Model = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Label every query: does what it found support the gold answer?"""
    from medground_evaluate.planning.judging import METHODS, judge_explored

    if by not in METHODS:
        raise UsageError(f"unknown signal {by[:40]!r}; use --by {', '.join(METHODS)}")
    chosen = load_settings(sets, preset, settings, {"retrieval.corpora": (), "model.default": model})
    with shown_progress(quiet=quiet) as progress:
        finished = run_stoppable(
            judge_explored(explored, chosen, out, by=by, passages=passages, workers=workers, progress=progress)
        )
    _tell(finished, workers)


def _tell(finished: Finished, workers: int, embed: Embed | None = None) -> None:
    """What there is now, what it cost for each question, and what could not be finished."""
    from medground_evaluate.planning.explore import lines_of

    for line in lines_of(finished, workers, embed):
        say(line)
    for name, reason in finished.unfinished.items():
        say(f"not finished: {name}: {reason}", err=True)
    if finished.unfinished:
        say(f"{len(finished.unfinished)} questions are not finished; run the same command to try again", err=True)
        raise Exit(1)


JudgedFile = Annotated[Path, Argument(help="File that judge wrote.", metavar="JUDGED")]


def label(
    explored: ExploredFile,
    out: Annotated[Path, out_option("Sheet to write (CSV).")],
    samples: Annotated[int, Option(min=1, help="Queries on the sheet.")] = 100,
    passages: Annotated[int | None, Option(min=1, help="As many passages as the judge reads.")] = None,
    seed: Annotated[int, Option(help="Seed of the sample.")] = 0,
) -> None:
    """Write a sheet of randomly drawn queries to label by hand: yes or no in the column `supports`."""
    from medground_evaluate.planning.judging import write_sheet
    from medground_evaluate.planning.work import Explored, read_work

    rows = write_sheet(read_work(explored, Explored)[1], out, samples=samples, seed=seed, passages=passages)
    say(f"{out}: {rows} queries; write yes or no in the column supports, then run medground train planner agreement")


def agreement(
    sheet: Annotated[Path, Argument(help="The labelled sheet.", metavar="SHEET")],
    judged: JudgedFile,
    json: PrintJson = False,
) -> None:
    """Compare the judge with labels made by hand: Cohen's kappa, accuracy, precision, recall, F1."""
    from medground_evaluate.planning.judging import agreement as compared
    from medground_evaluate.planning.work import Judged, read_work

    head, lines = read_work(judged, Judged)
    found = compared(sheet, lines)
    say_either(found, [found.line(head.model)], json=json)


def export(
    judged: Annotated[list[Path], Argument(help="Files that judge wrote, one per set.", metavar="JUDGED...")],
    out: Annotated[Path, out_option("Folder of the training set.", "FOLDER")],
    labels: Annotated[
        Path | None, Option(metavar="SHEET", help="Labels made by hand; the agreement is shown before training.")
    ] = None,
    without: Annotated[
        list[str] | None, Option(metavar="NAME", help="Leave this source out of prompts and plans; repeatable.")
    ] = None,
    seed: Annotated[int, Option(help="Seed for the choice of three queries.")] = 0,
) -> None:
    """Write prompts with positive plans, negative plans and pairs, as JSON Lines."""
    from medground_evaluate.planning.trainset import export as write_set

    manifest = write_set(judged, out, seed=seed, labels=labels, without=without or ())
    counts = ", ".join(f"{number:,} {name}" for name, number in manifest.counts.items())
    say(f"{out}: {counts}, labelled by {manifest.labelled_by}")
    for reason, number in manifest.dropped.items():
        say(f"dropped     {number:,}  {reason}", err=True)
    for source in manifest.sources:
        say(f"licence     {source.name}: {source.licence}")
    if manifest.agreement:
        say(manifest.agreement)


Base = Annotated[str | None, Option(metavar="NAME", help="The model to train: a folder, or a name on a hub; any size.")]


def learn(
    command: Context,
    data: Annotated[Path, Argument(help="Folder that export wrote.", metavar="DATA")],
    out: Annotated[Path, out_option("Folder of the planner; resumed if unfinished.", "FOLDER")],
    base: Base = None,
    adapter: Annotated[
        Path | None, Option(metavar="FOLDER", help="Train this planner on; of dpo also the reference.")
    ] = None,
    negative: Annotated[
        bool, Option("--negative", help="Of sft: train on negative plans, for a comparison (Table 10).")
    ] = False,
    beta: Annotated[float, Option(help="Of dpo: strength of the preference.")] = 0.1,
    batch: Annotated[int, Option(min=1, help="Examples per step.")] = 64,
    at_once: Annotated[int, Option(min=1, help="Examples per forward pass; lower it to save memory.")] = 4,
    learning_rate: Annotated[
        float | None, Option(help="Peak learning rate; 2.5e-4 of sft and 5e-6 of dpo by default.")
    ] = None,
    epochs: Annotated[
        float | None, Option(help="Passes over the training set; 5 of sft and 3 of dpo by default.")
    ] = None,
    rank: Annotated[int, Option(min=1, help="Rank of a new adapter.")] = 16,
    alpha: Annotated[int, Option(min=1, help="Scale of a new adapter.")] = 32,
    ratio: Annotated[float, Option(help="Random share of the training set, above 0 and at most 1.")] = 1.0,
    longest: Annotated[int, Option(min=16, help="Leave out examples with more tokens than this.")] = 4096,
    save_every: Annotated[int, Option("--save-every", min=1, help="Steps between two checkpoints.")] = 20,
    seed: Annotated[int, Option(help="Seed for order, sampling and initial weights.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Train one stage of a planner."""
    from medground_evaluate.planning.learn import train

    options = _chosen(command)
    with shown_progress(quiet=quiet) as progress:
        made = train(data, out, options, base=base, adapter=adapter, tell=partial(say, err=True), progress=progress)
    say(
        f"{made.folder}: {made.examples:,} examples, {made.steps:,} steps in {made.seconds:.1f} s, loss "
        f"{made.first_loss:.4f} at the first step, {made.last_loss:.4f} at the last"
    )


def merge(
    adapter: Annotated[Path, Argument(help="Folder of a trained planner.", metavar="ADAPTER")],
    out: Annotated[Path, out_option("Folder for the merged model.", "FOLDER")],
    base: Base = None,
) -> None:
    """Merge a planner with its base into one model, for servers and converters that do not accept adapters."""
    from medground.models import planner

    card = planner.merge(adapter, out, base=base)
    say(f"{out}: {card.base} with {', '.join(card.stages)}")


def _chosen(command: Context) -> TrainingOptions:
    """The options of a stage with those that the command was given."""
    from pydantic import ValidationError

    from medground_evaluate.planning.trainset import DPO, SFT

    stage, given = SFT if command.info_name == "sft" else DPO, command.params
    if given["negative"] and stage is DPO:
        raise UsageError("--negative is an option of sft; leave it out")
    own = {name: given[name] for name in type(stage).model_fields if given.get(name) is not None}
    if given["negative"]:
        own["which"] = "negative"
    try:
        return type(stage).model_validate(stage.model_dump() | own)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from None


train_app = group("Train a planner of sources.")
planner_app = group(
    "Train a planner on what each query found: explore, judge, label, agreement, export, sft, dpo, merge."
)
train_app.add_typer(planner_app, name="planner")
for command in (explore, judge, label, agreement, export, merge):
    planner_app.command(command.__name__)(command)
_SFT = "Train a planner on plans (supervised fine-tuning of a LoRA adapter)."
_DPO = "Train a planner to prefer positive plans to negative ones (direct preference optimisation)."
planner_app.command("sft", help=_SFT)(learn)
planner_app.command("dpo", help=_DPO)(learn)
