"""What carries the requests of served models: their replies are limited in size and time, and echo no key.

The clients of model providers use httpx2, which is httpx under another name; services and pages use `fetching.bounded`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from medground.fetching.intake import ACCEPTED, Intake, ReplyLimits
from medground.fetching.loops import LoopClients, tls

LARGEST_REPLY = 8 << 20
"""Most bytes of a model's reply. The longest answer of an operator is a few kilobytes, a hundred with probabilities."""


class ModelWire(httpx2.AsyncBaseTransport):
    """Carries a model's requests, with the proxies of the environment, from any event loop. It follows no redirect.

    Args:
        limits: of each reply.
        secrets: forms of secrets that no reply may repeat, beside those that its request shows to be some.
    """

    def __init__(self, limits: ReplyLimits, secrets: tuple[str, ...] = ()) -> None:
        self._limits = limits
        self._secrets = secrets
        self._network = LoopClients(lambda: httpx2.AsyncClient(verify=tls()))
        self.client = httpx2.AsyncClient(transport=self, timeout=limits.seconds, follow_redirects=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply; its body raises CutReply where it passes a limit.

        Raises:
            SlowReply: no reply began in time.
        """
        request.headers["accept-encoding"] = ACCEPTED
        intake = Intake(self._limits, str(request.url), request.headers, await request.aread(), self._secrets)
        async with intake.in_time():
            reply = await self._network.current().send(request, stream=True)
        headers, body = intake.head(reply.headers.raw), _Body(intake, reply)
        return httpx2.Response(reply.status_code, headers=headers, stream=body, extensions=reply.extensions)

    async def close(self) -> None:
        """Close the connections of this loop. The next request opens them again."""
        await self._network.close()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, intake: Intake, reply: httpx2.Response) -> None:
        self._intake = intake
        self._reply = reply

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._intake.body(self._reply.headers, self._reply.aiter_raw())

    async def aclose(self) -> None:
        await self._reply.aclose()
