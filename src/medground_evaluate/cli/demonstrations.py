"""`medground demonstrations`: build and inspect pools of solved training questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from medground.recipes.reason_and_verify.pool import PoolManifest

demonstrations_app = typer.Typer(
    help="Build and inspect demonstrations: solved training questions that reason-and-verify shows to a model.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="Name of the pool.", metavar="NAME")]


@demonstrations_app.command("build")
def build(
    name: Name,
    source: Annotated[
        Path, typer.Option("--from", metavar="FILE", help="File or folder of a data set with training questions.")
    ],
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its data set; recognised by its content by default.")
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Questions that will be asked: nothing like them is taken; repeatable."),
    ] = None,
    as_training: Annotated[
        bool, typer.Option("--as-training", help="Take questions of every split: none of them will ever be asked.")
    ] = False,
    corpus: Annotated[list[str] | None, typer.Option("--corpus", "-c", help="Corpus to search; repeatable.")] = None,
    kb: KnowledgeBase = None,
    model: Annotated[str | None, typer.Option(help="Model that writes the rationales; keyless by default.")] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of demonstrations; all by default.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed for the order of the training questions.")] = 0,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Build a pool from training questions, replacing any pool of the same name."""
    import asyncio

    from medground.faces.cli.progress import shown_progress
    from medground_evaluate.demonstrations.build import build_pool
    from medground_evaluate.demonstrations.records import Source
    from medground_evaluate.runner import check_searched

    extra: dict[str, object] = {**searched(corpus, kb), "model.default": model}
    chosen = load_settings(sets, preset, settings, extra)
    check_searched(chosen)
    questions = Source(source, dataset, tuple(against or ()), as_training)
    with shown_progress(quiet=quiet) as progress:
        manifest = asyncio.run(build_pool(name, questions, chosen, limit=limit, seed=seed, progress=progress))
    say(_summary(manifest))
    for reason, number in manifest.left_out.items():
        say(f"left out    {number:,}  {reason}", err=True)


@demonstrations_app.command("info")
def info(
    name: Annotated[str, typer.Argument(help="Name of the pool, or the path of its file.", metavar="NAME")],
    json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Check a pool and show how it was made."""
    from medground.home.settings import Settings
    from medground.recipes.reason_and_verify.pool import read_pool

    manifest = read_pool(name, Settings.load().home).manifest
    if json:
        say_json(manifest.model_dump_json(indent=2))
        return
    say(_summary(manifest))
    for line in _described(manifest):
        say(line)


def _summary(manifest: PoolManifest) -> str:
    classes = ", ".join(f"{number} {label}" for label, number in manifest.classes.items())
    return f"{manifest.name}: {manifest.demonstrations:,} demonstrations ({classes}), {manifest.sha256[:16]}"


def _described(manifest: PoolManifest) -> list[str]:
    return [
        f"made        {manifest.created:%Y-%m-%d %H:%M} UTC by {manifest.made_by}",
        f"from        {manifest.source} ({manifest.dataset}, {manifest.source_sha256[:16]}), seed {manifest.seed}",
        *(f"against     {name}" for name in manifest.against),
        *(["training    every split, as the user declared"] if manifest.as_training else []),
        *(f"model       {model} ({operator})" for operator, model in manifest.models.items()),
        f"agreed      {manifest.agreed} of {manifest.demonstrations}: the model itself gave the known answer",
        *(f"corpus      {snapshot.name} ({snapshot.hash[:16]})" for snapshot in manifest.snapshots),
        f"embedding   {manifest.embedding}",
        f"settings    {manifest.settings_hash}",
        *(f"left out    {number:,}  {reason}" for reason, number in manifest.left_out.items()),
    ]
