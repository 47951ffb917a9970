"""`medground corpus list`, `info`, `files`, `verify`, `search`, `remove`: what there is in a corpus."""

from typing import Annotated

import typer
from rich.filesize import decimal

from medground.errors import MedgroundError, UsageError
from medground.faces.cli import papers
from medground.faces.cli.building import Embed, Name, library
from medground.faces.cli.building import corpus_app as corpus_app
from medground.faces.cli.options import MostPassages, PrintJson, SearchWords, Where, Yes, corpora_named
from medground.faces.cli.progress import described, joined, summary
from medground.faces.cli.terminal import confirm, say, say_data, say_either


@corpus_app.command("list")
def list_corpora(json: PrintJson = False) -> None:
    """List all corpora with their contents."""
    home = library()
    found: dict[str, object] = {}
    lines: list[str] = []
    for name in home.list():
        try:
            found[name] = known = home.info(name)
            lines.append(f"{name:<24} {', at '.join(filter(None, (summary(known), home.address_of(name))))}")
        except MedgroundError as error:  # a damaged corpus must not hide the others
            found[name] = {"error": str(error)}
            lines.append(f"{name:<24} {error}")
    if not found:
        say("no corpora yet; build one with `medground corpus build NAME PATH`", err=True)
    say_either(found, lines, json=json)


@corpus_app.command("info")
def info(name: Name, json: PrintJson = False) -> None:
    """Show what a corpus contains and how it was built."""
    with library().built(name) as snapshot:
        say_either(snapshot.manifest, described(snapshot), json=json)


@corpus_app.command("files")
def files(name: Name, json: PrintJson = False) -> None:
    """List every file of a corpus: its reader or why it was skipped, its records that were skipped, what was filled."""
    with library().built(name) as snapshot:
        records, report = joined(snapshot), snapshot.file_report()
        for item in snapshot.skipped(-1):
            where = "a record" if item.position is None else f"at {item.position:,}"
            records.setdefault(item.input, []).append(f"skipped {where}: {item.reason}")
        for note, names in report.notes.items():
            for told in names:
                records.setdefault(told, []).append(note)
        for same in report.same:
            for told in same.others:
                records.setdefault(told, []).append(f"{same.id} is also in {same.kept}, whose text is kept")
        if json:
            say_data([{**vars(file), "notes": records.get(file.name, ())} for file in report.files])
            return
        for file in report.files:
            reason = f": {file.reason}" if file.reason else ""
            say(f"{file.reader if file.reason is None else 'skipped':<12} {file.name}{reason}")
            say(*(f"{'':<12} {line}" for line in records.get(file.name, [])))


@corpus_app.command("verify")
def verify(name: Name, json: PrintJson = False) -> None:
    """Check every file of a corpus against its hash."""
    manifest = library().verify(name)
    intact = f"{name} is intact: {len(manifest.files)} files, {decimal(manifest.size)}, {manifest.hash[:16]}"
    say_either(manifest, [intact], json=json)


@corpus_app.command("search")
def search(
    name: Name,
    query: SearchWords,
    limit: MostPassages = 10,
    where: Where = None,
    embed: Embed = None,
    json: PrintJson = False,
) -> None:
    """Search the passages of a corpus. Searches by words and, if the corpus has vectors, by meaning."""
    built = library().info(*corpora_named([name])).embedding
    if embed not in (None, "none", built.name if built else None):
        known = built.name if built else "no model"
        raise UsageError(f"{name} has vectors of {known}; drop --embed, or use --embed none")
    words_alone = ["retrieval.dense=false"] if embed == "none" else None
    papers.search(query, corpus=[name], limit=limit, where=where, json=json, sets=words_alone, quiet=True)


@corpus_app.command("remove")
def remove(
    name: Name,
    yes: Yes = False,
    old: Annotated[bool, typer.Option("--old", help="Only snapshots that are not current, for a day or more.")] = False,
) -> None:
    """Delete a corpus. Of a name that stands for an address, only the name goes; name the address to delete all."""
    home, what = library(), f"old snapshots of {name}" if old else name
    if not yes and home.has(name):
        confirm(f"Delete {what}?" if old else f"Delete corpus {name}?")
    home.at(name).remove(old=True) if old else home.remove(name)
    say(f"removed {what}", err=True)
