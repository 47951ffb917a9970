"""Model calls by the batch interface of a provider: sent together, answered within a day, often at a lower price.

A request waits until no other has joined it for a while; then all are sent as one batch, and each gets its own reply.
So questions that are asked at the same time advance in waves, and neither recipes nor operators know of it. The id of a
request in its batch is the hash of what it says, and every batch that was sent is written down: after Ctrl-C, the same
requests find their batch again.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2

from medground.errors import StorageFailed
from medground.home.files import private_folder, write_whole
from medground.models.batch_styles import EXPIRED, LINE, STYLES, BatchFailed, Door, Result, error_result

MOST_CALLS = 50_000
MOST_BYTES = 200_000_000
"""What OpenAI takes in one batch; Anthropic takes more."""
_QUIET_SECONDS = 2.0
_LONGEST_WAIT = 600.0
_SLOWER = 1.5
_SENDING_SECONDS = 60.0
_MOST_FAILURES = 5
"""Looks at a batch that may fail in a row: a server that is down for a moment says nothing about it."""
_KEPT_HEADERS = ("authorization", "api-key", "x-api-key", "openai-", "anthropic-", "user-agent")
_log = logging.getLogger(__name__)


@dataclass
class Sent:
    """A batch that was sent, as it is written down."""

    door: Door
    id: str
    calls: set[str]


class BatchedNetwork(httpx2.AsyncBaseTransport):
    """Carries a model's requests as batches.

    Args:
        inner: carries the requests of the batch interface.
        folder: where sent batches are written down.
        seconds: between the first looks at a batch; later ones are rarer.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, folder: Path, seconds: float) -> None:
        self._inner = inner
        self._client = httpx2.AsyncClient(transport=inner, timeout=None, follow_redirects=False)
        self._folder = folder
        self._seconds = seconds
        self._waiting: dict[str, asyncio.Future[Result]] = {}
        self._queued: dict[str, tuple[Door, bytes]] = {}
        self._sent: dict[str, Sent] = {}
        self._is_read = False
        self._watched: set[str] = set()
        self._sending: set[asyncio.Task[None]] = set()
        self._watching: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The reply to a request, once its batch has it."""
        url, content = request.url.copy_with(query=None, userinfo=b""), _whole(await request.aread())
        path = next((path for path in STYLES if url.path.endswith(path)), None)
        if path is None:
            result = error_result(400, f"{url.path} has no batch interface that is known here; leave --batch out")
        else:
            headers = {name: value for name, value in request.headers.items() if name.startswith(_KEPT_HEADERS)}
            door = Door(str(url).removesuffix(path), path, headers, self._client)
            result = await self._result(door, content)
        told = [("content-type", "application/json")]
        return httpx2.Response(result.status, headers=told, stream=httpx2.ByteStream(result.body))

    async def _result(self, door: Door, content: bytes) -> Result:
        key = hashlib.sha256(f"{door.base}{door.path}\n".encode() + content).hexdigest()
        future = self._waiting.get(key)
        if future is None or future.done():  # of a call that nobody waits for any more
            future = self._waiting[key] = asyncio.get_running_loop().create_future()
            if not self._is_read:
                self._is_read = True
                self._read(door)
            if key in self._sent:
                self._watch(self._sent[key])
            else:
                self._queued[key] = door, content
                self._gather()
        try:
            return await asyncio.shield(future)
        except BatchFailed as failed:
            return failed.result
        finally:
            if future.done() and self._waiting.get(key) is future:
                del self._waiting[key]

    def _gather(self) -> None:
        """Send what is queued once nothing has joined it for a while."""
        if self._timer is not None:
            self._timer.cancel()
        quiet = min(self._seconds / 2, _QUIET_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(quiet, self._send_queued)

    def _send_queued(self) -> None:
        queued, self._queued = self._queued, {}
        for calls in portions({key: content for key, (_, content) in queued.items()}):
            door = queued[next(iter(calls))][0]
            self._start(partial(self._send, door, calls), calls, self._sending)

    def _start(self, work: Callable[[], Awaitable[None]], calls: Iterable[str], tasks: set[asyncio.Task[None]]) -> None:
        """Do a piece of work, one of these tasks; an error of it is what its calls get."""

        async def guarded() -> None:
            try:
                await work()
            except (BatchFailed, httpx2.HTTPError, StorageFailed) as error:
                failed: Exception = error
            except (ValueError, LookupError, TypeError, AttributeError):
                failed = BatchFailed(error_result(400, "the batch interface sent a reply that cannot be read"))
            else:
                return
            for key in calls:
                if (future := self._waiting.get(key)) is not None and not future.done():
                    future.set_exception(failed)

        task = asyncio.get_running_loop().create_task(guarded())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _send(self, door: Door, calls: Mapping[str, bytes]) -> None:
        sent = Sent(door, await STYLES[door.path].send(door, calls), {*calls})
        self._write(sent)
        told = "%d model calls were sent to %s as %s; Ctrl-C loses nothing, the same command resumes"
        _log.warning(told, len(calls), door.base, sent.id)
        self._sent |= dict.fromkeys(calls, sent)
        self._watch(sent)

    def _watch(self, sent: Sent) -> None:
        if sent.id not in self._watched:
            self._watched.add(sent.id)
            self._start(partial(self._answer, sent), [*sent.calls], self._watching)

    async def _answer(self, sent: Sent) -> None:
        """Wait for the end of a batch and hand out its results."""
        try:
            found = await self._ended(sent)
        except BatchFailed as failed:
            if failed.gone:
                self._forget(sent, {*sent.calls})
            raise
        finally:
            self._watched.discard(sent.id)
        found = {key: found.get(key, error_result(EXPIRED, "in its batch: expired")) for key in sent.calls}
        self._forget(sent, {key for key, result in found.items() if result.status >= 400})
        for key, result in found.items():
            if (future := self._waiting.get(key)) is not None and not future.done():
                future.set_result(result)

    async def _ended(self, sent: Sent) -> dict[str, Result]:
        wait, failures = self._seconds, 0
        while True:
            await asyncio.sleep(wait)
            wait = min(wait * _SLOWER, _LONGEST_WAIT)
            try:
                found = await STYLES[sent.door.path].results(sent.door, sent.id)
                failures = 0
            except (BatchFailed, httpx2.HTTPError) as error:
                failures += 1
                if failures == _MOST_FAILURES or (isinstance(error, BatchFailed) and error.lasts):
                    raise
                continue
            if found is not None:
                return found

    # What was sent, on disk.

    def _path(self, sent: Sent) -> Path:
        return self._folder / f"{hashlib.sha256(f'{sent.door.base} {sent.id}'.encode()).hexdigest()[:32]}.json"

    def _write(self, sent: Sent) -> None:
        """Raises StorageFailed: a batch that cannot be written down would be paid twice after an interruption."""
        content = {"base": sent.door.base, "path": sent.door.path, "id": sent.id, "calls": sorted(sent.calls)}
        try:
            private_folder(self._folder.parent)
            private_folder(self._folder)
            write_whole(self._path(sent), json.dumps(content), private=True)
        except OSError as error:
            raise StorageFailed(f"{self._folder} cannot be written ({error.strerror or error})") from None

    def _forget(self, sent: Sent, calls: set[str]) -> None:
        """What failed is sent anew the next time it is asked."""
        if calls:
            sent.calls -= calls
            for key in calls:
                self._sent.pop(key, None)
            self._write(sent) if sent.calls else self._path(sent).unlink(missing_ok=True)

    def _read(self, door: Door) -> None:
        """The batches of this interface that were sent before, by their calls."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                content = json.loads(path.read_bytes())
                if (content["base"], content["path"]) == (door.base, door.path):
                    sent = Sent(door, content["id"], {*content["calls"]})
                    self._sent |= dict.fromkeys(sent.calls, sent)
            except (OSError, ValueError, KeyError, TypeError) as error:
                _log.warning("%s cannot be read, so that its batch is not known: %s", path, error)

    async def aclose(self) -> None:
        """Stop waiting and close the connections; the batches go on at their provider.

        What is being sent is waited for, so that it is written down.
        """
        if self._timer is not None:
            self._timer.cancel()
        if self._sending:
            await asyncio.wait(self._sending, timeout=_SENDING_SECONDS)
        for task in (*self._sending, *self._watching):
            task.cancel()
        await asyncio.gather(*self._sending, *self._watching, return_exceptions=True)
        for future in self._waiting.values():
            future.cancel()
        self._waiting, self._queued, self._watched = {}, {}, set()
        await self._inner.aclose()


def _whole(content: bytes) -> bytes:
    """A request without the wish for a stream, which no batch takes."""
    asked = json.loads(content)
    asked.pop("stream", None)
    return json.dumps(asked).encode()


def portions(calls: Mapping[str, bytes], most: int = MOST_CALLS, size: int = MOST_BYTES) -> Sequence[dict[str, bytes]]:
    """The calls in as few batches as the limits of a provider allow."""
    found: list[dict[str, bytes]] = []
    taken = 0
    for key, content in calls.items():
        needed = len(content) + len(key) + len(LINE) + 100
        if not found or len(found[-1]) == most or taken + needed > size:
            found.append({})
            taken = 0
        found[-1][key] = content
        taken += needed
    return found
