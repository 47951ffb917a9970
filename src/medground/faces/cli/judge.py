"""`medground judge`: measure whether a model may judge statements here, and list who may."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.eval_judge import shown_judging
from medground.faces.cli.eval_stop import run_stoppable
from medground.faces.cli.options import Quiet, Sets, SettingsFile, load_settings
from medground.faces.cli.terminal import confirm, say, say_json

if TYPE_CHECKING:
    from medground.evaluate.proving.run import Measurement
    from medground.verify.measured import Measured

judge_app = typer.Typer(
    help="Measure whether a model may call statements supported or contradicted, and list who may.",
    no_args_is_help=True,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@judge_app.command("measure")
def measure(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Its name, such as openai:gpt-5.")],
    data: Annotated[Path, typer.Option(help="The folder of scifact/ and nli/, the labelled pairs.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before the calls.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything again.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of calls in parallel.")] = 8,
    json: Json = False,
    sets: Sets = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Ask a model about a few hundred pairs with known labels. If it proves itself, its verdicts count on this machine.

    If interrupted, run the same command to resume.
    """
    from medground.evaluate.proving.run import prepared

    planned = prepared(model, data, load_settings(sets, None, settings, {"model.concurrency": concurrency}))
    _confirm(planned, yes=yes, fresh=fresh)
    found = run_stoppable(_measured(planned, fresh=fresh, concurrency=concurrency, quiet=quiet))
    if json:
        say_json(found.model_dump_json(indent=2))
    else:
        say(*_lines(found))


@judge_app.command("list")
def list_judges(json: Json = False, sets: Sets = None, settings: SettingsFile = None) -> None:
    """List who may judge here, and what each judge was measured on."""
    from medground.verify.measured import measured_judges

    chosen = load_settings(sets, None, settings)
    found = measured_judges(chosen.home)
    if json:
        import json as library

        say_json(library.dumps([one.model_dump(mode="json") | {"proven": one.is_proven} for one in found], indent=2))
        return
    for line in _shipped():
        say(line)
    for name in chosen.verify.trusted_judges:
        say(f"{name}  trusted by the settings (verify.trusted_judges), without a measurement")
    for one in found:
        say(*_lines(one))
    if not found:
        say("No model was measured on this machine; to measure one: medground judge measure MODEL --data FOLDER")


def _confirm(planned: Measurement, *, yes: bool, fresh: bool) -> None:
    """Say what the calls will cost, and ask unless nothing is left or the user has agreed.

    Raises:
        UsageError: nobody can be asked.
    """
    from medground.errors import UsageError

    left = planned.left(fresh=fresh)
    if not left.calls:
        return
    sets = len({pair.dataset for pair in planned.pairs})
    say(f"{planned.model}: {len(planned.pairs):,} pairs of {sets} sets; to do: {left}", err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nothing was asked; add --yes to make these calls")
    confirm("Continue?")


async def _measured(planned: Measurement, *, fresh: bool, concurrency: int, quiet: bool) -> Measured:
    try:
        return await planned.make(fresh=fresh, concurrency=concurrency, watch=shown_judging(quiet=quiet))
    except BaseException:
        if not quiet:
            say("", err=True)  # what went wrong is not on the line of the progress
        raise
    finally:
        await planned.models.close()


def _lines(found: Measured) -> list[str]:
    """A measurement in a few lines."""
    where = f" at {found.address}" if found.address else ""
    unusable = f"; {found.unusable} replies could not be read and count as wrong" if found.unusable else ""
    used = found.usage
    price = "price unknown" if used.price is None else f"${used.price:.2f}"
    guessed = f" ({used.estimated_tokens:,} of them estimated)" if used.estimated_tokens else ""
    lines = [
        f"{found.model}{where}  {found.verdict}",
        f"    measured {found.measured:%Y-%m-%d} on {found.pairs:,} pairs: {used.input_tokens:,} tokens in, "
        f"{used.output_tokens:,} out{guessed}, {price}{unusable}",
    ]
    for proof in found.proofs:
        what = "SUPPORT against CONTRADICT" if proof.of == "claims" else "right"
        lines.append(
            f"    {'passed' if proof.passes else 'FAILED'}  {proof.dataset}: {what} {proof.accuracy:.0%} "
            f"({proof.low:.0%} to {proof.high:.0%}) of {proof.pairs}, guessing {proof.majority:.0%}"
        )
    return lines


def _shipped() -> list[str]:
    from medground.models.pairs.shipped import shipped
    from medground.settings import VerifySettings
    from medground.verify.judges import domain, may_judge

    return [
        f"{one.name}  {'proven' if may_judge(one.name, VerifySettings()) else 'not proven'}, ships with Medground: "
        f"{domain(one.name)}"
        for one in shipped().values()
    ]
