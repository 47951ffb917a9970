"""A stand-in for the batch interfaces of OpenAI and of Anthropic, on this machine.

with BatchPeer(lambda body: (200, completion)) as peer:
    settings = Settings.load(options={"model.batch": True, "model.base_url": peer.url, "model.batch_seconds": 0.05})
"""

import json
import re
from collections.abc import Callable
from typing import Any

from http_peer import Asked, Peer, Reply

Answering = Callable[[dict[str, Any]], tuple[int, dict[str, Any]] | None]
"""The status and the body of a reply to a request; None for one that expires."""


class BatchPeer(Peer):
    """Each batch is at work for one look and has ended at the second, unless it `holds` them.

    Attributes:
        batches: the requests of each batch, by their ids in it, in order of arrival.
    """

    def __init__(self, answer: Answering) -> None:
        super().__init__(self._replied)
        self.answer = answer
        self.batches: list[dict[str, dict[str, Any]]] = []
        self.told: list[dict[str, tuple[int, dict[str, Any]] | None]] = []
        self.looks: list[int] = []
        self.holds = False
        self.files: list[bytes | str] = []

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"{super().url}/v1"

    def _replied(self, asked: Asked) -> Reply:
        path = asked.path.removeprefix("/v1")
        if asked.method == "POST" and path == "/files":
            content = re.search(r"\r\n\r\n(\{.*\})\r\n--", asked.body, re.DOTALL)
            assert content is not None and 'name="purpose"' in asked.body
            self.files.append(content[1])
            return _json({"id": f"file-{len(self.files) - 1}"})
        if asked.method == "POST" and path == "/batches":
            sent = json.loads(asked.body)
            lines = [json.loads(line) for line in str(self.files[int(sent["input_file_id"][5:])]).splitlines()]
            assert all(line["method"] == "POST" and line["url"] == sent["endpoint"] for line in lines)
            return self._begun({line["custom_id"]: line["body"] for line in lines})
        if asked.method == "POST" and path == "/messages/batches":
            return self._begun({one["custom_id"]: one["params"] for one in json.loads(asked.body)["requests"]})
        if found := re.fullmatch(r"(/messages)?/batches/batch-(\d+)(/results)?", path):
            number = int(found[2])
            if found[3]:
                return Reply("\n".join(map(json.dumps, self._messages(number))).encode())
            self.looks[number] += 1
            ended = self.looks[number] > 1 and not self.holds
            state = "completed" if ended else "in_progress"
            files = {"output_file_id": f"out-{number}", "error_file_id": f"err-{number}"} if ended else {}
            processing = "ended" if ended else "in_progress"
            return _json({"id": f"batch-{number}", "status": state, "processing_status": processing, **files})
        if found := re.fullmatch(r"/files/(out|err)-(\d+)/content", path):
            lines = [line for line in self._lines(int(found[2])) if (line.get("error") is None) == (found[1] == "out")]
            return Reply("\n".join(map(json.dumps, lines)).encode())
        return Reply(b'{"error": {"message": "not by itself"}}', 404)

    def _begun(self, calls: dict[str, dict[str, Any]]) -> Reply:
        self.batches.append(calls)
        self.told.append({name: self.answer(body) for name, body in calls.items()})
        self.looks.append(0)
        return _json({"id": f"batch-{len(self.batches) - 1}", "status": "validating"})

    def _lines(self, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for name, told in self.told[number].items():
            if told is None:
                found.append({"custom_id": name, "response": None, "error": {"code": "batch_expired"}})
            else:
                found.append({"custom_id": name, "response": {"status_code": told[0], "body": told[1]}, "error": None})
        return found

    def _messages(self, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for name, told in self.told[number].items():
            result: dict[str, Any] = {"type": "succeeded", "message": told[1]} if told else {"type": "expired"}
            found.append({"custom_id": name, "result": result})
        return found


def _json(content: dict[str, Any]) -> Reply:
    return Reply(json.dumps(content).encode(), type="application/json")
