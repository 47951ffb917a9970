"""Tokens that a model server does not report, or reports wrongly, counted for it, so that a budget still ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.usage import RequestUsage

BYTES_PER_TOKEN = 2
"""No abstract of SciFact (5,183) takes fewer than 2.4 bytes a token of WordPiece, and half of them take more than 4.5:
an estimate is rather too high than too low."""
_MOST_BYTES_PER_TOKEN = 40
"""Fewer tokens for so many bytes cannot be true: no abstract of SciFact has more than 6.6 bytes a token of WordPiece.
The rest is for schemas, which a server may not count."""
_MOST = 10_000_000
"""Tokens of one request or reply: more than any model reads."""


def estimated(size: int) -> int:
    """The tokens of a text of so many bytes, rather too many."""
    return -(-size // BYTES_PER_TOKEN)


def bytes_sent(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """Bytes of the text in a request, with the schemas of what it asks for."""
    asked = [] if parameters.output_object is None else [parameters.output_object.json_schema]
    schemas = [*asked, *(tool.parameters_json_schema for tool in parameters.output_tools)]
    return sum(map(_size, messages)) + sum(len(json.dumps(schema)) for schema in schemas)


def with_tokens(response: ModelResponse, sent: int) -> tuple[ModelResponse, int]:
    """The reply with tokens that can be true, and how many of these are estimated.

    Args:
        response: the reply, with the tokens that the server reported.
        sent: bytes of the request.
    """
    told, received = response.usage, _size(response)
    into = told.input_tokens if _is_possible(told.input_tokens, sent) else None
    out = told.output_tokens if _is_possible(told.output_tokens, received) else None
    if into is not None and out is not None:
        return response, 0
    guessed = RequestUsage(
        input_tokens=estimated(sent) if into is None else into,
        output_tokens=estimated(received) if out is None else out,
    )
    counted = guessed.total_tokens - (into or 0) - (out or 0)
    return replace(response, usage=guessed), counted


def _is_possible(tokens: int, size: int) -> bool:
    return size <= tokens * _MOST_BYTES_PER_TOKEN and 0 <= tokens <= _MOST


def _size(message: ModelMessage) -> int:
    """Bytes of the text in a message: instructions, prompts, answers, and the arguments of tools."""
    said = [getattr(message, "instructions", None)]
    for part in message.parts:
        said += [getattr(part, "content", None), getattr(part, "args", None)]
    return sum(len(one.encode() if isinstance(one, str) else json.dumps(one, default=str)) for one in said if one)
