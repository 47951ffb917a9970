"""Open a service and serve it: what `medground serve` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from ipaddress import ip_address

from medground.errors import UsageError
from medground.faces.api.server import Extend, serve
from medground.progress import Progress, no_progress
from medground.service.records import Records
from medground.service.service import Service
from medground.service.tokens import Tokens
from medground.serving.server import listener
from medground.settings import Settings


async def run(
    settings: Settings,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
    progress: Progress = no_progress,
    login: bool | None = None,
    extend: Extend = lambda app, authenticated: None,
) -> None:
    """Serve until the process is told to stop.

    Args:
        settings: what answers.
        host: the address to listen on; any but loopback needs a token.
        port: the port; 0 takes a free one.
        announce: called with the address once connections are accepted.
        progress: called with the progress of what must be built first.
        login: whether a token is needed on loopback, too; by default, once there has ever been one.
        extend: adds more to the app.

    Raises:
        UsageError: the server cannot listen there, or would let everybody in.
        MedgroundError: what `Engine.open` raises.
    """
    authenticated = await asyncio.to_thread(needs_token, settings, host, login)
    with listener(host, port) as on:
        async with Service.open(settings, progress=progress) as service:
            await service.warm()
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{on.getsockname()[1]}"
            told = partial(announce, address)
            await serve(service, on, authenticated=authenticated, listening=told, extend=extend)


def needs_token(settings: Settings, host: str, login: bool | None = None) -> bool:
    """Whether every request needs a token: always where other computers can reach the server, at its address or by a
    name in `serve.hosts`; on loopback as `login` says, or once there has ever been a token. Blocks.

    Raises:
        UsageError: a token is needed, and none is valid; or none is to be needed where other computers are let in.
        StorageFailed: it cannot be read who has a token.
    """
    records = Records(settings.home)
    try:
        shared = records.had_tokens()
        there = any(token.revoked is None for token in Tokens(records).list())
    finally:
        records.close()
    others = host if not is_loopback(host) else next(iter(settings.serve.hosts), None)
    if others is not None and login is False:
        raise UsageError(f"other computers can reach {others}; leave --open out, and give each person a token")
    needed = others is not None or (shared if login is None else login)
    if needed and not there:
        if others is None and login is None:
            raise UsageError(
                "this home has been used with access tokens, and none is valid now; create one with medground token "
                "create NAME, or add --open to serve this computer without tokens"
            )
        why = f"other computers can reach {others}" if others is not None else "--login asks for a token"
        raise UsageError(f"{why}; first create one: medground token create NAME")
    return needed


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
