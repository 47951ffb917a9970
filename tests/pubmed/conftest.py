"""A loopback service that sends exactly the bytes a test specifies."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_socket

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.corpus.snapshot import Snapshot
from medground.document import Document
from medground.pubmed.eutils import Eutils
from medground.pubmed.eutils_cache import AnswerCache
from medground.pubmed.eutils_service import EutilsService, Patience
from medground.pubmed.eutils_transport import Transport
from medground.pubmed.limits import Pace
from medground.pubmed.server.catalogue import Catalogue
from medground.pubmed.server.snapshot_catalogue import SnapshotCatalogue


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    target: str
    parameters: dict[str, str]
    at: float


@dataclass(frozen=True)
class Reply:
    """An answer, or a way to fail."""

    body: bytes = b""
    status: int = 200
    type: str | None = "text/xml; charset=UTF-8"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    """Bytes of the announced body that are never sent."""
    reset: bool = False
    hang: float = 0.0

    def encoded(self) -> bytes:
        headers = {"content-length": str(len(self.body)), "connection": "close", **self.headers}
        headers |= {"content-type": self.type} if self.type else {}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        whole = f"HTTP/1.1 {self.status} X\r\n{head}\r\n".encode() + self.body
        return whole[: len(whole) - self.cut]


class Peer(socketserver.ThreadingTCPServer):
    """Sends the replies in order and then repeats the last one. A callable builds a reply from the request."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *replies: Reply | Callable[[Asked], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.left = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        peer: Peer = self.server
        line = self.rfile.readline().decode().split()
        length = 0
        while (header := self.rfile.readline().strip().lower()) != b"":
            if header.startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        if not line:
            return
        target = urlsplit(line[1])
        sent = self.rfile.read(length).decode() if length else target.query
        parameters = {name: values[0] for name, values in parse_qs(sent, keep_blank_values=True).items()}
        asked = Asked(line[0], target.path, line[1], parameters, time.monotonic())
        with peer.lock:
            peer.asked.append(asked)
            step = peer.replies[min(len(peer.asked), len(peer.replies)) - 1]
        self._send(step(asked) if callable(step) else step)

    def _send(self, reply: Reply) -> None:
        """Send nothing if the test ends while the answer hangs."""
        peer: Peer = self.server
        if reply.hang and peer.left.wait(reply.hang):
            return
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        with contextlib.suppress(OSError):
            self.wfile.write(reply.encoded())


@pytest.fixture
def make_peer(loopback: None) -> Iterator[Callable[..., Peer]]:
    """Start a service with the given replies."""
    peers: list[Peer] = []

    def start(*replies: Reply | Callable[[Asked], Reply]) -> Peer:
        peer = Peer(*replies)
        threading.Thread(target=peer.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        peers.append(peer)
        return peer

    yield start
    for peer in peers:
        peer.left.set()
        peer.shutdown()
        peer.server_close()


@pytest.fixture
def reply() -> type[Reply]:
    """The class of an answer."""
    return Reply


class Waits:
    """A clock that advances only during sleep."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def waits() -> Waits:
    """A clock for a pace."""
    return Waits()


@pytest.fixture
def make_client(waits: Waits) -> Callable[..., Eutils]:
    """A client that barely waits between attempts."""

    def make(
        peer: Peer,
        *,
        api_key: str | None = None,
        cache: AnswerCache | None = None,
        tries: int = 4,
        seconds: float = 120.0,
    ) -> Eutils:
        patience = Patience(tries=tries, first_wait=0.001, longest_wait=30.0, seconds=seconds)
        service = EutilsService(name="pubmed:test", address=peer.url, email="reader@example.org", api_key=api_key)
        pace = Pace(float("inf"), clock=waits.clock, sleep=waits.sleep)
        return Eutils(Transport(service, cache, patience, pace))

    return make


@contextlib.contextmanager
def serving(catalogue: Catalogue) -> Iterator[str]:
    """Run our own server over a catalogue and yield its address.

    It closes each connection after the response, because tests use many event loops and must not leak connections.
    """
    uvicorn = pytest.importorskip("uvicorn", reason="needs the extra serve")
    from medground.pubmed.server.app import make_app

    app = make_app(catalogue)

    async def closing(scope: Any, receive: Any, send: Any) -> None:
        async def send_closing(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        await app(scope, receive, send_closing)

    pytest_socket.enable_socket()
    server = uvicorn.Server(uvicorn.Config(closing, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def serve() -> Callable[[Catalogue], contextlib.AbstractContextManager[str]]:
    """Run our own server: `with serve(catalogue) as address`. Tests that call it also need `loopback`."""
    return serving


@pytest.fixture(scope="session")
def catalogue_of(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Sequence[Document]], SnapshotCatalogue]]:
    """Build a catalogue of documents."""
    opened: list[Snapshot] = []

    def make(documents: Sequence[Document]) -> SnapshotCatalogue:
        home = tmp_path_factory.mktemp("home")
        library = Library(home)
        build(library, "made", [Input("made", "test", "1", lambda skip: iter(documents[skip:]))])
        opened.append(library.open("made"))
        return SnapshotCatalogue.open(opened[-1], home)

    yield make
    for snapshot in opened:
        snapshot.close()
