"""`medground eval`, and the commands that join `medground` by the entry points `medground.commands`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.terminal import say
from medground_evaluate.cli.compare import compare_runs, measure, uncertainty
from medground_evaluate.cli.demonstrations import demonstrations_app
from medground_evaluate.cli.experiment import experiment_app
from medground_evaluate.cli.judge import agreement, form, judge, judge_app, judged
from medground_evaluate.cli.running import run_stoppable, show_summary
from medground_evaluate.cli.sets import audit, build, data_app
from medground_evaluate.cli.train import train_app

if TYPE_CHECKING:
    from medground.home.settings import Settings
    from medground_evaluate.runner import Selection
    from medground_evaluate.tally import Tally


__all__ = ["agreement", "data_app", "demonstrations_app", "eval_app", "experiment_app", "judge_app", "train_app"]

eval_app = typer.Typer(help="Evaluate recipes on data sets, with resumable runs.", no_args_is_help=True)


@eval_app.command("run")
def run(
    dataset: Annotated[str, typer.Argument(metavar="SET", help="A set from `medground data list`.")],
    data: Annotated[Path, typer.Option(help="The set's file, or its folder.")],
    recipe: Annotated[str | None, typer.Option(help="Recipe to follow.")] = None,
    model: Annotated[str | None, typer.Option(help="Model that answers operators; keyless by default.")] = None,
    corpus: Annotated[list[str] | None, typer.Option("--corpus", "-c", help="Corpus to search; repeatable.")] = None,
    kb: KnowledgeBase = None,
    split: Annotated[str, typer.Option(help="test, train, validation, unknown, or all.")] = "test",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only the first N questions of the file.")] = None,
    seed: Annotated[int | None, typer.Option(help="Shuffle with this seed before applying --limit.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of questions in parallel.")] = 1,
    out: Annotated[Path | None, typer.Option(help="The run's file; by default in the home folder.")] = None,
    with_context: Annotated[
        bool, typer.Option("--with-context", help="Give each question its own documents; search nothing else.")
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Resume although this field differs, and record it; repeatable."),
    ] = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Ask every question of a data set and write one line each; run the same command to resume."""
    from medground.errors import UsageError
    from medground_evaluate.datasets.registry import open_dataset
    from medground_evaluate.runner import Selection, check_searched

    if with_context and (corpus or kb):
        raise UsageError("--with-context searches nothing else; leave out --corpus and --kb")
    loader = open_dataset(dataset)
    place = loader.find(data)
    selection = Selection(loader, place, split, limit, seed if limit is not None else None, with_context)
    nothing: dict[str, object] = {"retrieval.corpora": (), "retrieval.knowledge_base": ""}
    extra: dict[str, object] = {
        **(nothing if with_context else searched(corpus, kb)),
        "recipe.name": recipe,
        "model.default": model,
    }
    chosen = _wide_enough(load_settings(sets, preset, settings, extra), concurrency)
    if not with_context:
        check_searched(chosen)
    path = out or _place(selection, chosen)
    tally = run_stoppable(_run(selection, chosen, path, concurrency, accept or [], quiet=quiet))
    show_summary(tally, path)


async def _run(
    selection: Selection, settings: Settings, path: Path, concurrency: int, accept: list[str], *, quiet: bool
) -> Tally:
    from medground.engine.engine import Engine
    from medground.faces.cli.progress import shown_progress
    from medground_evaluate.cli.running import shown_run
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
    model = settings.model.model_copy(update={"concurrency": concurrency})
    return settings.model_copy(update={"model": model})


def _place(selection: Selection, settings: Settings) -> Path:
    """The default file of a run; its name encodes what is run, so that the same command finds it again."""
    what = (str(selection.limit), str(selection.seed), str(selection.with_context), settings.hash)
    model = re.sub(r"[^A-Za-z0-9.-]+", "-", settings.model.default)
    words = (selection.dataset.info.name, selection.split, settings.recipe.name, model[-40:])
    return settings.home / "runs" / f"{'_'.join(words)}_{hashlib.sha256('/'.join(what).encode()).hexdigest()[:8]}.jsonl"


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files over one data set.")],
    out: Annotated[Path, typer.Option(help="Folder for report.md and report.html.")],
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder, to add the best blind baseline as the first row.")
    ] = None,
) -> None:
    """Write a report on runs: accuracy, tests, statuses, classes, cost, and each question won or lost."""
    from medground_evaluate.compare import items_of, read_result
    from medground_evaluate.report.content import read_report
    from medground_evaluate.report.markdown import write_report

    items = None if data is None else items_of(read_result(runs[0]), data)
    for path in write_report(read_report(runs, items), out):
        say(str(path))


eval_app.command("measure")(measure)
eval_app.command("uncertainty")(uncertainty)
eval_app.command("compare")(compare_runs)
eval_app.command("report")(report)
eval_app.command("audit")(audit)
eval_app.command("build")(build)
eval_app.command("judge")(judge)
eval_app.command("judged")(judged)
eval_app.command("form")(form)
