"""`medground serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName

Host = Annotated[str, typer.Option(help="Address to listen on; the default is this computer only.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 picks a free port.", min=0, max=65535)]
Login = Annotated[
    bool | None,
    typer.Option(
        "--login/--open",
        show_default=False,
        help="Ask for a token on this computer, too, or ask for none; asked for by default as soon as there is one.",
    ),
]


def serve(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = "127.0.0.1",
    port: Port = 8123,
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
        from medground.faces.api.run import run
    except ImportError:
        raise ConfigError('the server needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None
    from medground.faces.cli.progress import shown_progress

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    def announce(address: str) -> None:
        typer.echo(f"Medground at {address} (press Ctrl-C to stop)", err=True)

    with shown_progress(quiet=quiet) as progress:
        work = run(chosen, host=host, port=port, announce=announce, progress=progress, login=login)
        asyncio.run(work)
