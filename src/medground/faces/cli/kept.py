"""`medground history`, `medground show ID`: answers that were given before."""

from __future__ import annotations

import sys
from itertools import islice
from typing import Annotated

import typer

from medground.faces.cli.options import AnswerName


def history(
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of questions to show.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """List the questions that were asked last, the latest first."""
    from medground.answers import Answers
    from medground.settings import Settings
    from medground.wording.encoding import encodable, encodable_json
    from medground.wording.phrases import clean

    encoding = sys.stdout.encoding or "utf-8"
    found = list(islice(Answers(Settings.load().home).history(), limit))
    for past in found:
        if json:
            typer.echo(encodable_json(past.model_dump_json(), encoding))
            continue
        decision = past.value if past.status == "decided" and past.value else past.status
        given = " (with a context)" if past.context else ""
        stopped = ", stopped early" if past.stopped else ""
        typer.echo(f"{past.trace_id}  {past.created:%Y-%m-%d %H:%M}  {past.recipe}")
        typer.echo(encodable(f"    {clean(past.question)}{given}\n    {clean(decision)[:100]}{stopped}", encoding))
    if not found:
        typer.echo("no answers are kept yet; ask a question with medground ask", err=True)


def show(
    name: AnswerName,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a report in Markdown.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Show labels, offsets, hashes and the trace too.")] = False,
) -> None:
    """Print an answer that was given before."""
    from medground.answers import Answers
    from medground.faces.cli.shown import form_of, show_answer
    from medground.settings import Settings

    show_answer(Answers(Settings.load().home).read(name), form_of(json=json, markdown=markdown), details=details)
