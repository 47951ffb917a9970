"""Running the server."""

from __future__ import annotations

import socket
from collections.abc import Callable

from medground.errors import ConfigError, UsageError
from medground.pubmed.server.catalogue import Catalogue


def run(catalogue: Catalogue, *, host: str, port: int, listening: Callable[[int], None] = lambda port: None) -> None:
    """Serve until the process is told to stop.

    Args:
        catalogue: what is served.
        host: the address to listen at.
        port: the port there; 0 takes a free one.
        listening: called with the port as soon as requests are taken in.

    Raises:
        ConfigError: the extra `pubmed` is not installed.
        UsageError: the address cannot be listened at.
    """
    try:
        import uvicorn

        from medground.pubmed.server.app import make_app
    except ImportError:
        raise ConfigError('the server needs starlette and uvicorn; run: pip install "medground[pubmed]"') from None
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}:{port} ({error.strerror or error}); choose another --port") from None
    config = uvicorn.Config(make_app(catalogue), log_level="warning", access_log=False, server_header=False)
    with listener:
        listening(listener.getsockname()[1])
        uvicorn.Server(config).run(sockets=[listener])
