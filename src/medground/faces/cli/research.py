"""`medground research` and `medground plan`: a report on one question, and how it would be researched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from medground.errors import UsageError
from medground.faces.cli.answers import Shown, check_report, finish, form_of, write_file
from medground.faces.cli.asking import STDIN, ask_one, limits, read_stdin, resume_one
from medground.faces.cli.options import (
    Choices,
    Corpora,
    Details,
    Json,
    KnowledgeBase,
    Markdown,
    ModelName,
    Preset,
    PrintJson,
    QuestionText,
    Quiet,
    Sets,
    SettingsFile,
    SourceNames,
    TaskName,
    ToFile,
    Where,
    YearFrom,
    YearTo,
    load_settings,
    out_option,
    searched,
)
from medground.faces.cli.progress import StepLine
from medground.faces.cli.terminal import page, say, say_json
from medground.home.layers import parse_options
from medground.home.registry import RESEARCH

if TYPE_CHECKING:
    from medground.home.settings import Settings
    from medground.values.research_plan import ResearchPlan


_Tools = Annotated[
    str | None, Option("--tools", metavar="TOOLS", help="Use only these tools: literature, protein, web.")
]
_Plan = Annotated[bool, Option("--plan", help="Show the plan without searching.")]
_FromPlan = Annotated[
    Path | None, Option("--from-plan", metavar="FILE", help="Follow this plan (or -) instead of a new one.")
]
_Replay = Annotated[Path | None, Option(metavar="FOLDER", help="Answer from recorded replies, without network access.")]
_Record = Annotated[Path | None, Option(metavar="FOLDER", help="Record service replies in this folder.")]
_Resume = Annotated[
    bool, Option("--resume", help="Resume unfinished research: the latest, or this id in place of a question.")
]
_Output = Annotated[Path | None, out_option("Write the report; .md, .html, .docx, .pdf or .json.")]


def research(
    question: QuestionText = None,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    source: SourceNames = None,
    tools: _Tools = None,
    model: ModelName = None,
    task: TaskName = None,
    option: Choices = None,
    year_from: YearFrom = None,
    year_to: YearTo = None,
    where: Where = None,
    plan: _Plan = False,
    from_plan: _FromPlan = None,
    replay: _Replay = None,
    record: _Record = None,
    resume: _Resume = False,
    output: _Output = None,
    json: Json = False,
    markdown: Markdown = False,
    details: Details = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Write a report on a question: plan, search, read, connect and check.

    Everything that is built is searched, as by medground ask, or what --corpus, --kb and --source name. With --preset
    biomedsearch, --record or --replay, PubMed, PMC, Europe PMC, ScienceDirect, UniProt, AlphaFold, PDB and web searches
    are asked. The exit status is that of medground ask.
    """
    from medground.engine.unfinished import LAST
    from medground.language.risk.notices import notice_first
    from medground.values.question import Question
    from medground.values.research_plan import read_plan_file

    if output is not None and not plan:
        check_report(output)
    shown = Shown(form_of(json=json, markdown=markdown), details=details, quiet=quiet)
    given = None if from_plan is None else read_plan_file(from_plan)
    filters = limits(year_from, year_to, where or [])
    recorded = {"retrieval.replay": replay, "retrieval.record": record}
    named = _named(corpus, kb, source) | recorded | {"model.default": model, f"{RESEARCH}.tools": tools}
    if resume:
        others = (preset, settings, task, option, plan or None, from_plan, filters.as_query(), *named.values())
        changes = _changes(sets, others)
        finish(lambda: resume_one(question or LAST, load_settings(), changes, quiet=quiet), shown, output)
        return
    text = _text(question, given)
    with notice_first(text):
        preset = preset or (RESEARCH if replay or record else None)  # only services have replies
        chosen = load_settings(sets, preset, settings, named | {"recipe.name": RESEARCH})
        asked = Question.ask(text, task=task, options=tuple(option or ()), filters=filters)  # type: ignore[arg-type]
        if plan:
            show_plan_of(text, chosen, form_of_plan(None, output), output, quiet)
        else:
            finish(lambda: ask_one(asked, chosen, plan=given, quiet=quiet), shown, output)


def _named(corpus: list[str] | None, kb: str | None, source: list[str] | None) -> dict[str, object]:
    """The settings of what is searched: what is named stands in place of everything else."""
    if not (corpus or kb or source):
        return {}
    return {"retrieval.corpora": (), **searched(corpus, kb), "retrieval.sources": tuple(source or ())}


def _changes(sets: list[str] | None, others: tuple[object, ...]) -> dict[str, object]:
    """The settings that change where research is resumed; nothing else may."""
    if any(other not in (None, ()) for other in others):
        raise UsageError("--resume takes question and settings from the research; only --set and the output can differ")
    return dict(parse_options(sets or []))


def _text(question: str | None, plan: ResearchPlan | None) -> str:
    """The question as it was typed, or that of the plan.

    Raises UsageError: there is none, or the plan is of another one.
    """
    text = read_stdin() if question == STDIN else question
    if plan is None:
        if text is None:
            raise UsageError("no question given; write one in quotes, or - to read it from standard input")
        return text
    if text is not None and text.split() != plan.question.split():
        raise UsageError("the plan is of another question; leave the question out, or edit `question` in the plan")
    return plan.question


_FORMS = {".txt": "tree", ".mmd": "mermaid", ".svg": "svg", ".json": "json"}
_WIDTH = 100


def plan(
    question: Annotated[str | None, Argument(help="The question, in quotes.")] = None,
    form: Annotated[
        str | None,
        Option("--format", metavar="FORMAT", help="tree, mermaid, svg or json; by default from FILE's name."),
    ] = None,
    output: ToFile = None,
    from_plan: Annotated[
        Path | None, Option(metavar="FILE", help="Check and show a plan that was edited, instead of making one.")
    ] = None,
    model: Annotated[str | None, Option(help="Model that plans; MeSH and the question's words without one.")] = None,
    json: PrintJson = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Split a question into sub-questions with keywords, tools and order. Nothing is searched.

    Write the plan as JSON, edit it, and pass it back with --from-plan; errors are reported with their location.
    """
    chosen = form_of_plan("json" if json else form, output)
    if (question is None) == (from_plan is None):
        raise UsageError("give either a question in quotes or --from-plan FILE")
    if from_plan is not None:
        from medground.values.research_plan import read_plan_file

        _show(read_plan_file(from_plan), "", chosen, output)
    else:
        show_plan_of(
            str(question), load_settings(sets, preset, settings, {"model.default": model}), chosen, output, quiet
        )


def form_of_plan(form: str | None, output: Path | None) -> str:
    """The format that is named, else the one that the file's name ends with."""
    if form is not None and form not in _FORMS.values():
        raise UsageError(f"unknown format {form!r}; use one of {', '.join(_FORMS.values())}")
    ending = ".txt" if output is None else output.suffix.lower()
    if form is None and ending not in _FORMS:
        raise UsageError(f"cannot tell the format of {output}; end it with {', '.join(_FORMS)} or give --format")
    return form or _FORMS[ending]


def show_plan_of(question: str, settings: Settings, form: str, output: Path | None, quiet: bool) -> None:
    """Plan a question, and print the plan or write it."""
    from medground.engine.planning import plan_of
    from medground.values.usage import Author

    with StepLine(quiet=quiet) as line:
        planned = plan_of(question, settings, on_step=line)
    if planned.notice is not None:
        say(planned.notice.sentence, err=planned.plan is not None)
    if planned.plan is not None:
        made = Author(planned.planner)
        how = f"by {made.name}" if made.is_model else "without a model, from MeSH and the question's words"
        _show(planned.plan, f"Planned {how}.", form, output)


def _show(plan: ResearchPlan, by: str, form: str, output: Path | None) -> None:
    from medground.wording.plans import mermaid, svg, tree

    if form == "json":
        text = plan.model_dump_json(indent=2)
    elif form == "tree":
        text = "\n".join(filter(None, [*tree(plan, _WIDTH), by]))
    else:
        text = {"mermaid": mermaid, "svg": svg}[form](plan).removesuffix("\n")
    if output is not None:
        write_file(output, f"{text}\n")
    elif form == "json":
        say_json(text)
    else:
        page(text)
