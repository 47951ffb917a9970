"""`medground web`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.listening import LOOPBACK, WEB, Host, Login, Port, announce
from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName

if TYPE_CHECKING:
    from fastapi import FastAPI


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

    def listening(address: str) -> None:
        announce(address)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with shown_progress(quiet=quiet) as progress:
        asyncio.run(
            run(chosen, host=host, port=port, announce=listening, progress=progress, login=login, extend=extend)
        )
