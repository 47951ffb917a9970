"""`medground mcp`: the tools for an agent, over standard input and output or over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.listening import LOOPBACK, MCP, Host, Login, Port, announce
from medground.faces.cli.options import KnowledgeBase, Preset, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName
from medground.faces.cli.terminal import given_away

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
