"""Trying a request again while that may help: how often, after what wait, and which faults pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx
import stamina

from medground.fetching.faults import Fault
from medground.fetching.intake import CutReply
from medground.fetching.pace import Pace
from medground.fetching.wire import NotRecorded

T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long to retry a busy, failing or unreachable service.

    Attributes:
        tries: maximum attempts per request.
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

    Args:
        once: one attempt; it raises Fault, or an error of httpx.
        patience: how often to try, and how long to wait.
        pace: the rate of all requests to the service; a wait that the service asked for holds all of them.
        source: name of the service in errors.
        secrets: keys that no error may show.

    Raises:
        SourceUnavailable: no attempt succeeded, or a fault that another attempt cannot mend.
        RateLimited: the service asks for fewer requests.
        UsageError: the service rejected the request.
        ConfigError: the service rejected the key.
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
    except (Fault, CutReply, httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
        fault = error if isinstance(error, Fault) else _fault_of(error, patience)
        if fault.retry_after is not None and fault.retry_after <= patience.longest_wait:
            pace.hold(fault.retry_after)
        fault.count(number)
        raise fault from None


def _fault_of(error: Exception, patience: Patience) -> Fault:
    match error:
        case httpx.TimeoutException() | TimeoutError():
            return Fault(f"no response within {patience.seconds:g} s", status="timeout")
        case CutReply():
            return Fault(error.reason, transient=error.damaged)
        case NotRecorded():
            return Fault(error.reason, status=None, transient=False, advice=error.advice)
        case _:
            name = type(error).__name__
            return Fault(f"the connection failed ({name})", status=name)
