"""`medground train planner sft`, `dpo` and `merge`: train an adapter, and join it with its base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medground.faces.cli.options import Quiet
from medground.faces.cli.terminal import page, say

if TYPE_CHECKING:
    from medground.train.planning.options import TrainingOptions

Data = Annotated[Path, typer.Argument(help="Folder that export wrote.", metavar="DATA")]
Planner = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the planner; unfinished is resumed.")]
Base = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model to train: a folder, or a name on a hub; any size.")
]
Batch = Annotated[int, typer.Option(min=1, help="Examples for one step.")]
AtOnce = Annotated[int, typer.Option(min=1, help="Examples computed at the same time; fewer need less memory.")]
Ratio = Annotated[float, typer.Option(help="Random share of the training set, above 0 and at most 1.")]
Longest = Annotated[int, typer.Option(min=16, help="Examples of more tokens are left out.")]
Save = Annotated[int, typer.Option("--save-every", min=1, help="Steps between two checkpoints.")]
Seed = Annotated[int, typer.Option(help="Seed of order, sample and first weights.")]
CheckTraining = Annotated[bool, typer.Option("--check", help="Only say what memory, time and money it needs.")]
Price = Annotated[float | None, typer.Option("--price-per-hour", min=0, help="US dollars for an hour of the machine.")]


def sft(
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
    from medground.train.planning.options import SFT

    options = _changed(
        SFT,
        which="negative" if negative else "positive",
        batch=batch,
        at_once=at_once,
        learning_rate=learning_rate,
        epochs=epochs,
        rank=rank,
        alpha=alpha,
        ratio=ratio,
        longest=longest,
        save_every=save_every,
        seed=seed,
    )
    _train(data, out, options, base, None, check=check, price=price_per_hour, quiet=quiet)


def dpo(
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
    from medground.train.planning.options import DPO

    options = _changed(
        DPO,
        beta=beta,
        batch=batch,
        at_once=at_once,
        learning_rate=learning_rate,
        epochs=epochs,
        ratio=ratio,
        longest=longest,
        save_every=save_every,
        seed=seed,
    )
    _train(data, out, options, base, adapter, check=check, price=price_per_hour, quiet=quiet)


def merge(
    adapter: Annotated[Path, typer.Argument(help="Folder of a trained planner.", metavar="ADAPTER")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the whole model.")],
    base: Base = None,
) -> None:
    """Join a planner with its base into one ordinary model, for servers and converters that take no adapter."""
    from medground.train.planning.adapter import merge as joined

    card = joined(adapter, out, base=base)
    say(f"{out}: {card.base} with {', '.join(card.stages)}")


def _changed(options: TrainingOptions, **changes: Any) -> TrainingOptions:
    from pydantic import ValidationError

    from medground.errors import UsageError

    try:
        return type(options).model_validate({**options.model_dump(), **changes})
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

    from medground.faces.cli.progress import shown_progress

    if check:
        from medground.errors import UsageError
        from medground.train.planning.adapter import read_card
        from medground.train.planning.cost import estimate_training

        name = base or (read_card(adapter).base if adapter else None)
        if name is None:
            raise UsageError("name the model to train with --base NAME")
        hourly = None if price is None else Decimal(str(price))
        page(estimate_training(data, name, options, price_per_hour=hourly).told())
        return
    from medground.train.planning.learn import train

    with shown_progress(quiet=quiet) as progress:
        made = train(
            data,
            out,
            options,
            base=base,
            adapter=adapter,
            tell=lambda line: say(line, err=True),
            progress=progress,
        )
    say(
        f"{made.folder}: {made.examples:,} examples, {made.steps:,} steps in {made.seconds:.1f} s, loss "
        f"{made.first_loss:.4f} at the first step, {made.last_loss:.4f} at the last"
    )
