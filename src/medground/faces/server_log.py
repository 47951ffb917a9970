"""What a server logs on standard error: one line for each request, and what went wrong. Nothing that people sent."""

import json
import logging
import re
import secrets
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import gmtime, strftime

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope

from medground.faces.api.middleware import route_of
from medground.home.settings_groups import LogForm

log = logging.getLogger("medground.requests")

REQUEST_ID = "X-Request-ID"
_USABLE = re.compile(r"[A-Za-z0-9._-]{1,36}")  # a UUID fits, and no token does

_PLACES = re.compile(r"Traceback.*\n(?: .*\n)+[\w.]+")
"""What a printed error has before its message."""


def log_request(scope: Scope, message: Message, seconds: float) -> None:
    """Log a response that begins, under the id of its request, which the response then has as a header.

    The id is the one that a proxy sent, if it is short and plain; otherwise a new one.
    """
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
        at, message = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(record.created)), record.getMessage()
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
