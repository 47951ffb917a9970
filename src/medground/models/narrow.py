"""The schema of an operator's output, narrowed to the values that this call allows.

A model that is constrained to the schema by token masking then cannot return an id that it was not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_PROMPTED_OUTPUT_TEMPLATE

from medground.operators.base import AtMostOne

MOST = 200
"""Maximum values of a field. Hosted models reject schemas with longer lists; the operator's own check covers those."""


def narrowed(
    parameters: ModelRequestParameters, choices: Mapping[str, Sequence[str]], *, shows_schema: bool
) -> ModelRequestParameters:
    """The parameters with each field of `choices` restricted to its values.

    Args:
        parameters: of a request with native output; others are returned unchanged.
        choices: field name to the values that the field, or an item of it, may have.
        shows_schema: whether the instructions also include the schema. They keep the original one, so that the start
            of the prompt stays the same from call to call and a server can reuse its cache.
    """
    wanted = parameters.output_object
    if wanted is None or parameters.output_mode != "native" or not choices:
        return parameters
    closed = replace(wanted, json_schema=_bounded(_closed(wanted.json_schema, choices), choices))
    if not shows_schema:
        return replace(parameters, output_object=closed)
    shown = replace(parameters, prompted_output_template=DEFAULT_PROMPTED_OUTPUT_TEMPLATE).prompted_output_instructions
    parts = [*(parameters.instruction_parts or []), InstructionPart(content=shown or "")]
    return replace(
        parameters,
        output_object=closed,
        prompted_output_template=False,
        instruction_parts=InstructionPart.sorted(parts),
    )


def _closed(schema: Any, choices: Mapping[str, Sequence[str]]) -> Any:
    if isinstance(schema, list):
        return [_closed(part, choices) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _closed(part, choices) for key, part in schema.items()}
    if isinstance(properties := found.get("properties"), dict):
        found["properties"] = {
            name: _only(part, choices[name]) if name in choices else part for name, part in properties.items()
        }
    return found


def _bounded(schema: Any, choices: Mapping[str, Sequence[str]]) -> Any:
    """Limit lists of objects that each name one value to the number of values, because a weak model repeats itself."""
    definitions = schema.get("$defs", {})

    def bounded(field: Any) -> Any:
        items = field.get("items") if isinstance(field, dict) else None
        name = items.get("$ref", "").removeprefix("#/$defs/") if isinstance(items, dict) else ""
        properties = definitions.get(name, {}).get("properties", {})
        counts = [len(choices[key]) for key, part in properties.items() if key in choices and "enum" in part]
        return {**field, "maxItems": min(counts)} if counts else field

    properties = {name: bounded(part) for name, part in schema.get("properties", {}).items()}
    return {**schema, "properties": properties}


def _only(field: Any, values: Sequence[str]) -> Any:
    """A string, a list of strings, or a nullable string, restricted to the values."""
    if not isinstance(field, dict) or len(values) > MOST:
        return field
    if isinstance(options := field.get("anyOf"), list):
        return {**field, "anyOf": [_only(option, values) for option in options]}
    if field.get("type") == "array":
        if not values:
            return {**field, "maxItems": 0}
        most = 1 if isinstance(values, AtMostOne) else len(values)
        return {**field, "items": _only(field.get("items"), values), "maxItems": most}
    if field.get("type") == "string" and values:
        return {**field, "enum": list(dict.fromkeys(values))}
    return field
