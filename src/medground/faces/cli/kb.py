"""`medground kb`: build, list, show, count, search, verify and remove knowledge bases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from medground.errors import MedgroundError
from medground.faces.cli.options import (
    MostPassages,
    PrintJson,
    Quiet,
    SearchWords,
    Where,
    Yes,
    group,
    home_folder,
    knowledge_bases,
    load_settings,
    searched,
)
from medground.faces.cli.progress import show_built, show_found, shown_progress, summary
from medground.faces.cli.terminal import confirm, say, say_data, say_either

if TYPE_CHECKING:
    from medground.corpus.library import Library
    from medground.graph.bases.record import Bases

kb_app = group("Build and inspect knowledge bases of several kinds of source.")

Name = Annotated[str, Argument(help="Name of the base.", metavar="NAME", autocompletion=knowledge_bases)]


@kb_app.command("build")
def build(
    spec: Annotated[Path, Argument(help="The specification, in TOML.", metavar="SPEC")], quiet: Quiet = False
) -> None:
    """Build the sources of a base that are not built yet; run again to resume, or after a change.

    A file that cannot be read is skipped and listed with the reason.
    """
    from medground.graph.bases.building import build_base
    from medground.graph.bases.record import table
    from medground.graph.bases.spec import read_spec
    from medground.models.embedders import open_embedder

    wanted = read_spec(spec)
    home = home_folder()
    with shown_progress(quiet=quiet) as progress:
        made = build_base(wanted, spec, home, open_embedder=lambda name: open_embedder(name, home), progress=progress)
    library, _ = _opened()
    for source in made.sources:
        if source.seconds is None:
            say(f"{source.manifest.name} is up to date", err=True)
        else:
            show_built(library, source.manifest)
            say(f"{source.name}: {source.seconds:.1f} s", err=True)
    for name in made.removed:
        say(f"{name} is no longer in the specification: removed", err=True)
    say("")
    say(*table([(name, made.base.counted[name]) for name in made.base.sources]))


@kb_app.command("list")
def list_bases(json: PrintJson = False) -> None:
    """List all bases with their sources."""
    _, bases = _opened()
    found: dict[str, object] = {}
    lines: list[str] = []
    for name in bases.list():
        try:
            found[name] = base = bases.read(name)
            documents = sum(one.documents for one in base.counted.values())
            lines.append(f"{name:<16} {', '.join(base.sources)}; {documents:,} documents")
        except MedgroundError as error:  # a damaged base must not hide the others
            found[name] = {"error": str(error)}
            lines.append(f"{name:<16} {error}")
    if not found:
        say("no knowledge bases yet; build one with `medground kb build SPEC`", err=True)
    say_either(found, lines, json=json)


@kb_app.command("show")
def show(name: Name, json: PrintJson = False) -> None:
    """Show each source of a base: its contents, query format, licence, and the origin of its texts."""
    library, bases = _opened()
    base = bases.read(name)
    if json:
        from medground.graph.bases.record import corpus_name

        found = {source: library.info(corpus_name(name, source)).described for source in base.sources}
        say_data({source: one for source, one in found.items() if one})
        return
    for source, corpus in zip(base.sources, base.corpora, strict=True):
        say(*_described(source, corpus, library))


@kb_app.command("stats")
def stats(name: Name, json: PrintJson = False) -> None:
    """Print the size of a base as in the paper's Table 2: documents, chunks, words per chunk; for a graph, concepts."""
    from medground.graph.bases.record import of_base, table

    library, bases = _opened()
    found = of_base(bases.read(name), library)
    say_either(found, table(list(found.items())), json=json)


@kb_app.command("search")
def search(
    name: Name, query: SearchWords, limit: MostPassages = 10, where: Where = None, json: PrintJson = False
) -> None:
    """Search the passages of every source of a base at once."""
    from medground.engine.blocking import BlockingEngine
    from medground.values.where import parse_where

    with BlockingEngine(load_settings(extra=searched(None, name))) as engine:
        show_found(engine.search(query, limit=limit, filters=parse_where(where or [])), json=json)


@kb_app.command("verify")
def verify(name: Name, json: PrintJson = False) -> None:
    """Check every file of every source of a base against its hash."""
    library, bases = _opened()
    found = {corpus: library.verify(corpus) for corpus in bases.read(name).corpora}
    lines = (f"{corpus} is intact: {len(one.files)} files, {one.hash[:16]}" for corpus, one in found.items())
    say_either(found, lines, json=json)


@kb_app.command("remove")
def remove(name: Name, yes: Yes = False) -> None:
    """Delete a base with all of its corpora."""
    from medground.graph.bases.building import remove_base

    _, bases = _opened()
    if not yes and bases.find(name) is not None:
        confirm(f"Delete the knowledge base {name} and its corpora?")
    gone = remove_base(name, home_folder())
    say(f"removed {name}: {', '.join((*gone.sources, *gone.pending))}", err=True)


def _described(source: str, corpus: str, library: Library) -> list[str]:
    manifest = library.info(corpus)
    described = manifest.described
    if described is None:  # built by other means since
        return [f"{source:<12} {summary(manifest)}", "  it has no description; run medground kb build again"]
    fields = {"about": "about", "queries": "query_format", "licence": "licence", "origin": "origin"}
    lines = [f"  {name:<10} {getattr(described, field)}" for name, field in fields.items()]
    return [f"{source:<12} {described.kind}; {summary(manifest)}", *lines]


def _opened() -> tuple[Library, Bases]:
    from medground.corpus.library import Library
    from medground.graph.bases.record import Bases

    home = home_folder()
    return Library(home), Bases(home)
