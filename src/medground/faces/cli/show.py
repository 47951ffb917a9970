"""`medground trace show`, `medground schema answer`, `medground version`."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Any

import typer

from medground.faces.cli.options import home_folder
from medground.faces.cli.terminal import say, say_json

trace_app = typer.Typer(help="Show the trace of a run.", no_args_is_help=True)
schema_app = typer.Typer(help="Print JSON schemas.", no_args_is_help=True)


@trace_app.callback()
def _traces() -> None:
    """Show the trace of a run."""


@schema_app.callback()
def _schemas() -> None:
    """Print JSON schemas."""


@trace_app.command("show")
def show(
    trace_id: Annotated[str, typer.Argument(help="The trace_id of an answer.")],
    json: Annotated[bool, typer.Option("--json", help="Print the spans as JSON Lines.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Show document and prompt text too.")] = False,
) -> None:
    """Print the steps of a run: queries, hits, operator calls, what they cost and what failed."""
    from medground.steps import TEXT
    from medground.trace import read_trace

    spans = read_trace(home_folder() / "traces", trace_id)
    if json:
        for span in spans:
            say_json(json_module.dumps(span, ensure_ascii=False))
        return
    parents = {span["id"]: span["parent"] for span in spans}
    for span in spans:
        indent = "  " * _depth(span["id"], parents)
        milliseconds = ((span["end"] or span["start"]) - span["start"]) / 1e6
        failed = f"  FAILED {span['error']}" if span["status"] == "ERROR" else ""
        say(f"{indent}{span['name']}  {milliseconds:.1f} ms{failed}")
        for key, value in sorted(span["attributes"].items()):
            if key == "medground.run" or (key.startswith(TEXT) and not text):
                continue
            shown = f"{indent}    {key.removeprefix('medground.')}: {_short(value, text)}"
            say(shown)


@schema_app.command("answer")
def answer() -> None:
    """Print the JSON schema of an answer."""
    from medground.answer import Answer

    say_json(json_module.dumps(Answer.model_json_schema(mode="serialization"), indent=2))


def version() -> None:
    """Print the version."""
    from medground.version import __version__

    say(f"medground {__version__}")


def show_version(wanted: bool) -> None:
    """`--version`."""
    if wanted:
        version()
        raise typer.Exit


def _depth(span: str, parents: dict[str, str | None]) -> int:
    depth, parent = 0, parents.get(span)
    while parent is not None and parent in parents:
        depth, parent = depth + 1, parents[parent]
    return depth


def _short(value: Any, whole: bool) -> str:
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shown if whole or len(shown) <= 200 else shown[:200] + " ..."
