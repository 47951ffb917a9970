"""`medground corpus`: build, add, sync and enrich corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.corpus_app import Embed, Name, corpus_app, library, open_embedder
from medground.faces.cli.corpus_told import show_built
from medground.faces.cli.options import Quiet
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import say
from medground.faces.cli.typed import received

if TYPE_CHECKING:
    from medground.corpus.joining.base import Records
    from medground.corpus.library import Library

Paths = Annotated[list[Path], typer.Argument(help="Files and folders to read; or - (a pipe).", metavar="PATH...")]
Reader = Annotated[str | None, typer.Option(help="Read every file with this reader instead of detecting it.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first file that cannot be read.")]
Enrich = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCE",
        help="Fill what documents lack from their records in this corpus, in pubmed, or at the address of a PubMed "
        "service; repeatable. The corpus remembers it; none forgets it.",
    ),
]


@corpus_app.command("build")
def build(
    name: Name,
    paths: Paths,
    reader: Reader = None,
    embed: Embed = None,
    limit: Annotated[int, typer.Option(help="Maximum characters per passage.", min=1)] = 1000,
    strict: Strict = False,
    enrich: Enrich = None,
    quiet: Quiet = False,
) -> None:
    """Build a corpus from files and folders. Replaces any corpus with this name.

    A file that cannot be read is passed over and named with its reason.
    """
    from medground.corpus.build import build as build_corpus
    from medground.corpus.incoming import forget_others
    from medground.corpus.readers import find_inputs

    home = library()
    folder = home.folder_of(name)
    records = _records(home, name, enrich) or []
    paths = received(paths, folder)
    inputs = find_inputs([*map(_whole, paths)], reader, strict=strict)
    embedder = open_embedder(embed)
    with shown_progress(quiet=quiet) as progress:
        manifest = build_corpus(
            home, name, inputs, embedder=embedder, progress=progress, limit=limit, strict=strict, records=records
        )
    forget_others(folder, paths)
    show_built(home, manifest)


@corpus_app.command("add")
def add(
    name: Name,
    paths: Paths,
    reader: Reader = None,
    embed: Embed = None,
    strict: Strict = False,
    enrich: Enrich = None,
    quiet: Quiet = False,
) -> None:
    """Add files and folders to a corpus. A record replaces any with the same id."""
    from medground.corpus.build import add as add_to_corpus
    from medground.corpus.readers import find_inputs

    home = library()
    built = home.info(name).embedding
    records = _records(home, name, enrich)
    paths = received(paths, home.folder_of(name))
    inputs = find_inputs([*map(_whole, paths)], reader, strict=strict)
    embedder = open_embedder(embed or (built.name if built else None))
    with shown_progress(quiet=quiet) as progress:
        manifest = add_to_corpus(
            home, name, inputs, embedder=embedder, progress=progress, strict=strict, records=records
        )
    show_built(home, manifest)


@corpus_app.command("sync")
def sync(
    name: Name,
    folder: Annotated[Path, typer.Argument(help="The folder to follow.", metavar="FOLDER")],
    embed: Embed = None,
    enrich: Enrich = None,
    quiet: Quiet = False,
) -> None:
    """Bring a corpus up to date with a folder: adds new files, replaces changed ones, removes those that went."""
    from medground.corpus.sync import sync as sync_corpus

    home = library()
    built = home.info(name).embedding if home.has(name) else None
    records = _records(home, name, enrich)
    embedder = open_embedder(embed or (built.name if built else None))
    with shown_progress(quiet=quiet) as progress:
        manifest, changes = sync_corpus(home, name, folder, embedder=embedder, progress=progress, records=records)
    counts = {"new": changes.new, "changed": changes.changed, "tried again": changes.again, "gone": changes.gone}
    told = ", ".join(f"{len(names):,} {what}" for what, names in counts.items() if names)
    if not changes.any:
        say(f"{name} is up to date: {changes.same:,} files")
        return
    say(f"{f'{told}, ' if told else ''}{changes.same:,} as they were", err=True)
    show_built(home, manifest)


@corpus_app.command("enrich")
def enrich(
    name: Name,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="A corpus, pubmed, or the address of a PubMed service; repeatable; those that the corpus remembers by "
            "default. none: documents become as their files have them.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Fill what documents lack from their records, without reading their files again."""
    from medground.corpus.change import enrich as enrich_corpus
    from medground.errors import UsageError

    home = library()
    known = home.info(name)
    records = _records(home, name, source)
    if records is None and not known.enriched:
        raise UsageError(f"{name} remembers no source of records; name one with --from: a corpus, or pubmed")
    embedder = open_embedder(known.embedding.name if known.embedding else None)
    with shown_progress(quiet=quiet) as progress:
        manifest = enrich_corpus(home, name, records, embedder=embedder, progress=progress)
    show_built(home, manifest)


def _whole(path: Path) -> Path:
    """A folder with its full name, so that `corpus sync` knows it again from anywhere."""
    return path.resolve() if path.is_dir() else path


def _records(home: Library, name: str, sources: list[str] | None) -> list[Records] | None:
    """The sources of records that the user names; None: those that the corpus remembers."""
    from medground.corpus.joining.open import open_records

    return None if sources is None else open_records(home, name, sources)
