"""What a server logs on standard error: one line for each request, and what went wrong. Nothing that people sent."""

import json
import logging
import re
import secrets
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medground.home.settings_groups import LogForm

log = logging.getLogger("medground.requests")

REQUEST_ID = "X-Request-ID"
_USABLE = re.compile(r"[A-Za-z0-9._-]{1,36}")  # a UUID fits, and no token does

_PLACES = re.compile(r"Traceback.*\n(?: .*\n)+[\w.]+")
"""What a printed error has before its message."""


_METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


def route_of(scope: Scope) -> tuple[str, str]:
    """The method of a request and its route, such as `/v1/answers/{trace_id}`: nothing that a client wrote."""
    method = scope["method"]
    return method if method in _METHODS else "other", getattr(scope.get("route"), "path", "none")


Seen = Callable[[Scope, Message, float], None]
"""Looks at the start of a response, with its request and the seconds until then; it may add headers."""


@dataclass
class Logged:
    """ASGI middleware that logs each response as it begins, and gives it the id of its request as a header.

    The id is the one that a proxy sent, if it is short and plain; otherwise a new one. An error that nothing else
    handles is logged, and answered with `failed`, so that its response is logged too.
    """

    app: ASGIApp
    failed: ASGIApp
    seen: Seen = lambda scope, message, seconds: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        asked, begun = time.perf_counter(), False

        async def send_logged(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                seconds = time.perf_counter() - asked
                self.seen(scope, message, seconds)
                _log(scope, message, seconds)
            await send(message)

        try:
            await self.app(scope, receive, send_logged)
        except Exception:
            log.exception("%s %s failed", *route_of(scope))
            if begun:
                raise  # the connection is closed: what was sent is not whole
            await self.failed(scope, receive, send_logged)


def _log(scope: Scope, message: Message, seconds: float) -> None:
    sent = Headers(scope=scope).get(REQUEST_ID, "")
    name = sent if _USABLE.fullmatch(sent) else secrets.token_hex(8)
    MutableHeaders(scope=message)[REQUEST_ID] = name
    (method, route), status, ms = route_of(scope), message["status"], round(seconds * 1000, 1)
    fields = {"method": method, "route": route, "status": status, "ms": ms, "request_id": name}
    log.info("%s %s %d %s ms %s", *fields.values(), extra={"fields": fields})


@dataclass
class Lines(logging.Formatter):
    """Log records as lines, for people or as JSON."""

    as_json: bool

    def __post_init__(self) -> None:
        super().__init__()

    def format(self, record: logging.LogRecord) -> str:
        """One line; of an error in text, its places and its type follow. Its message may hold what was asked."""
        at, message = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)), record.getMessage()
        kind, _, places = record.exc_info or (None, None, None)
        error = {"error": "".join([*traceback.format_tb(places), kind.__name__])} if kind else {}
        if hidden := _PLACES.match(record.exc_text or ""):  # a secret was hidden in it
            error = {"error": hidden[0]}
        if not self.as_json:
            return "\n".join([f"{at} {record.levelname} {message}", *error.values()])
        entry = {"time": at, "level": record.levelname, "logger": record.name}
        return json.dumps(entry | (getattr(record, "fields", None) or {"message": message}) | error)


@contextmanager
def logging_as(form: LogForm) -> Iterator[None]:
    """Meanwhile what Medground logs goes to standard error in this form."""
    if form == "off":
        yield
        return
    logger, handler = logging.getLogger("medground"), logging.StreamHandler()
    handler.setFormatter(Lines(form == "json"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
