"""`medground corpus`: list, info, files, verify, search and remove corpora. Those that change one: `corpus_build`."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.corpus_app import Embed, Name, corpus_app, library
from medground.faces.cli.corpus_build import add, build, enrich, sync  # its commands come first
from medground.faces.cli.corpus_told import described, in_bytes, joined, reason_of, show_found, summary
from medground.faces.cli.options import Where
from medground.faces.cli.terminal import confirm, say, say_json

__all__ = ["add", "build", "corpus_app", "enrich", "sync"]

Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@corpus_app.command("list")
def list_corpora() -> None:
    """List all corpora with their contents."""
    from medground.errors import MedgroundError

    home = library()
    names = home.list()
    if not names:
        say("no corpora yet; build one with `medground corpus build NAME PATH`", err=True)
    for name in names:
        try:
            say(f"{name:<24} {summary(home.info(name))}")
        except MedgroundError as error:  # a damaged corpus must not hide the others
            say(f"{name:<24} {error}")


@corpus_app.command("info")
def info(name: Name, json: Json = False) -> None:
    """Show what a corpus contains and how it was built."""
    with library().open(name) as snapshot:
        if json:
            say_json(snapshot.manifest.model_dump_json(indent=2))
            return
        for line in described(snapshot):
            say(line)


@corpus_app.command("files")
def files(name: Name) -> None:
    """List every file of a corpus: its reader or why it was passed over, and what its records filled."""
    with library().open(name) as snapshot:
        records = joined(snapshot)
        for file in snapshot.file_report().files:
            line = f"{file.reader if file.reason is None else 'passed over':<12} {file.name}{reason_of(file.reason)}"
            say(line)
            for told in records.get(file.name, []):
                say(f"{'':<12} {told}")


@corpus_app.command("verify")
def verify(name: Name) -> None:
    """Check every file of a corpus against its hash."""
    manifest = library().verify(name)
    say(f"{name} is intact: {len(manifest.files)} files, {in_bytes(manifest.size)}, {manifest.hash[:16]}")


@corpus_app.command("search")
def search(
    name: Name,
    query: Annotated[str, typer.Argument(help="Words to search for.", metavar="QUERY")],
    limit: Annotated[int, typer.Option(help="Maximum number of passages to show.", min=1, max=10_000)] = 10,
    where: Where = None,
    embed: Embed = None,
) -> None:
    """Search the passages of a corpus. Searches by words and, if the corpus has vectors, by meaning."""
    from medground.blocking import BlockingEngine
    from medground.errors import UsageError
    from medground.settings import Settings
    from medground.where import parse_where

    built = library().info(name).embedding
    if embed not in (None, "none", built.name if built else None):
        known = built.name if built else "no model"
        raise UsageError(f"{name} has vectors of {known}; drop --embed, or use --embed none")
    options = {"retrieval.dense": False} if embed == "none" else {}
    with BlockingEngine(Settings.load(options=options), corpora=name) as engine:
        found = engine.search(query, limit=limit, filters=parse_where(where or []))
    show_found(found)


@corpus_app.command("remove")
def remove(
    name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False
) -> None:
    """Delete a corpus."""
    home = library()
    if not yes and home.has(name):
        confirm(f"Delete corpus {name}?")
    home.remove(name)
    say(f"removed {name}", err=True)
