"""`medground plan QUESTION`: how a question would be researched, as a tree, Mermaid, a drawing or a file to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import Preset, Quiet, Sets, SettingsFile, load_settings
from medground.faces.cli.report_file import write_file
from medground.faces.cli.terminal import page, say, say_json

if TYPE_CHECKING:
    from medground.research_plan import ResearchPlan
    from medground.settings import Settings

_FORMS = {".txt": "tree", ".mmd": "mermaid", ".svg": "svg", ".json": "json"}
_NAMES = ("tree", "mermaid", "svg", "json")
_WIDTH = 100


def plan(
    question: Annotated[str | None, typer.Argument(help="The question, in quotes.")] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="tree, mermaid, svg or json; by default what FILE ends with."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file; what it holds is replaced.")
    ] = None,
    from_plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check and show a plan that was edited, instead of making one.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model that plans; MeSH and the question's words without one.")
    ] = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Split a question into sub-questions with keywords, tools and order. Nothing is searched.

    Write the plan as JSON, edit it, and give it back with --from-plan: what is wrong in it is told by its place.
    """
    from medground.errors import UsageError

    chosen = form_of_plan(form, output)
    if (question is None) == (from_plan is None):
        raise UsageError("give either a question in quotes or --from-plan FILE")
    if from_plan is not None:
        from medground.plan.plan_file import read_plan_file

        _show(read_plan_file(from_plan), "", chosen, output)
    else:
        show_plan_of(
            str(question), load_settings(sets, preset, settings, {"model.default": model}), chosen, output, quiet
        )


def form_of_plan(form: str | None, output: Path | None) -> str:
    """The format that is named, else the one that the file's name ends with."""
    from medground.errors import UsageError

    if form is not None and form not in _NAMES:
        raise UsageError(f"unknown format {form!r}; use one of {', '.join(_NAMES)}")
    if form is None and output is not None and output.suffix.lower() not in _FORMS:
        raise UsageError(f"cannot tell the format of {output.name}; end it with {', '.join(_FORMS)} or give --format")
    return form or (_FORMS[output.suffix.lower()] if output is not None else "tree")


def show_plan_of(question: str, settings: Settings, form: str, output: Path | None, quiet: bool) -> None:
    """Plan a question, and print the plan or write it."""
    from medground.author import Author
    from medground.faces.cli.steps import StepLine
    from medground.research_planning import plan_of

    with StepLine(quiet=quiet) as line:
        planned = plan_of(question, settings, on_step=line)
    if planned.notice is not None:
        say(planned.notice.sentence, err=planned.plan is not None)
    if planned.plan is not None:
        made = Author(planned.planner)
        by = (
            f"Planned by {made.name}."
            if made.is_model
            else "Planned without a model, from MeSH and the question's words."
        )
        _show(planned.plan, by, form, output)


def _show(plan: ResearchPlan, by: str, form: str, output: Path | None) -> None:
    """Print a plan, or write it."""
    from medground.wording.plans.mermaid import mermaid
    from medground.wording.plans.svg import svg
    from medground.wording.plans.tree import tree

    if form == "json":
        text = plan.model_dump_json(indent=2) + "\n"
    elif form == "tree":
        text = "\n".join([*tree(plan, _WIDTH), *([by] if by else [])]) + "\n"
    else:
        text = {"mermaid": mermaid, "svg": svg}[form](plan)
    if output is not None:
        write_file(output, text.encode())
        return
    if form == "json":
        say_json(text.removesuffix("\n"))
    else:
        page(text.removesuffix("\n"))
