"""A failed request: whether a retry may help, how often and after what wait, and the public error that it becomes."""

import email.utils
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import TypeVar
from urllib.request import getproxies, proxy_bypass

import httpx2
import stamina

from medground.errors import ConfigError, MedgroundError, RateLimited, SourceUnavailable, UsageError
from medground.home.secrets import masked, secret_forms
from medground.sources.http.clients import CutReply, Pace
from medground.sources.http.wire import NotRecorded

LONGEST = 200
"""Maximum characters quoted from a service's message."""
_UNREACHABLE = "ConnectError"
"""No connection, or no such host: what a machine without a network has."""
_MOST_CONNECTS = 2
_PASSWORD = re.compile(r"//[^/@]*@")


@dataclass(eq=False)
class Fault(Exception):
    """One request failed.

    Attributes:
        status: the HTTP status, or the name of the connection error.
        transient: whether the same request may succeed later.
        retry_after: seconds the service asked to wait, or None.
        user_error: the class to raise if the call or the settings are wrong.
        advice: what the user can do.
    """

    reason: str
    _: KW_ONLY
    status: str | None = "200"
    transient: bool = True
    rate_limited: bool = False
    retry_after: float | None = None
    user_error: type[UsageError] | type[ConfigError] | None = None
    advice: str = "try again later"

    def __post_init__(self) -> None:
        super().__init__(self.reason)
        self.transient = self.transient and self.user_error is None

    def error(self, source: str, attempts: int, secrets: Iterable[str] = ()) -> MedgroundError:
        """The public error for a failed request. Replaces `secrets`, which the service may have echoed."""
        reason = masked(self.reason, secret_forms(secrets))
        if self.user_error is not None:
            return self.user_error(f"{source}: {reason}")
        times = "" if attempts == 1 else f" ({attempts} attempts)"
        if self.rate_limited:
            wait = f"; wait {self.retry_after:g} s" if self.retry_after else "; wait, or set an API key"
            return RateLimited(
                f"rate limit exceeded{times}{wait}", source=source, attempts=attempts, retry_after=self.retry_after
            )
        return SourceUnavailable(
            f"{reason}{times}; {self.advice}", source=source, attempts=attempts, last_status=self.status
        )


def passing_fault(status: int, headers: Mapping[str, str]) -> Fault | None:
    """The fault of a service that is busy or fails for now; None for any other status."""
    after = retry_after(headers.get("retry-after"))
    if status == 429:
        return Fault("rate limit exceeded", status="429", rate_limited=True, retry_after=after)
    if status >= 500 or status == 408:
        return Fault(f"the service failed with HTTP status {status}", status=str(status), retry_after=after)
    return None


def retry_after(value: str | None) -> float | None:
    """Return the seconds to wait from a Retry-After header (number or date), or None if it is invalid."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value.strip()[:9])
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def shorten(text: str) -> str:
    """Collapse whitespace and cut the text to one short line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long to retry a busy, failing or unreachable service.

    Attributes:
        first_wait: seconds before the second attempt; each later wait doubles, with random jitter.
        longest_wait: maximum seconds between attempts; a longer Retry-After fails at once.
        seconds: timeout for one attempt, from sending to the last byte.
    """

    tries: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    seconds: float = 60.0


async def tried(
    once: Callable[[], Awaitable[T]], patience: Patience, pace: Pace, source: str, secrets: Iterable[str] = ()
) -> T:
    """The result of `once`, which is called again while its fault is transient.

    `once` raises Fault, or an error of httpx2. A wait that the service asked for holds all requests of the pace. No
    error shows one of the secrets.

    Raises SourceUnavailable: no attempt succeeded, or a fault that another attempt cannot fix; RateLimited: the service
    asks for fewer requests; UsageError: the service rejected the request; ConfigError: the service rejected the key.
    """
    number = 0
    try:
        async for attempt in stamina.retry_context(
            on=lambda error: _should_retry(error, patience),
            attempts=patience.tries,
            timeout=None,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait,
            wait_jitter=patience.first_wait,
        ):
            with attempt:
                number = attempt.num
                with _faults(number, patience, pace):
                    return await once()
    except Fault as fault:
        raise fault.error(source, number, secrets) from None
    raise AssertionError("the loop ends by return or raise")


def _should_retry(error: Exception, patience: Patience) -> bool | float:
    """Whether to retry. After a Retry-After, the shared pace does the waiting."""
    if not isinstance(error, Fault) or not error.transient:
        return False
    if error.retry_after is None:
        return True
    return 0.0 if error.retry_after <= patience.longest_wait else False


@contextmanager
def _faults(number: int, patience: Patience, pace: Pace) -> Iterator[None]:
    """Errors of an attempt as faults, counted; a wait that the service asks for is kept by all."""
    try:
        yield
    except (Fault, CutReply, httpx2.TransportError, httpx2.DecodingError, TimeoutError) as error:
        fault = error if isinstance(error, Fault) else _fault_of(error, patience)
        if fault.retry_after is not None and fault.retry_after <= patience.longest_wait:
            pace.hold(fault.retry_after)
        if fault.status == _UNREACHABLE and number >= _MOST_CONNECTS:
            fault.transient = False
        raise fault from None


def _fault_of(error: Exception, patience: Patience) -> Fault:
    match error:
        case httpx2.TimeoutException() | TimeoutError():
            return Fault(f"no response within {patience.seconds:g} s", status="timeout")
        case CutReply():
            return Fault(error.reason, transient=error.damaged)
        case NotRecorded():
            return Fault(error.reason, status=None, transient=False, advice=error.advice)
        case _:
            return _failed_connection(error)


def _failed_connection(error: Exception) -> Fault:
    """Why a connection failed: a certificate, an unknown name or a proxy."""
    name, request = type(error).__name__, getattr(error, "_request", None)  # unset where no request was made
    host, scheme = (request.url.host, request.url.scheme) if request is not None else ("the service", "https")
    causes = [*_causes(error)]
    if untrusted := next((cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), None):
        reason = f"the certificate of {host} is not trusted ({untrusted.verify_message})"
        advice = "name the certificates of your organisation in SSL_CERT_FILE"
        return Fault(reason, status=name, transient=False, advice=advice)
    proxy = "" if proxy_bypass(host) else getproxies().get(scheme, "")
    if proxy and name in (_UNREACHABLE, "ProxyError"):
        shown = _PASSWORD.sub("//", proxy)
        reason = f"the proxy {shown} could not be reached ({name})"
        return Fault(reason, status=name, advice=f"check {scheme.upper()}_PROXY")
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Fault(f"no host named {host} is known ({name})", status=name, advice="check the address and the network")
    return Fault(f"the connection failed ({name})", status=name)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
