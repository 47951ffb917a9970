"""`medground history`, `medground show ID`: answers that were given before."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from medground.faces.cli.options import AnswerName, home_folder
from medground.faces.cli.terminal import say, say_json


def history(
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of questions to show.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """List the questions that were asked last, the latest first."""
    from medground.answers import Answers

    found = list(islice(Answers(home_folder()).history(), limit))
    for past in found:
        if json:
            say_json(past.model_dump_json())
            continue
        decision = past.value if past.status == "decided" and past.value else past.status
        given = " (with a context)" if past.context else ""
        stopped = ", stopped early" if past.stopped else ""
        say(f"{past.trace_id}  {past.created:%Y-%m-%d %H:%M}  {past.recipe}")
        say(f"    {past.question}{given}", f"    {decision[:100]}{stopped}")
    if not found:
        say("no answers are kept yet; ask a question with medground ask", err=True)


def show(
    name: AnswerName,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a report in Markdown.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Show labels, offsets, hashes and the trace too.")] = False,
) -> None:
    """Print an answer that was given before."""
    from medground.answers import Answers
    from medground.faces.cli.shown import form_of, show_answer

    show_answer(Answers(home_folder()).read(name), form_of(json=json, markdown=markdown), details=details)
