"""Carries requests over httpx so that every reply passes an `Intake`: limited in size and time, without echoed keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from medground.fetching.intake import ACCEPTED, Intake, ReplyLimits
from medground.fetching.loops import tls


class Network(httpx.AsyncBaseTransport):
    """The network as httpx uses it, with the proxies of the environment if it is trusted."""

    def __init__(self, *, trust_env: bool = True) -> None:
        self._client = httpx.AsyncClient(verify=tls(), trust_env=trust_env)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply, of which the body is not read yet."""
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class Bounded(httpx.AsyncBaseTransport):
    """Carries requests and limits their replies.

    Args:
        limits: of each reply.
        inner: what carries the requests.
    """

    def __init__(self, limits: ReplyLimits, inner: httpx.AsyncBaseTransport) -> None:
        self._limits = limits
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply; its body raises CutReply where it passes a limit.

        Raises:
            SlowReply: no reply began in time.
        """
        request.headers["accept-encoding"] = ACCEPTED
        intake = Intake(self._limits, str(request.url), request.headers, await request.aread())
        async with intake.in_time():
            reply = await self._inner.handle_async_request(request)
        headers, body = intake.head(reply.headers.raw), _Body(intake, reply)
        return httpx.Response(reply.status_code, headers=headers, stream=body, extensions=reply.extensions)

    async def aclose(self) -> None:
        """Close what carries the requests."""
        await self._inner.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, intake: Intake, reply: httpx.Response) -> None:
        self._intake = intake
        self._reply = reply

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._intake.body(self._reply.headers, self._reply.aiter_raw())

    async def aclose(self) -> None:
        await self._reply.aclose()
