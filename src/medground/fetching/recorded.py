"""A recorded reply as a file: a JSON head that a person can read, a blank line, then the body as it was received.

The file is named after the request, so the order of requests does not matter. Keys, addresses of users and names of
tools are in neither the name nor the file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from medground.durable import write_whole
from medground.fetching.secrets import (
    FORM,
    MASK,
    masked,
    open_parameters,
    private_in_parameters,
    secret_forms,
    secrets_sent,
    shown_address,
)

_END = b"\n}\n\n"
_KEPT_HEADERS = ("content-type", "location", "retry-after", "last-modified")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.-]+")


class DamagedReply(ValueError):
    """A file of a recorded reply cannot be read; one line says why."""


@dataclass(frozen=True)
class Recorded:
    """A reply: its status, its headers and its body, uncompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def description(request: httpx.Request) -> dict[str, Any]:
    """What tells a request from others: method, address, parameters, and the body unless it is a form of parameters.

    A form counts as parameters: some services are asked by GET or by POST depending on whether there is a key.
    """
    url, content = str(request.url), request.content
    sent = urlsplit(url).query
    if request.headers.get("content-type", "").startswith(FORM):
        sent = "&".join(filter(None, [sent, content.decode("ascii", errors="replace")]))
        content = b""
    told: dict[str, Any] = {
        "address": shown_address(url).partition("?")[0],
        "parameters": [list(pair) for pair in open_parameters(sent)],
    }
    return told | ({"body_sha256": hashlib.sha256(content).hexdigest()} if content else {})


def place_of(request: httpx.Request) -> Path:
    """The file of a request below the folder: `HOST/DIGEST.reply`."""
    told = json.dumps(description(request), sort_keys=True)
    host = _NOT_IN_A_NAME.sub("_", request.url.netloc.decode("ascii").rpartition("@")[2]).strip(".") or "_"
    return Path(host, f"{hashlib.sha256(told.encode()).hexdigest()[:20]}.reply")


def keep(folder: Path, request: httpx.Request, reply: Recorded) -> Path:
    """Write a reply, whole or not at all; returns its file.

    Raises:
        OSError: the folder cannot be written.
    """
    path = folder / place_of(request)
    sent = request.url.query.decode("ascii", errors="replace")
    form = request.content.decode("ascii", errors="replace") if request.method == "POST" else ""
    private = [*private_in_parameters(sent), *private_in_parameters(form)]
    forms = secret_forms([*secrets_sent(str(request.url), request.headers), *private])
    body = reply.body
    for secret in forms:
        body = body.replace(secret.encode(), MASK.encode())
    head = {
        "request": description(request),
        "status": reply.status,
        "headers": {
            name: masked(shown(name, reply.headers[name]), forms) for name in _KEPT_HEADERS if name in reply.headers
        },
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    content = json.dumps(head, indent=1, ensure_ascii=False).encode() + b"\n\n" + body
    write_whole(path, content, private=True, synced=False)
    return path


def shown(name: str, value: str) -> str:
    """A header as it is kept."""
    return shown_address(value) if name == "location" else value


def read(path: Path) -> Recorded:
    """The reply in a file.

    Raises:
        DamagedReply: it is incomplete, or not such a file.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    head, _, body = content.partition(_END)
    try:
        told = json.loads(head + b"\n}")
        status, headers = int(told["status"]), {str(name): str(value) for name, value in told["headers"].items()}
        size, digest = told.get("bytes"), told.get("sha256")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedReply(f"{path} is not a recorded reply") from None
    if (size is not None and size != len(body)) or (digest is not None and digest != hashlib.sha256(body).hexdigest()):
        raise DamagedReply(f"{path} is incomplete or was changed")
    return Recorded(status, headers, body)
