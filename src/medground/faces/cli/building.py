"""`medground corpus build`, `add`, `sync`, `enrich`, `push`: what makes a corpus, changes it or sends it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from medground.errors import MedgroundError, UsageError
from medground.faces.cli.asking import received
from medground.faces.cli.options import Quiet, group, home_folder
from medground.faces.cli.progress import show_built, shown_progress, summary
from medground.faces.cli.terminal import say
from medground.home.registry import trust

if TYPE_CHECKING:
    from medground.corpus.embedder import Embedder
    from medground.corpus.library import Library
    from medground.corpus.manifest import Manifest
    from medground.corpus.parallel import Workers
    from medground.corpus.readers.base import Input
    from medground.corpus.records import Records


corpus_app = group("Build, check and search document collections.")

Name = Annotated[str, Argument(help="Name of the corpus.", metavar="NAME")]
Embed = Annotated[
    str | None,
    Option(
        help="Embedding model: minilm, medcpt, a name or folder for sentence-transformers, or none.", metavar="MODEL"
    ),
]


def library() -> Library:
    """The corpora of the home folder."""
    from medground.corpus.library import Library

    return Library(home_folder())


def open_embedder(name: str | None) -> Embedder | None:
    """An embedding model by name; None for no name or `none`."""
    if name is None or name == "none":
        return None
    from medground.models.embedders import open_embedder as opened

    return opened(name, home_folder())


WorkersCount = Annotated[int | None, Option(help="Read files in this many processes at a time.", min=1, metavar="N")]
Ray = Annotated[
    str | None, Option(help="Read them on the Ray cluster at this address (local starts one here).", metavar="ADDRESS")
]
Paths = Annotated[list[Path], Argument(help="Files and folders to read; or - (a pipe).", metavar="PATH...")]
Reader = Annotated[str | None, Option(help="Read every file with this reader instead of detecting it.")]
Strict = Annotated[bool, Option("--strict", help="Stop at the first file that cannot be read.")]
Enrich = Annotated[
    list[str] | None,
    Option(
        metavar="SOURCE",
        help="Fill missing fields from records in this corpus, in pubmed, or at the address of a PubMed "
        "service; repeatable. The corpus remembers the choice; none clears it.",
    ),
]


@corpus_app.command("build")
def build(
    name: Name,
    paths: Annotated[
        list[Path] | None, Argument(help="Files and folders to read; or - (a pipe).", metavar="PATH...")
    ] = None,
    reader: Reader = None,
    embed: Embed = None,
    limit: Annotated[int, Option(help="Maximum characters per passage.", min=1)] = 1000,
    strict: Strict = False,
    enrich: Enrich = None,
    baseline: Annotated[Path | None, Option(help="Folder with PubMed's baseline files.", metavar="DIR")] = None,
    updates: Annotated[
        Path | None,
        Option(
            help="Folder with PubMed's update files. A corpus that has the baseline is not built again: "
            "the files that it has not are added.",
            metavar="DIR",
        ),
    ] = None,
    workers: WorkersCount = None,
    ray: Ray = None,
    to: Annotated[str | None, Option(help="Then push it to this address, as corpus push.", metavar="URL")] = None,
    quiet: Quiet = False,
) -> None:
    """Build a corpus from files and folders. Replaces any corpus with this name.

    A file that cannot be read is skipped and listed with the reason.
    """
    from medground.corpus.received import forget_others
    from medground.corpus.sync import updated

    home = library()
    if to is not None:
        home.at(to).ready(name)
    records = _records(home, name, enrich) or []
    paths = received([*(paths or []), *([baseline] if baseline else [])], home.folder_of(name))
    if not paths and updates is None:
        raise UsageError("nothing to read; name files or folders, or PubMed's with --baseline and --updates")
    inputs = _inputs(paths, reader, strict) if paths else []
    newer = _inputs([updates], reader, strict) if updates else []
    options = {"embedder": open_embedder(embed), "workers": _workers(workers, ray), "records": records}
    with shown_progress(quiet=quiet) as progress:
        made = updated(home, name, inputs, newer, progress=progress, limit=limit, strict=strict, **options)
    if made is None:
        say(f"{name} is up to date: {len(inputs) + len(newer):,} files")
    else:
        forget_others(home.folder_of(name), paths)
        show_built(home, made)
    if to is not None:
        try:
            push(name, to, quiet)
        except MedgroundError:
            say(f"{name} is built; to send what is missing, run: medground corpus push {name} {to}", err=True)
            raise


@corpus_app.command("add")
def add(
    name: Name,
    paths: Paths,
    reader: Reader = None,
    embed: Embed = None,
    strict: Strict = False,
    enrich: Enrich = None,
    workers: WorkersCount = None,
    ray: Ray = None,
    quiet: Quiet = False,
) -> None:
    """Add files and folders to a corpus. A record replaces any with the same id."""
    from medground.corpus.build import add as add_to_corpus

    home = library()
    built = home.info(name)
    records = _records(home, name, enrich)
    paths = received(paths, home.folder_of(name))
    inputs = _inputs(paths, reader, strict)
    embedder = _embedder_of(built, embed)
    with shown_progress(quiet=quiet) as progress:
        pool = _workers(workers, ray)
        manifest = add_to_corpus(
            home, name, inputs, embedder=embedder, progress=progress, strict=strict, records=records, workers=pool
        )
    show_built(home, manifest)


@corpus_app.command("sync")
def sync(
    name: Name,
    folder: Annotated[
        str, Argument(help="Folder to synchronise with, or the address of a corpus.", metavar="FOLDER|URL")
    ] = "",
    embed: Embed = None,
    enrich: Enrich = None,
    quiet: Quiet = False,
) -> None:
    """Update a corpus from a folder: adds new files, replaces changed ones, removes deleted ones.

    With an address such as s3://BUCKET/PREFIX, NAME stands for the corpus there from now on. NAME alone then fetches
    what is current; so does every search.
    """
    from medground.corpus.library import elsewhere
    from medground.corpus.sync import sync as sync_corpus

    home = library()
    if not folder or "://" in folder:
        if folder:
            home.follow(name, folder)
        elif not elsewhere(name) and not home.address_of(name):
            raise UsageError(f"{home.info(name).name} is built here; name the folder that it is to follow")
        with shown_progress(quiet=quiet) as progress, home.open(name, progress) as store:
            say(f"{name}: {summary(store.manifest)}")
        return
    records = _records(home, name, enrich)
    embedder = _embedder_of(home.info(name), embed) if home.has(name) else open_embedder(embed)
    with shown_progress(quiet=quiet) as progress:
        manifest, changes = sync_corpus(home, name, Path(folder), embedder=embedder, progress=progress, records=records)
    if not changes.any:
        say(f"{name} is up to date: {changes.same:,} files")
        return
    counts = {"new": changes.new, "changed": changes.changed, "tried again": changes.again, "gone": changes.gone}
    found = [f"{len(names):,} {what}" for what, names in counts.items() if names]
    say(", ".join([*found, f"{changes.same:,} as they were"]), err=True)
    show_built(home, manifest)


@corpus_app.command("enrich")
def enrich(
    name: Name,
    source: Annotated[
        list[str] | None,
        Option(
            "--from",
            metavar="SOURCE",
            help="A corpus, pubmed, or the address of a PubMed service; repeatable; those that the corpus remembers by "
            "default. With none, documents are reset to what their files contain.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Fill missing fields of documents from their records, without reading the files again."""
    from medground.corpus.sync import enrich as enrich_corpus

    home = library()
    known = home.info(name)
    records = _records(home, name, source)
    if records is None and not known.enriched:
        raise UsageError(f"{name} has no source of records yet; name one with --from: a corpus, or pubmed")
    embedder = _embedder_of(known)
    with shown_progress(quiet=quiet) as progress:
        manifest = enrich_corpus(home, name, records, embedder=embedder, progress=progress)
    show_built(home, manifest)


@corpus_app.command("push")
def push(
    name: Name,
    address: Annotated[str, Argument(help="s3://BUCKET/PREFIX or solr+http://HOST:8983/solr.", metavar="URL")],
    quiet: Quiet = False,
) -> None:
    """Send a corpus to an address, where others search it. It takes the place of what is there in one step."""
    home = library()
    with home.built(name) as snapshot, shown_progress(quiet=quiet) as progress:
        manifest = home.at(address).push(snapshot, progress)
    say(f"{name} is at {address}: {summary(manifest)}")


def _inputs(paths: list[Path], reader: str | None, strict: bool) -> list[Input]:
    """What a build reads. A folder has its full name, so that `corpus sync` knows it again from anywhere."""
    from medground.corpus.readers.every import find_inputs

    trust(reader)
    return find_inputs([path.resolve() if path.is_dir() else path for path in paths], reader, strict=strict)


def _workers(count: int | None, ray: str | None) -> Workers | None:
    """Who reads the files: processes of this machine, or a Ray cluster; None: this process, one after the other."""
    from medground.corpus.parallel import Workers

    return Workers(count or (os.cpu_count() or 1), ray) if count or ray else None


def _embedder_of(built: Manifest, named: str | None = None) -> Embedder | None:
    return open_embedder(named or (built.embedding.name if built.embedding else None))


def _records(home: Library, name: str, sources: list[str] | None) -> list[Records] | None:
    """The sources of records that the user names; None: those that the corpus remembers."""
    from medground.corpus.join import open_records

    return None if sources is None else open_records(home, name, sources)
