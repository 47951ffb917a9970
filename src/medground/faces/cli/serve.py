"""`medground serve`."""

from __future__ import annotations

from medground.faces.cli.listening import LOOPBACK, SERVE, Host, Login, Port, announce
from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName


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
        from medground.faces.api.run import run
    except ImportError:
        raise ConfigError('the server needs FastAPI and uvicorn; run: pip install "medground[serve]"') from None
    from medground.faces.cli.progress import shown_progress

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})

    with shown_progress(quiet=quiet) as progress:
        work = run(chosen, host=host, port=port, announce=announce, progress=progress, login=login)
        asyncio.run(work)
