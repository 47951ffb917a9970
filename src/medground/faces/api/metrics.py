"""Figures for Prometheus: requests by route and status, jobs by kind and state. No text of anybody is among them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = "text/plain; version=0.0.4"
_UPPER = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper limits of the classes of seconds."""
_METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


class Requests:
    """Counts requests, and the seconds until their responses began. Each route is one, whatever ids are in its path."""

    def __init__(self) -> None:
        self._count: Counter[tuple[str, str, int]] = Counter()
        self._classes = [0] * (len(_UPPER) + 1)
        self._seconds = 0.0

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """A response has begun."""
        self._count[method if method in _METHODS else "other", route, status] += 1
        self._classes[next((n for n, upper in enumerate(_UPPER) if seconds <= upper), len(_UPPER))] += 1
        self._seconds += seconds

    def lines(self) -> Iterator[str]:
        """In the text format of Prometheus."""
        yield "# HELP medground_requests_total Responses that began, by route and status."
        yield "# TYPE medground_requests_total counter"
        for (method, route, status), count in sorted(self._count.items()):
            yield f'medground_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# HELP medground_response_seconds Seconds until a response began."
        yield "# TYPE medground_response_seconds histogram"
        sums = list(accumulate(self._classes))
        for upper, count in zip((*map(str, _UPPER), "+Inf"), sums, strict=True):
            yield f'medground_response_seconds_bucket{{le="{upper}"}} {count}'
        yield f"medground_response_seconds_sum {self._seconds:.6f}"
        yield f"medground_response_seconds_count {sums[-1]}"


class Counted:
    """ASGI middleware that counts each response in `requests`."""

    def __init__(self, app: ASGIApp, requests: Requests, clock: Callable[[], float] = time.perf_counter) -> None:
        self._app = app
        self._requests = requests
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun = self._clock()

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")
                self._requests.add(scope["method"], route, message["status"], self._clock() - begun)
            await send(message)

        return await self._app(scope, receive, send_counted)


def written(requests: Requests, jobs: Mapping[tuple[str, str], int]) -> str:
    """All figures in the text format of Prometheus. `jobs`: how many there are of each kind in each state."""
    lines = [
        *requests.lines(),
        "# HELP medground_jobs Jobs that are not forgotten, by kind and state.",
        "# TYPE medground_jobs gauge",
        *(f'medground_jobs{{kind="{kind}",state="{state}"}} {count}' for (kind, state), count in sorted(jobs.items())),
    ]
    return "\n".join(lines) + "\n"
