"""`medground pubmed serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import Quiet
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import say

pubmed_app = typer.Typer(help="Run your own PubMed server.", no_args_is_help=True)


@pubmed_app.callback()
def _group() -> None:
    """Run your own PubMed server."""


@pubmed_app.command("serve")
def serve(
    corpus: Annotated[str, typer.Option(help="Corpus of PubMed records to serve.", metavar="NAME")],
    port: Annotated[int, typer.Option(help="Port to listen on; 0 picks a free port.", min=0, max=65535)] = 8321,
    host: Annotated[str, typer.Option(help="Address to listen on; the default is local only.")] = ("127.0.0.1"),
    name: Annotated[
        list[str] | None,
        typer.Option(help="Host name by which clients may call it, beside its address and loopback; repeatable."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Serve a corpus over the E-utilities API until Ctrl-C."""
    from medground.corpus.library import Library
    from medground.pubmed.server.run import run
    from medground.pubmed.server.snapshot_catalogue import SnapshotCatalogue
    from medground.settings import Settings

    settings = Settings.load()
    home = settings.home
    with Library(home).open(corpus) as snapshot:
        with shown_progress(quiet=quiet) as progress:
            catalogue = SnapshotCatalogue.open(snapshot, home, progress)
        about = catalogue.about

        def announce(port: int) -> None:
            address = f"http://{host}:{port}/entrez/eutils"
            say(f"{about.count:,} records of {about.name} at {address} (press Ctrl-C to stop)", err=True)

        names = (*(name or ()), *settings.serve.hosts)
        run(catalogue, host=host, port=port, names=names, listening=announce)
