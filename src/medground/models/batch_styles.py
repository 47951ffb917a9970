"""The batch interfaces of OpenAI, which others offer too, and of Anthropic."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2

EXPIRED = 503
"""Stands for a request that its batch did not answer in time, so that it is sent again as after any short failure."""
LINE = b'{"custom_id": %s, "method": "POST", "url": %s, "body": %s}'


@dataclass(frozen=True)
class Result:
    """The provider's answer to one request of a batch."""

    status: int
    body: bytes


def error_result(status: int, message: str) -> Result:
    """An error in the form of both providers."""
    return Result(status, json.dumps({"error": {"message": message, "type": "error"}}).encode())


class BatchFailed(Exception):
    """The interface answered with an error, which all requests of the batch get.

    Attributes:
        gone: whether the batch will never have results.
    """

    def __init__(self, result: Result, *, gone: bool = False) -> None:
        super().__init__(f"HTTP {result.status}")
        self.result = result
        self.gone = gone

    @property
    def lasts(self) -> bool:
        """Whether another look would find the same."""
        return self.gone or (self.result.status < 500 and self.result.status != 429)


@dataclass(frozen=True)
class Door:
    """The batch interface of a provider, as one model reaches it.

    Attributes:
        base: address before the path, such as `https://api.openai.com/v1`.
        path: that of a single request, such as `/chat/completions`.
        headers: those that identify the asker.
    """

    base: str
    path: str
    headers: Mapping[str, str]
    client: httpx2.AsyncClient = field(repr=False)

    async def call(self, method: str, url: str, **content: Any) -> httpx2.Response:
        """The reply to a request. Raises BatchFailed: it is an error; HTTPError: none came."""
        reply = await self.client.request(method, url, headers=self.headers, **content)
        if reply.is_success:
            return reply
        if reply.status_code in (404, 405):
            if method == "GET":
                raise BatchFailed(error_result(EXPIRED, "its provider no longer has the batch"), gone=True)
            raise BatchFailed(error_result(400, f"there is no batch interface at {url}; leave --batch out"))
        raise BatchFailed(Result(reply.status_code, reply.content))


class Style(Protocol):
    """How a kind of provider takes batches."""

    async def send(self, door: Door, calls: Mapping[str, bytes]) -> str:
        """Send requests by id; returns the id of the batch."""

    async def results(self, door: Door, batch: str) -> dict[str, Result] | None:
        """The results of a batch by request; None while it is at work. What is left out has expired."""


def _lines(reply: httpx2.Response) -> list[Any]:
    """The values of a reply with one on each line; `str.splitlines` would cut at signs that a text may hold."""
    return [json.loads(line) for line in reply.content.split(b"\n") if line.strip()]


class OpenAIStyle:
    """A file of requests is uploaded; what was answered and what failed stand in two other files."""

    async def send(self, door: Door, calls: Mapping[str, bytes]) -> str:
        """Upload the requests and start the batch."""
        url = json.dumps(f"/v1{door.path}").encode()
        lines = [LINE % (json.dumps(key).encode(), url, body) for key, body in calls.items()]
        upload = {"file": ("batch.jsonl", b"\n".join(lines), "application/jsonl")}
        file = await door.call("POST", f"{door.base}/files", files=upload, data={"purpose": "batch"})
        asked = {"input_file_id": file.json()["id"], "endpoint": f"/v1{door.path}", "completion_window": "24h"}
        batch = await door.call("POST", f"{door.base}/batches", json=asked)
        return str(batch.json()["id"])

    async def results(self, door: Door, batch: str) -> dict[str, Result] | None:
        """Look at the batch; once it has ended, read its files."""
        state = (await door.call("GET", f"{door.base}/batches/{batch}")).json()
        if state["status"] == "failed":
            told = (state.get("errors") or {}).get("data") or [{}]
            raise BatchFailed(
                error_result(400, f"the batch was refused: {told[0].get('message', 'no reason given')}"), gone=True
            )
        if state["status"] not in ("completed", "expired", "cancelled"):
            return None
        found: dict[str, Result] = {}
        for file in filter(None, (state.get("output_file_id"), state.get("error_file_id"))):
            content = await door.call("GET", f"{door.base}/files/{file}/content")
            for line in _lines(content):
                if response := line.get("response"):
                    found[line["custom_id"]] = Result(response["status_code"], json.dumps(response["body"]).encode())
                else:
                    told = (line.get("error") or {}).get("message", "it failed")
                    found[line["custom_id"]] = error_result(EXPIRED, f"in its batch: {told}")
        return found


class AnthropicStyle:
    """The requests are sent at once, and the results stand in one file."""

    async def send(self, door: Door, calls: Mapping[str, bytes]) -> str:
        """Send the requests."""
        requests = [
            b'{"custom_id": %s, "params": %s}' % (json.dumps(key).encode(), body) for key, body in calls.items()
        ]
        content, kind = b'{"requests": [%s]}' % b", ".join(requests), {"content-type": "application/json"}
        door = Door(door.base, door.path, {**door.headers, **kind}, door.client)
        return str((await door.call("POST", f"{door.base}{door.path}/batches", content=content)).json()["id"])

    async def results(self, door: Door, batch: str) -> dict[str, Result] | None:
        """Look at the batch; once it has ended, read its results."""
        url = f"{door.base}{door.path}/batches/{batch}"
        if (await door.call("GET", url)).json()["processing_status"] != "ended":
            return None
        lines = _lines(await door.call("GET", f"{url}/results"))
        return {line["custom_id"]: self._result(line["result"]) for line in lines}

    def _result(self, told: Mapping[str, Any]) -> Result:
        if told["type"] == "succeeded":
            return Result(200, json.dumps(told["message"]).encode())
        if told["type"] != "errored":
            return error_result(EXPIRED, f"in its batch: {told['type']}")
        error = told["error"]
        is_refused = (error.get("error") or error).get("type") == "invalid_request_error"
        return Result(400 if is_refused else EXPIRED, json.dumps(error).encode())


STYLES: Mapping[str, Style] = {
    "/chat/completions": OpenAIStyle(),
    "/responses": OpenAIStyle(),
    "/messages": AnthropicStyle(),
}
