"""Requests to our E-utilities server without a network, through its ASGI application."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx2

T = TypeVar("T")


def within(app: Any, work: Callable[[httpx2.AsyncClient], Coroutine[Any, Any, T]], host: str = "localhost") -> T:
    """The result of an async function with a client of the application. A bug is a response, as on a real server."""

    async def run() -> T:
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        base = "http://127.0.0.1/entrez/eutils"
        async with httpx2.AsyncClient(transport=transport, base_url=base, headers={"host": host}) as client:
            return await asyncio.wait_for(work(client), 60)

    return asyncio.run(run())


async def post(client: httpx2.AsyncClient, utility: str, **parameters: Any) -> httpx2.Response:
    """One post."""
    return await client.post(f"/{utility}.fcgi", content=urlencode(parameters, doseq=True))


def ask(
    app: Any, utility: str, *, _method: str = "POST", _host: str = "localhost", **parameters: Any
) -> httpx2.Response:
    """One request to the application."""
    if _method == "POST":
        return within(app, lambda client: post(client, utility, **parameters), _host)
    return within(app, lambda client: client.get(f"/{utility}.fcgi?{urlencode(parameters, doseq=True)}"), _host)
