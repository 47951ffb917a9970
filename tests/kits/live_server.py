"""A real server on loopback, in a thread of its own, so that clients that block can call it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from servers import api_served

from medground.faces.service.service import Service
from medground.home.settings import Settings


@contextmanager
def live_server(home: Path, corpus: str, *, authenticated: bool = False, **options: Any) -> Iterator[str]:
    """The address of a server of a home folder that searches one corpus."""
    settings = Settings.load(
        environ={"MEDGROUND_HOME": str(home)},
        options={"retrieval.corpora": corpus, "retrieval.dense": False, **options},
    )
    loop = asyncio.new_event_loop()
    ready, over = threading.Event(), asyncio.Event()
    addresses: list[str] = []

    async def serve() -> None:
        async with Service.open(settings) as service, api_served(service, authenticated=authenticated) as address:
            addresses.append(address)
            ready.set()
            await over.wait()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run, name="server")
    thread.start()
    ready.wait(30)
    try:
        yield addresses[0]
    finally:
        if not loop.is_closed():
            loop.call_soon_threadsafe(over.set)
        thread.join(30)
