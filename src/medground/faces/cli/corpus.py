"""`medground corpus`: build, add, sync, enrich, list, info, verify, search and remove corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.figures import one_line
from medground.faces.cli.options import Quiet, Where
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.typed import received

if TYPE_CHECKING:
    from medground.corpus.embedding.base import Embedder
    from medground.corpus.joining.base import Records
    from medground.corpus.joining.told import DocumentTold
    from medground.corpus.library import Library
    from medground.corpus.manifest import InputEntry, Manifest
    from medground.corpus.snapshot import Snapshot

corpus_app = typer.Typer(help="Build, check and search document collections.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of the corpus.", metavar="NAME")]
Paths = Annotated[list[Path], typer.Argument(help="Files and folders to read; or - (a pipe).", metavar="PATH...")]
Reader = Annotated[str | None, typer.Option(help="Read every file with this reader instead of detecting it.")]
Embed = Annotated[
    str | None,
    typer.Option(help="Embedding model: minilm, a sentence-transformers name or folder, or none.", metavar="MODEL"),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first file that cannot be read.")]
Enrich = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCE",
        help="Fill what documents lack from their records in this corpus, in pubmed, or at the address of a PubMed "
        "service; repeatable. The corpus remembers it; none forgets it.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
_SHOWN = 10


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

    library = _library()
    folder = library.folder_of(name)
    records = _records(library, name, enrich) or []
    paths = received(paths, folder)
    inputs = find_inputs([*map(_whole, paths)], reader, strict=strict)
    embedder = _open_embedder(embed)
    with shown_progress(quiet=quiet) as progress:
        manifest = build_corpus(
            library, name, inputs, embedder=embedder, progress=progress, limit=limit, strict=strict, records=records
        )
    forget_others(folder, paths)
    _show_built(library, manifest)


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

    library = _library()
    built = library.info(name).embedding
    records = _records(library, name, enrich)
    paths = received(paths, library.folder_of(name))
    inputs = find_inputs([*map(_whole, paths)], reader, strict=strict)
    embedder = _open_embedder(embed or (built.name if built else None))
    with shown_progress(quiet=quiet) as progress:
        manifest = add_to_corpus(
            library, name, inputs, embedder=embedder, progress=progress, strict=strict, records=records
        )
    _show_built(library, manifest)


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

    library = _library()
    built = library.info(name).embedding if library.has(name) else None
    records = _records(library, name, enrich)
    embedder = _open_embedder(embed or (built.name if built else None))
    with shown_progress(quiet=quiet) as progress:
        manifest, changes = sync_corpus(library, name, folder, embedder=embedder, progress=progress, records=records)
    counts = {"new": changes.new, "changed": changes.changed, "tried again": changes.again, "gone": changes.gone}
    told = ", ".join(f"{len(names):,} {what}" for what, names in counts.items() if names)
    if not changes.any:
        typer.echo(f"{name} is up to date: {changes.same:,} files")
        return
    typer.echo(f"{f'{told}, ' if told else ''}{changes.same:,} as they were", err=True)
    _show_built(library, manifest)


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
    from medground.corpus.joining.enrich import enrich as enrich_corpus
    from medground.errors import UsageError

    library = _library()
    known = library.info(name)
    records = _records(library, name, source)
    if records is None and not known.enriched:
        raise UsageError(f"{name} remembers no source of records; name one with --from: a corpus, or pubmed")
    embedder = _open_embedder(known.embedding.name if known.embedding else None)
    with shown_progress(quiet=quiet) as progress:
        manifest = enrich_corpus(library, name, records, embedder=embedder, progress=progress)
    _show_built(library, manifest)


@corpus_app.command("list")
def list_corpora() -> None:
    """List all corpora with their contents."""
    from medground.errors import MedgroundError

    library = _library()
    names = library.list()
    if not names:
        typer.echo("no corpora yet; build one with `medground corpus build NAME PATH`", err=True)
    for name in names:
        try:
            typer.echo(f"{name:<24} {_summary(library.info(name))}")
        except MedgroundError as error:  # a damaged corpus must not hide the others
            typer.echo(f"{name:<24} {error}")


@corpus_app.command("info")
def info(name: Name, json: Json = False) -> None:
    """Show what a corpus contains and how it was built."""
    with _library().open(name) as snapshot:
        if json:
            typer.echo(snapshot.manifest.model_dump_json(indent=2))
            return
        for line in _described(snapshot):
            typer.echo(line)


@corpus_app.command("files")
def files(name: Name) -> None:
    """List every file of a corpus: its reader or why it was passed over, and what its records filled."""
    with _library().open(name) as snapshot:
        joined = _joined(snapshot)
        for file in snapshot.told().files:
            line = f"{file.reader if file.reason is None else 'passed over':<12} {file.name}{_reason(file.reason)}"
            typer.echo(one_line(line))
            for told in joined.get(file.name, []):
                typer.echo(one_line(f"{'':<12} {told}"))


@corpus_app.command("verify")
def verify(name: Name) -> None:
    """Check every file of a corpus against its hash."""
    manifest = _library().verify(name)
    typer.echo(f"{name} is intact: {len(manifest.files)} files, {_bytes(manifest.size)}, {manifest.hash[:16]}")


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
    from medground.retraction import why_aside
    from medground.settings import Settings
    from medground.where import parse_where

    built = _library().info(name).embedding
    if embed not in (None, "none", built.name if built else None):
        known = built.name if built else "no model"
        raise UsageError(f"{name} has vectors of {known}; drop --embed, or use --embed none")
    options = {"retrieval.dense": False} if embed == "none" else {}
    with BlockingEngine(Settings.load(options=options), corpora=name) as engine:
        found = engine.search(query, limit=limit, filters=parse_where(where or []))
    if found.notice is not None:
        typer.echo(f"{found.notice.sentence}\n")
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    for hit in found.hits:
        passage = hit.passage
        mark = f" [{reason.upper()}]" if (reason := why_aside(passage)) else ""
        page = f"  p. {passage.page}" if passage.page else ""
        typer.echo(f"{hit.rank:>3}  {passage.key}{page}  {one_line(passage.title[:100])}{mark}")
        typer.echo(f"     {' '.join(one_line(passage.text).split())[:200]}")
    if not found.hits and not (found.notice and found.notice.stops):
        typer.echo("no passages found", err=True)


@corpus_app.command("remove")
def remove(
    name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False
) -> None:
    """Delete a corpus."""
    library = _library()
    if not yes and library.has(name):
        typer.confirm(f"Delete corpus {name}?", abort=True, err=True)
    library.remove(name)
    typer.echo(f"removed {name}", err=True)


def _whole(path: Path) -> Path:
    """A folder with its full name, so that `corpus sync` knows it again from anywhere."""
    return path.resolve() if path.is_dir() else path


def _library() -> Library:
    from medground.corpus.library import Library
    from medground.settings import Settings

    return Library(Settings.load().home)


def _records(library: Library, name: str, sources: list[str] | None) -> list[Records] | None:
    """The sources of records that the user names; None: those that the corpus remembers."""
    if sources is None:
        return None
    from medground.corpus.joining.open import open_records

    return open_records(library, name, sources)


def _joined(snapshot: Snapshot) -> dict[str, list[str]]:
    """What became of joining the documents of each file: by name if there are few, else by number."""
    by_file: dict[str, list[DocumentTold]] = {}
    for entry in snapshot.documents_told():
        by_file.setdefault(entry.file, []).append(entry)
    lines = {}
    for file, entries in by_file.items():
        alone = len({entry.document for entry in entries}) == 1
        whole = [e for e in entries if alone or e.outcome in ("title", "several")]
        joined = sum(entry.outcome == "joined" for entry in entries)
        shown = [] if alone else [f"{joined:,} of {len(entries):,} records joined"]
        lines[file] = [*shown, *((f"{e.document}: " if not alone else "") + e.line() for e in whole)]
    return lines


def _open_embedder(name: str | None) -> Embedder | None:
    if name is None or name == "none":
        return None
    from medground.corpus.embedding import open_embedder
    from medground.settings import Settings

    return open_embedder(name, Settings.load().home)


def _show_built(library: Library, manifest: Manifest) -> None:
    typer.echo(f"{manifest.name}: {_summary(manifest)}")
    with library.open(manifest.name) as snapshot:
        for line in [*snapshot.told().lines(), *_enriched(snapshot), *_skipped(snapshot)]:
            typer.echo(one_line(line), err=True)


def _described(snapshot: Snapshot) -> list[str]:
    manifest = snapshot.manifest
    counts = manifest.counts
    embedding = manifest.embedding
    return [
        f"name        {manifest.name}",
        f"hash        {manifest.hash}",
        f"created     {manifest.created:%Y-%m-%d %H:%M} UTC by {manifest.made_by}",
        f"folder      {snapshot.folder}",
        f"size        {_bytes(manifest.size)}",
        f"documents   {counts.documents:,} ({counts.retracted:,} retracted; {counts.deleted:,} deleted by the source)",
        f"passages    {counts.passages:,} of at most {manifest.chunk_limit} characters",
        f"vectors     {f'{embedding.identity}, {embedding.dimensions} dimensions' if embedding else 'none'}",
        *([f"fields      {', '.join(sorted(snapshot.fields))}"] if snapshot.fields else []),
        *(f"attachment  {name}" for name in manifest.attachments),
        *(f"licence     {text}" for text in manifest.licenses),
        *(f"input       {entry.name} ({_files(entry)})" for entry in manifest.inputs[:_SHOWN]),
        *_more("input", len(manifest.inputs)),
        *snapshot.told().lines(),
        *_enriched(snapshot),
        *_skipped(snapshot),
    ]


def _enriched(snapshot: Snapshot) -> list[str]:
    return [told.line() for told in snapshot.sources_told()]


def _skipped(snapshot: Snapshot) -> list[str]:
    shown = [
        f"skipped     {item.file}{'' if item.position is None else f':{item.position}'}: {item.reason}"
        for item in snapshot.skipped(_SHOWN)
    ]
    return [*shown, *_more("skipped", snapshot.manifest.counts.skipped)]


def _files(entry: InputEntry) -> str:
    return entry.reader if entry.files == 1 else f"{entry.files:,} files, {entry.reader}"


def _reason(reason: str | None) -> str:
    return f": {reason}" if reason else ""


def _more(what: str, count: int) -> list[str]:
    return [f"{what:<11} and {count - _SHOWN:,} more"] if count > _SHOWN else []


def _summary(manifest: Manifest) -> str:
    counts = manifest.counts
    parts = [f"{counts.documents:,} documents", f"{counts.passages:,} passages", _bytes(manifest.size)]
    parts.append(f"{manifest.embedding.name} vectors" if manifest.embedding else "no vectors")
    if counts.skipped:
        parts.append(f"{counts.skipped:,} skipped")
    if counts.passed_over:
        parts.append(f"{counts.passed_over:,} file{'s' if counts.passed_over > 1 else ''} passed over")
    return f"{', '.join(parts)}, {manifest.hash[:16]}"


def _bytes(size: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
