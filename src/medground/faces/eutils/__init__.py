"""A local PubMed server: the E-utilities API over a frozen corpus, without rate limits or a network connection."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from medground.errors import needing

if TYPE_CHECKING:
    from medground.faces.eutils.catalogue import SnapshotCatalogue

_SWITCH = 0.0005
"""Seconds after which Python lets another thread go on: a search must not keep short answers waiting for 5 ms."""
_MOST_HEAD = 65_536
"""Bytes of the head of a request: long queries come in the address, too."""


def run(
    catalogue: SnapshotCatalogue | Callable[[], SnapshotCatalogue],
    *,
    host: str,
    port: int,
    names: Sequence[str] = (),
    listening: Callable[[int], None] = lambda port: None,
    limited: bool = False,
) -> None:
    """Serve until the process is stopped (Ctrl-C or SIGTERM). Sets how often threads take turns.

    Args:
        catalogue: what is served, or a function that returns it for each request.
        port: the port to listen on; 0 picks a free port.
        names: host names that clients may use, in addition to those of loopback, `host` and the address that they call.
        limited: refuse what comes faster than NCBI allows: 3 requests a second from an address, 10 with an `api_key`.
        listening: called with the port once the server accepts connections.

    Raises ConfigError: the extra `pubmed` is not installed; UsageError: the server cannot listen on the address.
    """
    with needing("pubmed", "the server"):
        from medground.faces.eutils.rates import Rates
        from medground.faces.eutils.server import Connection, Lanes, Limits, make_app
        from medground.faces.serving import GracefulServer, config, listener
    limits = Limits()
    with listener(host, port) as on:
        lanes = Lanes(limits)
        app = make_app(catalogue, hosts=(host, *names), limits=limits, lanes=lanes, rates=Rates() if limited else None)
        told = config(app, Connection, head=_MOST_HEAD)
        server = GracefulServer(told, listening=lambda: listening(on.getsockname()[1]), end=lanes.end)
        sys.setswitchinterval(_SWITCH)
        asyncio.run(server.serve(sockets=[on]))
