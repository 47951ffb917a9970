"""`medground web`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName
from medground.faces.cli.serve import Host, Login, Port

if TYPE_CHECKING:
    from fastapi import FastAPI


def web(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = "127.0.0.1",
    port: Port = 8124,
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
        from medground.faces.api.run import run
        from medground.faces.web.app import add_page
        from medground.faces.web.built_page import BuiltPage
    except ImportError:
        raise ConfigError('the page needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None
    from medground.faces.cli.progress import shown_progress

    page = BuiltPage.open()
    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    def extend(app: FastAPI, authenticated: bool) -> None:
        add_page(app, login=authenticated, page=page)

    def announce(address: str) -> None:
        typer.echo(f"Medground at {address} (press Ctrl-C to stop)", err=True)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with shown_progress(quiet=quiet) as progress:
        asyncio.run(run(chosen, host=host, port=port, announce=announce, progress=progress, login=login, extend=extend))
