"""A stand-in for a hosted model: a loopback OpenAI-compatible server that sends the replies a test specifies.

with ChatPeer(chat('{"id": "E1"}')) as peer:
    settings = Settings.load(options={"model.default": "openai:stub", "model.base_url": peer.url})
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from http_peer import Asked, Peer, Reply


@dataclass(frozen=True)
class Sent(Reply):
    """A response, in JSON unless it says otherwise."""

    type: str | None = "application/json"


Step = Sent | Callable[[dict[str, Any]], Sent]
"""A response, or a function that makes one from the request's JSON."""
Weighed = tuple[str, float, Mapping[str, float]]
"""A token of an answer, its probability, and the probabilities of the most likely alternatives."""


def chat(
    text: str | None,
    *,
    tokens: tuple[int, int] | None = (100, 10),
    finish: str = "stop",
    logprobs: Sequence[Weighed] | None = None,
    **said: Any,
) -> Sent:
    """A chat completion with this text. `tokens` are the input and output tokens; None leaves the usage out."""
    message = {"role": "assistant", "content": text, **said}
    choice: dict[str, Any] = {"index": 0, "finish_reason": finish, "message": message}
    if logprobs is not None:
        content = [
            {**_logprob(token, share), "top_logprobs": [_logprob(*option) for option in options.items()]}
            for token, share, options in logprobs
        ]
        choice["logprobs"] = {"content": content, "refusal": None}
    body = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return Sent(json.dumps(body).encode())


def streamed(text: str, *, size: int = 7) -> Sent:
    """The same in pieces of so many characters, as server-sent events."""
    told = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    pieces = [{"content": text[at : at + size]} for at in range(0, len(text), size)]
    ends = [*[None] * len(pieces), "stop"]
    choices = [{"index": 0, "delta": d, "finish_reason": e} for d, e in zip([*pieces, {}], ends, strict=True)]
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    events = [*({**told, "choices": [one]} for one in choices), {**told, "choices": [], "usage": usage}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return Sent(body.encode(), type="text/event-stream")


def claude(arguments: Mapping[str, Any], **said: Any) -> Sent:
    """A message in Anthropic's style that calls the tool of the output."""
    call = {"type": "tool_use", "id": "call-1", "name": "final_result", "input": arguments}
    told = {"id": "msg-1", "type": "message", "role": "assistant", "model": "stub", "content": [call]}
    ended = {"stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 10}}
    return Sent(json.dumps(told | ended | said).encode())


def tool_call(arguments: str, *, name: str = "final_result") -> Sent:
    """A chat completion that calls a tool."""
    call = {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return chat(None, finish="tool_calls", tool_calls=[call])


def refusal(status: int, message: str = "", *, code: str | None = None, retry_after: str | None = None) -> Sent:
    """An error in OpenAI's format."""
    body = {"error": {"message": message, "type": "error", "code": code}}
    return Sent(json.dumps(body).encode(), status, headers={"retry-after": retry_after} if retry_after else {})


def prompt_of(request: Mapping[str, Any]) -> str:
    """The text of the user messages in a request."""
    return "\n".join(m["content"] for m in request["messages"] if m["role"] == "user")


class ChatPeer(Peer):
    """Sends the steps in order and then repeats the last one."""

    def __init__(self, *steps: Step) -> None:
        super().__init__(*(step if isinstance(step, Sent) else _from_json(step) for step in steps))

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"{super().url}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The JSON of every request, in order of arrival."""
        return [json.loads(one.body) for one in self.asked]


def _from_json(step: Callable[[dict[str, Any]], Sent]) -> Callable[[Asked], Sent]:
    return lambda asked: step(json.loads(asked.body))


def _logprob(token: str, probability: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(probability), "bytes": list(token.encode())}
