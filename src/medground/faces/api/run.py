"""Open a service and serve it: what `medground serve` does."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address

from medground.errors import UsageError
from medground.faces.api.server import Extend, listener, serve
from medground.progress import Progress, no_progress
from medground.service.service import Service
from medground.settings import Settings


async def run(
    settings: Settings,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
    progress: Progress = no_progress,
    login: bool = False,
    extend: Extend = lambda app, authenticated: None,
) -> None:
    """Serve until the process is told to stop.

    Args:
        settings: what answers.
        host: the address to listen on; any but loopback needs a token.
        port: the port; 0 takes a free one.
        announce: called with the address once connections are accepted.
        progress: called with the progress of what must be built first.
        login: whether a token is needed on loopback, too.
        extend: adds more to the app.

    Raises:
        UsageError: the server cannot listen there.
        MedgroundError: what `Engine.open` raises.
    """
    if not is_loopback(host):
        raise UsageError(f"{host} can be reached from other computers; use --host 127.0.0.1")
    with listener(host, port) as on:
        async with Service.open(settings, progress=progress) as service:
            await service.warm()
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{on.getsockname()[1]}"
            await serve(service, on, authenticated=login, listening=lambda: announce(address), extend=extend)


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
