"""A client of one service with an HTTP interface: pace, retries, limits on size and time, and faults as errors."""

import html
import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2

from medground.errors import ConfigError, SourceUnavailable
from medground.home.files import tables
from medground.home.secrets import is_secret_header, keys_in, masked, secret_forms, shown_address
from medground.sources.http import clients
from medground.sources.http.retries import Fault, Patience, passing_fault, shorten, tried
from medground.sources.http.wire import is_offline

_PATIENCE = Patience(tries=3, longest_wait=30.0, seconds=30.0)
_MOST_REDIRECTS = 3
_PEEK = 4000
_TOLD = re.compile(r"<(?:title|ERROR)\b[^>]*>([^<]+)</", re.IGNORECASE)
_NAMES = ("message", "errormessage", "statustext", "detail", "error", "errors", "service-error", "status")
"""What services call the message in an error object."""
ADDRESSES: dict[str, str] = tables("sources", "addresses")["addresses"]
"""Where the services are that are in one place only, by the names of their sources."""
_BAD_KEY = re.compile(r"(api[ _]key|token) (is )?(not valid|invalid)|invalid (api[ _]key|token)", re.IGNORECASE)
_LIMITED = re.compile(r"rate.?limit|quota|too many requests", re.IGNORECASE)


@dataclass(frozen=True)
class Service:
    """A service: its name in errors and answers, its address, and how to identify ourselves to it.

    Attributes:
        headers: sent with each request, such as a key; a key is never written to a URL, message or file.
        per_second: most requests per second; the services ask for it. A service on this machine has no such limit.
        largest: most bytes of a reply.
    """

    name: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    per_second: float = 5.0
    largest: int = 64 << 20
    patience: Patience = _PATIENCE

    def __post_init__(self) -> None:
        if not is_address(self.address):
            raise ConfigError(
                f"{self.name}: {shown_address(self.address)!r} is not an address; set one that begins with https:// or http://"
            )

    @property
    def has_key(self) -> bool:
        """Whether a key is sent."""
        return any(is_secret_header(name) for name in self.headers)


def is_address(address: str) -> bool:
    """Whether it is one of http or https, with a host and, if it names one, a port that there can be."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def pace_of(address: str, per_second: float, wire: httpx2.AsyncBaseTransport | None) -> clients.Pace:
    """The pace that the process shares for an address. A local service and recorded replies have no limit."""
    if is_loopback(address) or is_offline(wire):
        return clients.Pace(clients.UNLIMITED)
    return clients.shared_pace(address, per_second)


def bounded(address: str, limits: clients.ReplyLimits, wire: httpx2.AsyncBaseTransport | None) -> clients.Bounded:
    """What asks one service. It uses no proxy for a local one."""
    return clients.Bounded(limits, wire or clients.Network(trust_env=not is_loopback(address)))


@dataclass(frozen=True)
class Reply:
    """The reply of a service: status 200, or another that the caller allowed, such as 404. `url` shows no key."""

    url: str
    status: int
    media_type: str
    body: bytes
    service: str

    def json(self) -> Any:
        """The body as JSON. Raises SourceUnavailable: it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise SourceUnavailable(
                "the reply is not JSON; the service may have changed", source=self.service
            ) from None


class Client:
    """Asks one service. Transient failures (429, 5xx, timeouts, broken connections) are tried again."""

    def __init__(
        self, service: Service, wire: httpx2.AsyncBaseTransport | None = None, *, pace: clients.Pace | None = None
    ) -> None:
        self.service = service
        limits = clients.ReplyLimits(service.largest, service.patience.seconds)
        self._wire = bounded(service.address, limits, wire)
        self.close = self._wire.aclose
        self._pace = pace or pace_of(service.address, service.per_second, wire)

    async def get(
        self, path: str, parameters: Mapping[str, str] | None = None, *, absent: frozenset[int] = frozenset()
    ) -> Reply:
        """The reply to a GET request.

        `path` is below the service's address, or a whole address on its host. `absent` statuses mean "there is none".

        Raises SourceUnavailable: no usable reply after all attempts, or `path` leads to another host; RateLimited: the
        service asks for fewer requests; ConfigError: the service refused the key.
        """
        service = self.service
        address = path if "://" in path else f"{service.address.rstrip('/')}/{path.lstrip('/')}"
        url = httpx2.URL(address, params=dict(parameters)) if parameters else httpx2.URL(address)
        secrets = keys_in(service.headers)
        return await tried(lambda: self._once(url, absent), service.patience, self._pace, service.name, secrets)

    async def _once(self, url: httpx2.URL, absent: frozenset[int]) -> Reply:
        for _ in range(_MOST_REDIRECTS + 1):
            self._check_host(url)
            await self._pace.wait()
            reply, target = await self._reply(url, absent)
            if reply is not None:
                return reply
            url = target
        raise Fault("too many redirects", status="redirect", transient=False)

    def _check_host(self, url: httpx2.URL) -> None:
        """A reply may name an address; the key and the request stay with the service."""
        own = httpx2.URL(self.service.address)
        if (url.scheme, url.host, url.port) != (own.scheme, own.host, own.port):
            place = shorten(shown_address(str(url)))
            raise Fault(f"the service points to another host ({place}), which is not asked", transient=False)

    async def _reply(self, url: httpx2.URL, absent: frozenset[int]) -> tuple[Reply | None, httpx2.URL]:
        async with self._wire.client.stream("GET", url, headers=dict(self.service.headers)) as response:
            if response.has_redirect_location:
                return None, httpx2.URL(urljoin(str(url), response.headers["location"]))
            body = await response.aread()
            if response.status_code != 200 and response.status_code not in absent:
                raise self._fault(response, body)
            shown = shown_address(str(url))
            return Reply(
                shown, response.status_code, clients.media_type(response.headers), body, self.service.name
            ), url

    def _fault(self, response: httpx2.Response, body: bytes) -> Fault:
        status = response.status_code
        detail = masked(message_in(body), secret_forms(keys_in(self.service.headers)))
        limited = status == 403 and _LIMITED.search(detail) is not None
        if (passing := passing_fault(429 if limited else status, response.headers)) is not None:
            return passing
        suffix = f": {detail}" if detail else ""
        if self.service.has_key and (status in (401, 403) or (status in (400, 422) and _BAD_KEY.search(detail))):
            reason = f"the key was rejected with HTTP status {status}{suffix}; correct it in the settings (`keys`)"
            return Fault(reason, status=str(status), user_error=ConfigError)
        reason = f"the request was rejected with HTTP status {status}{suffix}"
        return Fault(reason, status=str(status), transient=False)


def message_in(body: bytes) -> str:
    """The message of an error page or object as one short line; empty if it has none."""
    text = body[:_PEEK].decode("utf-8", errors="replace")
    if text.lstrip().startswith("{"):
        try:
            return shorten(_said(json.loads(body)))
        except (ValueError, RecursionError):
            return ""
    if told := _TOLD.search(text):
        return shorten(html.unescape(told[1]))
    return "" if "<" in text else shorten(text)


def _said(value: object) -> str:
    """The message in an error object, whatever it is called, at any depth."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        told = {str(name).lower(): inner for name, inner in value.items()}
        named = [told[name] for name in _NAMES if name in told]
        value = [*named, *(inner for inner in told.values() if isinstance(inner, dict))]
    return next((found for one in value if (found := _said(one))), "") if isinstance(value, list) else ""
