"""A model's reply read as it was meant, where only one meaning is possible.

Models wrap JSON in a thought, a fence or a name, write one value for a list of one, `No` for `no`, and `[P1.S4]` for
`P1.S4`. What is left ambiguous stays as it is, so that the model is asked again and given the reason.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from pydantic import BaseModel
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_AROUND = " \t\r\n\"'`.,;:()[]{}<>*"
_MOST_STARTS = 50
"""Braces at which an object is looked for; each costs a reading of what follows."""
_LONGEST = 200_000
"""Characters of a reply that is read so; no operator needs as many."""
_DECODER = json.JSONDecoder()

_IN_ENGLISH = {
    **dict.fromkeys(["ja", "oui", "sí", "si", "sì", "sim"], "yes"),
    **dict.fromkeys(["nein", "non", "não"], "no"),
    **dict.fromkeys(["vielleicht", "peut-être", "quizás", "forse", "talvez"], "maybe"),
}
"""The short answer to a question in another language, which a model may write in that language."""

Choices = Mapping[str, Sequence[str]]
"""The values that a field, or each item of it, may have, by the field's name."""


def as_meant(response: ModelResponse, output: type[BaseModel], choices: Choices, tool: str = "") -> ModelResponse:
    """The response with the JSON of its text or tool call in the form of `output`; unchanged where it has none.

    JSON that is written in place of the call of a `tool` becomes that call.
    """
    schema = output.model_json_schema()
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, TextPart) and (found := _only_object(part.content, schema)) is not None:
            written = json.dumps(_Fitting(schema, choices).fitted(found, schema))
            parts.append(ToolCallPart(tool, written) if tool else replace(part, content=written))
        elif isinstance(part, ToolCallPart) and (found := _only_object(part.args_as_json_str(), schema)) is not None:
            parts.append(replace(part, args=json.dumps(_Fitting(schema, choices).fitted(found, schema))))
        else:
            parts.append(part)
    return replace(response, parts=parts)


def _only_object(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The one object in a text that has fields of a schema; None if there is none, or several that differ."""
    if len(text) > _LONGEST:
        return None
    found = list(_objects(_END_OF_THOUGHT.split(text)[-1], schema))
    return found[0] if found and all(other == found[0] for other in found) else None


def _objects(text: str, schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects in a text, outermost first, that have fields of a schema, or hold only an object that has."""
    end = 0
    for brace in islice(re.finditer(r"\{", text), _MOST_STARTS):
        if brace.start() < end:
            continue
        value, length = _decoded(text[brace.start() :])
        end = brace.start() + length
        while isinstance(value, dict) and not value.keys() & schema["properties"].keys():
            inner = [each for each in value.values() if isinstance(each, dict)]
            value = inner[0] if len(value) == len(inner) == 1 else None
        if isinstance(value, dict):
            yield value


def _decoded(text: str) -> tuple[Any, int]:
    """The JSON value at the start of a text, and its length; `(None, 0)` if there is none. Trailing commas are read."""
    for tried in (text, _STRING_OR_COMMA.sub(lambda match: match[1] or " ", text)):
        try:
            return _DECODER.raw_decode(tried)
        except (ValueError, RecursionError):
            continue
    return None, 0


class _Fitting:
    """Values in the form of a schema. What cannot be read in one way only is left as it is."""

    def __init__(self, schema: Mapping[str, Any], choices: Choices) -> None:
        self._types = schema.get("$defs", {})
        self._choices = choices

    def fitted(self, value: Any, field: Mapping[str, Any], allowed: Sequence[str] = ()) -> Any:
        """A value in the form of a field; `allowed` are the texts that it may have, if they are limited."""
        if "$ref" in field:
            return self.fitted(value, self._types[field["$ref"].removeprefix("#/$defs/")], allowed)
        if "anyOf" in field:
            return self._one_of(value, field["anyOf"], allowed)
        if "properties" in field:
            return self._object(value, field) if isinstance(value, dict) else value
        if field.get("type") == "array":
            items = value if isinstance(value, list) else [] if value is None else [value]
            return [self.fitted(item, field.get("items", {}), allowed) for item in items]
        wanted = field.get("enum") or allowed
        return _nearest(value, wanted) if isinstance(value, str) and wanted else value

    def _object(self, value: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, Any]:
        """Its known fields. A null stands for the default of a field that has one."""
        required = field.get("required", ())
        return {
            name: self.fitted(value[name], part, self._choices.get(name, ()))
            for name, part in field["properties"].items()
            if name in value and (value[name] is not None or name in required)
        }

    def _one_of(self, value: Any, options: Sequence[Mapping[str, Any]], allowed: Sequence[str]) -> Any:
        """The value as the only option that is not null; null for a text that is none of its few values."""
        said = [option for option in options if option.get("type") != "null"]
        if value is None or len(said) != 1:
            return value
        found = self.fitted(value, said[0], allowed)
        wanted = self._values(said[0])
        return None if wanted and len(said) < len(options) and found not in wanted else found

    def _values(self, field: Mapping[str, Any]) -> Sequence[Any]:
        named = self._types[field["$ref"].removeprefix("#/$defs/")] if "$ref" in field else field
        values: Sequence[Any] = named.get("enum", ())
        return values


def _nearest(text: str, allowed: Sequence[str]) -> str:
    """The allowed value that a text stands for: but for case, marks and language, or as the part before a dot; else the
    text.
    """
    if text in allowed:
        return text
    bare = text.strip(_AROUND).casefold()
    bare = _IN_ENGLISH.get(bare, bare)
    same = [value for value in allowed if value.casefold() == bare]
    within = [value for value in allowed if value.casefold().startswith(f"{bare}.")]
    return next((found[0] for found in (same, within) if len(found) == 1), text)
