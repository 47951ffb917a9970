"""`medground serve`, `web`, `mcp` and `pubmed serve`: where they listen, who may call, what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import (
    Corpora,
    KnowledgeBase,
    ModelName,
    Preset,
    Quiet,
    Sets,
    SettingsFile,
    load_settings,
    searched,
)
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import given_away, say

if TYPE_CHECKING:
    from fastapi import FastAPI


Host = Annotated[str, typer.Option(help="Address to listen on; the default is this computer only.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 picks a free port.", min=0, max=65535)]
Login = Annotated[
    bool | None,
    typer.Option(
        "--login/--open",
        show_default=False,
        help="Ask for a token on this computer, too, or ask for none; by default it asks once there has ever been one.",
    ),
]

LOOPBACK = "127.0.0.1"
SERVE, WEB, MCP = 8123, 8124, 8126
"""Each server's own default port, so that all of them can run at once."""


def announce(address: str, what: str = "Medground") -> None:
    """Tell where a server listens."""
    say(f"{what} at {address} (press Ctrl-C to stop)", err=True)


def serve(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = LOOPBACK,
    port: Port = SERVE,
    login: Login = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Answer questions over HTTP until Ctrl-C. Other computers need a token: `medground token create NAME`."""
    import asyncio

    from medground.errors import ConfigError

    try:
        from medground.faces.api.server import run
    except ImportError:
        raise ConfigError('the server needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None
    from medground.faces.cli.progress import shown_progress

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    with shown_progress(quiet=quiet) as progress:
        work = run(chosen, host=host, port=port, announce=announce, progress=progress, login=login)
        asyncio.run(work)


def web(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = LOOPBACK,
    port: Port = WEB,
    login: Login = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Serve the web page, and the HTTP API behind it, until Ctrl-C."""
    import asyncio
    import threading
    import webbrowser

    from medground.errors import ConfigError

    try:
        from medground.faces.api.server import run
        from medground.faces.web.app import BuiltPage, add_page
    except ImportError:
        raise ConfigError('the page needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None
    from medground.faces.cli.progress import shown_progress

    page = BuiltPage.open()
    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    def extend(app: FastAPI, authenticated: bool) -> None:
        add_page(app, login=authenticated, page=page)

    def listening(address: str) -> None:
        announce(address)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with shown_progress(quiet=quiet) as progress:
        asyncio.run(
            run(chosen, host=host, port=port, announce=listening, progress=progress, login=login, extend=extend)
        )


Http = Annotated[
    bool,
    typer.Option("--http", help="Serve over HTTP, for many clients; --host, --port and --login are for this."),
]


def mcp(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    http: Http = False,
    host: Host = LOOPBACK,
    port: Port = MCP,
    login: Login = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
) -> None:
    """Offer search, answers and lookups to an agent by the Model Context Protocol, over standard input and output.

    An agent starts this command by itself; docs/mcp.md says how to add it to a client.
    """
    import asyncio

    from medground.errors import ConfigError

    try:
        from medground.faces.mcp.run import over_http, over_stdio
    except ImportError as error:
        raise ConfigError(
            f'the MCP server needs a package ({error.name} is missing); run: pip install "medground[mcp]"'
        ) from None
    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    def listening(address: str) -> None:
        announce(address, "Medground for agents")

    if http:
        asyncio.run(over_http(chosen, host=host, port=port, announce=listening, login=login))
    else:
        with given_away():
            asyncio.run(over_stdio(chosen))


pubmed_app = typer.Typer(help="Run your own PubMed server.", no_args_is_help=True)


@pubmed_app.callback()
def _group() -> None:
    """Run your own PubMed server."""


@pubmed_app.command("serve")
def serve_pubmed(
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
    from medground.faces.eutils.catalogue import SnapshotCatalogue
    from medground.faces.eutils.run import run
    from medground.home.settings import Settings

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
