"""Applications on a free port of this computer: each in a thread with an event loop of its own, or as a process."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from anyio.from_thread import start_blocking_portal

from medground.home.settings import Settings

T = TypeVar("T")


@contextmanager
def in_a_thread(opening: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """What an async context manager gives, held open in a thread."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as opened:
        yield opened


@asynccontextmanager
async def listening(app: Any, **options: Any) -> AsyncIterator[str]:
    """The address of an application, with options of uvicorn."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as port:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", **options))
        task = asyncio.create_task(server.serve([port]))
        try:
            yield f"http://127.0.0.1:{port.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def _api(settings: Settings, authenticated: bool) -> AsyncIterator[str]:
    from servers import api_served

    from medground.faces.service.service import Service

    async with Service.open(settings) as service, api_served(service, authenticated=authenticated) as address:
        yield address


@contextmanager
def live_server(home: Path, corpus: str, *, authenticated: bool = False, **options: Any) -> Iterator[str]:
    """The address of a server of a home folder that searches one corpus."""
    chosen = {"retrieval.corpora": corpus, "retrieval.dense": False, **options}
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options=chosen)
    with in_a_thread(_api(settings, authenticated)) as address:
        yield address


COMMAND = "from medground.faces.cli.app import main; main()"


@contextmanager
def serving(*words: str, command: str = "serve", port: int = 0) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process of `medground serve`, or of another command, and its address, once it listens."""
    line = [sys.executable, "-c", COMMAND, command, "--port", str(port), "--quiet", *words]
    with subprocess.Popen(line, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        try:
            assert process.stderr is not None
            printed = process.stderr.readline().decode()
            address = re.search(r"http://[0-9.]+:[1-9][0-9]*", printed)
            assert address is not None, printed + process.stderr.read().decode()
            yield process, address[0]
        finally:
            process.kill()
