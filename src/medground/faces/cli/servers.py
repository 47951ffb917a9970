"""`medground serve`, `web`, `mcp` and `pubmed serve`: where they listen, who may call, what they say."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from medground.faces.cli import options as by
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import given_away, say

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
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    model: by.ModelName = None,
    host: Host = LOOPBACK,
    port: Port = SERVE,
    login: Login = None,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Answer questions over HTTP until Ctrl-C. Other computers need a token: `medground token create NAME`."""
    import asyncio

    from medground.errors import ConfigError

    try:
        from medground.faces.api.server import run
    except ImportError:
        raise ConfigError('the server needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None

    chosen = by.load_settings(sets, preset, settings, {**by.searched(corpus, kb), "model.default": model})

    with shown_progress(quiet=quiet) as progress:
        asyncio.run(run(chosen, host=host, port=port, announce=announce, progress=progress, login=login))


def web(
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    model: by.ModelName = None,
    host: Host = LOOPBACK,
    port: Port = WEB,
    login: Login = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
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

    extend = partial(add_page, page=BuiltPage.open())
    chosen = by.load_settings(sets, preset, settings, {**by.searched(corpus, kb), "model.default": model})

    def listening(address: str) -> None:
        announce(address)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with shown_progress(quiet=quiet) as progress:
        work = run(chosen, host=host, port=port, announce=listening, progress=progress, login=login, extend=extend)
        asyncio.run(work)


Http = Annotated[
    bool,
    typer.Option("--http", help="Serve over HTTP, for many clients; --host, --port and --login are for this."),
]


def mcp(
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    model: by.ModelName = None,
    http: Http = False,
    host: Host = LOOPBACK,
    port: Port = MCP,
    login: Login = None,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
) -> None:
    """Offer search, answers and lookups to an agent by the Model Context Protocol, over standard input and output.

    An agent starts this command by itself; docs/mcp.md says how to add it to a client.
    """
    import asyncio

    from medground.errors import ConfigError

    try:
        from medground.faces.mcp.server import over_http, over_stdio
    except ImportError as error:
        raise ConfigError(
            f'the MCP server needs a package ({error.name} is missing); run: pip install "medground[mcp]"'
        ) from None
    chosen = by.load_settings(sets, preset, settings, {**by.searched(corpus, kb), "model.default": model})

    if http:
        listening = partial(announce, what="Medground for agents")
        asyncio.run(over_http(chosen, host=host, port=port, announce=listening, login=login))
    else:
        with given_away():
            asyncio.run(over_stdio(chosen))


pubmed_app = by.group("Run your own PubMed server.")


@pubmed_app.command("serve")
def serve_pubmed(
    corpus: Annotated[str, typer.Option(help="Corpus of PubMed records to serve.", metavar="NAME")],
    port: Port = 8321,
    host: Annotated[str, typer.Option(help="Address to listen on; the default is local only.")] = LOOPBACK,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Host name by which clients may call it, beside its address and loopback; repeatable."),
    ] = None,
    quiet: by.Quiet = False,
) -> None:
    """Serve a corpus over the E-utilities API until Ctrl-C."""
    from medground.corpus.library import Library
    from medground.faces.eutils import run
    from medground.faces.eutils.catalogue import SnapshotCatalogue

    settings = by.load_settings()
    with Library(settings.home).open(corpus) as snapshot:
        with shown_progress(quiet=quiet) as progress:
            catalogue = SnapshotCatalogue.open(snapshot, settings.home, progress)
        about = catalogue.about

        def announce(port: int) -> None:
            address = f"http://{host}:{port}/entrez/eutils"
            say(f"{about.count:,} records of {about.name} at {address} (press Ctrl-C to stop)", err=True)

        names = (*(name or ()), *settings.serve.hosts)
        run(catalogue, host=host, port=port, names=names, listening=announce)
