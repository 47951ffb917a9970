"""A model's reply read as it was meant, where only one meaning is possible.

Models wrap JSON in a thought, a fence or a name, write it as Python or with comments, one value for a list of one,
`No` for `no`, and `[P1.S4]` for `P1.S4`. What is left ambiguous stays as it is, so that the model is asked again and
given the reason.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import json_repair
from pydantic import BaseModel
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

from medground.language.words import stem

_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_AROUND = " \t\r\n\"'`.,;:()[]{}<>*"
_SEPARATORS = re.compile(r"\W+")
_MOST_STARTS = 50
"""Braces at which an object is looked for; each costs a reading of what follows."""
_MOST_BRACES = 1_000
"""Braces of a text that is repaired; each level costs time."""
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


def as_meant(response: ModelResponse, output: type[BaseModel], choices: Choices, tool: str) -> ModelResponse:
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
    text = _END_OF_THOUGHT.split(text)[-1]
    with contextlib.suppress(ValueError, RecursionError):
        quoted = json.loads(text)
        text = quoted if isinstance(quoted, str) else text
    found = list(_objects(text, schema))
    return found[0] if found and all(other == found[0] for other in found) else None


def _objects(text: str, schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects in a text, outermost first, that have fields of a schema, or hold only an object that has."""
    end, fields = 0, {name.casefold() for name in schema["properties"]}
    for brace in islice(re.finditer(r"\{", text), _MOST_STARTS):
        if brace.start() < end:
            continue
        value, length = _decoded(text[brace.start() :])
        end = brace.start() + length
        while isinstance(value, dict) and not {str(name).casefold() for name in value} & fields:
            inner = [each for each in value.values() if isinstance(each, dict)]
            value = inner[0] if len(value) == len(inner) == 1 else None
        if isinstance(value, dict):
            yield value


def _decoded(text: str) -> tuple[Any, int]:
    """The JSON value at the start of a text, and its length; `(None, 0)` if there is none.

    What is no JSON is repaired, and then nothing that follows is looked at. A text that ends within a sentence is not:
    what is lost would be read as the whole.
    """
    with contextlib.suppress(ValueError, RecursionError):
        return _DECODER.raw_decode(text)
    whole = text.rstrip("` \t\r\n")
    if not whole.endswith(("}", "]")) or text.count("{") > _MOST_BRACES:
        return None, 0
    with contextlib.suppress(ValueError):  # several objects that differ
        return json_repair.loads(whole, strict=True), len(text)
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
            return [self.fitted(item, field.get("items", {}), allowed) for item in self._items(value, field)]
        if field.get("type") == "string" and isinstance(value, dict) and len(value) == 1:
            (value,) = value.values()
        wanted = field.get("enum") or allowed
        return _nearest(value, wanted) if isinstance(value, str) and wanted else value

    def _object(self, value: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, Any]:
        """Its known fields. A null stands for the default of a field that has one."""
        required = field.get("required", ())
        named = {str(name).casefold(): name for name in field["properties"]}
        value = {named.get(str(name).casefold(), str(name)): given for name, given in value.items()}
        return {
            name: self.fitted(value[name], part, self._choices.get(name, ()))
            for name, part in field["properties"].items()
            if name in value and (value[name] is not None or name in required)
        }

    def _items(self, value: Any, field: Mapping[str, Any]) -> Sequence[Any]:
        """The items of a list. Where their names are the one text that they lack, such as an id, they get it."""
        if isinstance(value, list):
            return value
        if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
            return [] if value is None else [value]
        item = field.get("items", {})
        item = self._types[item["$ref"].removeprefix("#/$defs/")] if "$ref" in item else item
        lacked = [name for name in item.get("required", ()) if all(name not in each for each in value.values())]
        if len(lacked) != 1 or item["properties"][lacked[0]].get("type") != "string":
            return [value]
        return [{lacked[0]: name, **each} for name, each in value.items()]

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
    """The allowed value that a text stands for, else the text: another case, mark, language or form of the word, or the
    part before a dot.
    """
    if text in allowed:
        return text
    bare = text.strip(_AROUND).casefold()
    bare = _SEPARATORS.sub(".", _IN_ENGLISH.get(bare, bare))
    folded = {value: _SEPARATORS.sub(".", value.casefold()) for value in allowed}
    same = [value for value, form in folded.items() if form == bare]
    within = [value for value in allowed if value.casefold().startswith(f"{bare}.")]
    alike = [value for value, form in folded.items() if bare.isalpha() and stem(form) == stem(bare)]
    return next((found[0] for found in (same, within, alike) if len(found) == 1), text)
