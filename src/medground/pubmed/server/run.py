"""Run the server."""

from __future__ import annotations

import socket
from collections.abc import Callable

from medground.errors import ConfigError, UsageError
from medground.pubmed.server.catalogue import Catalogue


def run(catalogue: Catalogue, *, host: str, port: int, listening: Callable[[int], None] = lambda port: None) -> None:
    """Serve until the process is stopped.

    Args:
        catalogue: the records to serve.
        host: the address to listen on.
        port: the port to listen on; 0 picks a free port.
        listening: called with the port once the server accepts connections.

    Raises:
        ConfigError: the extra `pubmed` is not installed.
        UsageError: the server cannot listen on the address.
    """
    try:
        import uvicorn

        from medground.pubmed.server.app import make_app
    except ImportError:
        raise ConfigError('the server needs starlette and uvicorn; run: pip install "medground[pubmed]"') from None
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(f"cannot listen on {host}:{port} ({error.strerror or error}); choose another --port") from None
    config = uvicorn.Config(make_app(catalogue), log_level="warning", access_log=False, server_header=False)
    with listener:
        listening(listener.getsockname()[1])
        uvicorn.Server(config).run(sockets=[listener])
