"""A stand-in for a hosted model: a local OpenAI-compatible server that sends the replies a test specifies.

    with ChatPeer(chat('{"id": "E1"}')) as peer:
        settings = Settings.load(options={"model.default": "openai:stub", "model.base_url": peer.url})

It uses a real socket, so timeouts, broken connections and invalid bytes are real too.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON_TYPE: Mapping[str, str] = {"content-type": "application/json"}


@dataclass(frozen=True)
class Sent:
    """One HTTP response.

    Attributes:
        body: its bytes.
        status: its status code.
        headers: its headers; content-length is added.
        delay: seconds before the first byte.
        cut: how many bytes of the announced body are never sent.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_TYPE)
    delay: float = 0.0
    cut: int = 0


Step = Sent | Callable[[dict[str, Any]], Sent]
"""A response, or a function that makes one from the request's JSON."""


Weighed = tuple[str, float, Mapping[str, float]]
"""A token of an answer, its probability, and the probabilities of the most likely alternatives."""


def chat(
    text: str | None,
    *,
    tokens: tuple[int, int] | None = (100, 10),
    finish: str = "stop",
    logprobs: Sequence[Weighed] | None = None,
) -> Sent:
    """A chat completion with this text. `tokens` are the input and output tokens; None leaves the usage out."""
    return _completion({"role": "assistant", "content": text}, tokens, finish, logprobs)


def tool_call(arguments: str, *, name: str = "final_result") -> Sent:
    """A chat completion that calls a tool."""
    call = {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]}, (100, 10), "tool_calls")


def refusal(status: int, message: str = "", *, code: str | None = None, retry_after: str | None = None) -> Sent:
    """An error in OpenAI's format."""
    body = {"error": {"message": message, "type": "error", "code": code}}
    headers = {**JSON_TYPE, **({} if retry_after is None else {"retry-after": retry_after})}
    return Sent(json.dumps(body).encode(), status, headers)


def prompt_of(request: Mapping[str, Any]) -> str:
    """The text of the user messages in a request."""
    return "\n".join(m["content"] for m in request["messages"] if m["role"] == "user")


class ChatPeer:
    """The server. It answers with the steps in order and repeats the last one.

    Attributes:
        url: its base URL.
        requests: the JSON of every request, in order of arrival.
        headers: their headers, names in lower case.
    """

    def __init__(self, *steps: Step) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self._answer, self._stopped.wait))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stopped.set()  # ends responses that are still delayed
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: dict[str, Any], headers: dict[str, str]) -> Sent:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        return step(request) if callable(step) else step


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, as one does that stops after a refusal, is no error of the peer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _completion(
    message: dict[str, Any],
    tokens: tuple[int, int] | None,
    finish: str,
    logprobs: Sequence[Weighed] | None = None,
) -> Sent:
    body: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    }
    if logprobs is not None:
        content = [
            {**_logprob(token, share), "top_logprobs": [_logprob(*option) for option in options.items()]}
            for token, share, options in logprobs
        ]
        body["choices"][0]["logprobs"] = {"content": content, "refusal": None}
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return Sent(json.dumps(body).encode())


def _logprob(token: str, probability: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(probability), "bytes": list(token.encode())}


def _handler(
    answer: Callable[[dict[str, Any], dict[str, str]], Sent], wait: Callable[[float], bool]
) -> type[BaseHTTPRequestHandler]:
    """`wait` takes seconds and returns true if the server was stopped meanwhile."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the client closed the connection while it wrote
                self.close_connection = True
                return
            sent = answer(json.loads(body), {name.lower(): value for name, value in self.headers.items()})
            if sent.delay and wait(sent.delay):
                self.close_connection = True
                return
            with contextlib.suppress(OSError):  # the client may have closed the connection
                _write(self, sent)

        def log_message(self, *said: object) -> None:
            """Log nothing."""

    return Handler


def _write(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
    handler.send_response(sent.status)
    for name, value in sent.headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(sent.body)))
    handler.end_headers()
    handler.wfile.write(sent.body[: len(sent.body) - sent.cut])
    handler.close_connection = sent.cut > 0
