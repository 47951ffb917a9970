"""A loopback service that sends exactly the bytes a test specifies."""

import contextlib
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    target: str
    parameters: dict[str, str]
    at: float
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


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
    endless: bool = False
    """Whether the body is sent again and again until the client leaves; no length is announced."""
    drip: float = 0.0
    """Seconds after each byte of the body."""
    drip_head: float = 0.0
    """Seconds after each byte of the status line and the headers."""

    def encoded(self) -> bytes:
        headers = {"content-length": str(len(self.body)), "connection": "close", **self.headers}
        if self.endless:
            del headers["content-length"]
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
        self.port: int = self.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.left.set()  # ends answers that still hang
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        peer: Peer = self.server
        line = self.rfile.readline().decode().split()
        headers = {}
        while header := self.rfile.readline().decode("latin-1").strip():
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        body = self.rfile.read(length)
        if not line or len(body) < length:  # the client left while it wrote
            return
        target, sent = urlsplit(line[1]), body.decode("utf-8", "replace")
        parameters = {
            name: values[0] for name, values in parse_qs(sent or target.query, keep_blank_values=True).items()
        }
        asked = Asked(line[0], target.path, line[1], parameters, time.monotonic(), headers, sent)
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
        head, end, body = reply.encoded().partition(b"\r\n\r\n")
        with contextlib.suppress(OSError):
            if self._write(head + end, reply.drip_head) and self._write(body, reply.drip):
                while reply.endless and not peer.left.is_set():
                    self.wfile.write(reply.body)

    def _write(self, content: bytes, pause: float) -> bool:
        """Whether all was sent before the test ended."""
        peer: Peer = self.server
        for part in [content[at : at + 1] for at in range(len(content))] if pause else [content]:
            self.wfile.write(part)
            if pause and peer.left.wait(pause):
                return False
        return True


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
