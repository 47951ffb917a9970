"""What the servers `serve`, `web` and `mcp --http` have in common: where they listen, who may call, what they say."""

from __future__ import annotations

from typing import Annotated

import typer

from medground.faces.cli.terminal import say

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
