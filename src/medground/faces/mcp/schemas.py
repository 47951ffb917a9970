"""JSON schemas of tools, as short as they can be: every client sends the whole catalogue to its model, each time."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_DROPPED = ("title", "default", "required", "minLength", "maxLength", "minimum", "minItems")
"""What a model does not need to know: names of types repeat those of fields, and a call without a value needs none.
Calls are still checked against the whole type."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a type, with its references resolved and without what models do not read."""
    whole = model.model_json_schema()
    definitions = whole.pop("$defs", {})
    short = _shortened(whole, definitions)
    required = whole.get("required", [])
    short.pop("description", None)  # that of the type; the tool has its own
    return {"type": "object", **short, **({"required": required} if required else {})}


def _shortened(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if (reference := schema.get("$ref")) is not None:
        named = {k: v for k, v in definitions[str(reference).rpartition("/")[2]].items() if k != "description"}
        return _shortened({**named, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
    if "anyOf" in schema:  # a value or null: fields without a value are left out
        kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
        if len(kinds) == 1:
            return _shortened({**kinds[0], **{k: v for k, v in schema.items() if k != "anyOf"}}, definitions)
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED and not isinstance(value, dict):
            continue
        if key == "properties":
            short[key] = {name: _shortened(one, definitions) for name, one in value.items()}
        elif key == "items":
            if (entry := _shortened(value, definitions)) != {"type": "string"} or "description" in schema:
                short[key] = entry
        elif key == "additionalProperties":
            continue
        else:
            short[key] = value
    return short
