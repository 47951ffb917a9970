"""What a served model's output may be, and how certain the model was of it."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_ai.exceptions import ModelAPIError, ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_core import from_json

from medground.models.operators.base import AtMostOne, O, WeighedOutput
from medground.values.document import Frozen

F = TypeVar("F", bound=Frozen)
WRITTEN, LISTED = 12, 40
"""Maximum sentences and other items of a list in the schema of a small model, which repeats itself until its answer is
cut off."""
_ECHO = 30
"""Characters from which on a text that stands in the instructions was copied from there."""
MOST = 200
"""Maximum values of a field. Hosted models reject schemas with longer lists; the operator's own check covers those."""


def narrowed(parameters: ModelRequestParameters, choices: Mapping[str, Sequence[str]]) -> ModelRequestParameters:
    """The parameters with each field of `choices` restricted to its values, if the request has native output.

    The prompt stays as it is (`form_of`), so that a server can reuse its start.
    """
    wanted = parameters.output_object
    if wanted is None or parameters.output_mode != "native":
        return parameters
    closed = replace(wanted, json_schema=_bounded(_closed(wanted.json_schema, choices), choices))
    return replace(parameters, output_object=closed)


def form_of(output: type[BaseModel]) -> str:
    """What a prompt says of the JSON to write: each field with its kind and meaning. A schema has four times as many
    tokens."""
    schema = output.model_json_schema()
    return f"\n\nAnswer with JSON of this form and nothing else:\n{_kind(schema, schema.get('$defs', {}))}"


def _kind(field: Mapping[str, Any], types: Mapping[str, Any], indent: str = "") -> str:
    if "$ref" in field:
        return _kind(types[field["$ref"].removeprefix("#/$defs/")], types, indent)
    if several := field.get("anyOf"):
        return " | ".join(_kind(one, types, indent) for one in several)
    if values := field.get("enum", [field["const"]] if "const" in field else []):
        return " | ".join(map(json.dumps, values))
    if field.get("type") == "array":
        return f"[{_kind(field.get('items', {}), types, indent)}, ...]"
    if "properties" not in field:
        return str(field.get("type", "any"))
    lines = []
    for name, part in field["properties"].items():
        about = f"  // {part['description']}" if "description" in part else ""
        lines.append(f'{indent}  "{name}": {_kind(part, types, indent + "  ")},{about}\n')
    return f"{{\n{''.join(lines)}{indent}}}"


def without_unknown(output: F, choices: Mapping[str, Sequence[str]]) -> F:
    """The output without ids, in its lists and those of its parts, that are not among the choices of their field."""

    def kept(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        known = choices.get(name) if name != "answer" else None  # to drop an answer would be to give none
        parts = (without_unknown(one, choices) if isinstance(one, Frozen) else one for one in values)
        return tuple(part for part in parts if known is None or not isinstance(part, str) or part in known)

    changes = {name: kept(name, value) for name, value in output if isinstance(value, tuple)}
    return output.replace(**changes)


def without_echo(output: F, told: str) -> F:
    """The output without the parts of its lists whose `text` the model copied from what it was told to do."""

    def is_copied(part: Any) -> bool:
        text = str(getattr(part, "text", ""))
        return len(text) >= _ECHO and text in told

    changes = {n: tuple(p for p in value if not is_copied(p)) for n, value in output if isinstance(value, tuple)}
    return output.replace(**changes)


def whole_texts(reply: str, field: str) -> list[str]:
    """The texts of a list that are whole in JSON whose end is not written yet: its items, or the `text` of each."""
    try:
        so_far = from_json(reply[max(reply.find("{"), 0) :], allow_partial=True)
    except ValueError:
        return []
    items = so_far.get(field) if isinstance(so_far, dict) else None
    if not isinstance(items, list):
        return []
    whole = items if list(so_far)[-1] != field else items[:-1]
    texts = [one.get("text") if isinstance(one, dict) else one for one in whole]
    return [text for text in texts if isinstance(text, str)]


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
    """Limit lists of objects that each name one value to the number of values, those of sentences to `WRITTEN`, others
    to `LISTED`."""
    definitions = schema.get("$defs", {})

    def bounded(field: Any) -> Any:
        if not isinstance(field, dict) or field.get("type") != "array" or "maxItems" in field:
            return field
        name = field["items"].get("$ref", "").removeprefix("#/$defs/")
        properties = definitions.get(name, {}).get("properties", {})
        named = [key for key, part in properties.items() if key in choices and part.get("type") == "string"]
        most = WRITTEN if "text" in properties else LISTED
        return {**field, "maxItems": min((len(choices[key]) for key in named), default=most)}

    def with_bounds(kind: Any) -> Any:
        return {**kind, "properties": {name: bounded(part) for name, part in kind.get("properties", {}).items()}}

    limited = {name: with_bounds(kind) if "properties" in kind else kind for name, kind in definitions.items()}
    return with_bounds({**schema, "$defs": limited} if limited else schema)


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


# How certain a model was of one value in its answer, from the log-probabilities that some servers return.

_ASKED: dict[str, Any] = {"openai_logprobs": True, "openai_top_logprobs": 5}
"""Servers limit the alternatives per token; all known servers return at least five."""

REFUSALS = (400, 422)
"""How a server says that it does not know what it is asked for."""


class _Option(BaseModel):
    token: str
    logprob: float

    @property
    def probability(self) -> float:
        return min(1.0, math.exp(self.logprob)) if math.isfinite(self.logprob) else 0.0


class _Token(_Option):
    top_logprobs: list[_Option] = []


_TOKENS = TypeAdapter(list[_Token])


def asking_for_probabilities(settings: ModelSettings) -> ModelSettings:
    """Settings that ask an OpenAI-compatible server for log-probabilities; other providers are not sent them."""
    return cast("ModelSettings", {**settings, **_ASKED})


def without_probabilities(settings: ModelSettings | None, error: ModelAPIError) -> ModelSettings | None:
    """Settings without them for another try, if the server may have rejected the request because of them; else None."""
    if not settings or not _ASKED.keys() & settings.keys() or isinstance(error, ModelContextWindowExceededError):
        return None
    if not isinstance(error, ModelHTTPError) or error.status_code not in REFUSALS:
        return None
    return cast("ModelSettings", {k: v for k, v in settings.items() if k not in _ASKED})


def weighs(output: type[BaseModel]) -> bool:
    """Whether probabilities are of use: a value of the output, or of each of its parts, is weighed."""
    inside = [item for field in output.model_fields.values() for item in get_args(field.annotation)]
    return any(isinstance(one, type) and issubclass(one, WeighedOutput) for one in (output, *inside))


def with_probabilities(output: O, response: ModelResponse, place: int = 0) -> O:
    """The output with how certain its model was of each value that is weighed; `place` is the first one's, from 0."""
    if isinstance(output, WeighedOutput):
        values = get_args(type(output).model_fields[output.weighed].annotation)
        found = probabilities_of(response, output.weighed, values, place)
        return output.replace(probabilities=found)
    for name, part in output:
        if isinstance(part, tuple) and part and isinstance(part[0], WeighedOutput):
            measured = tuple(with_probabilities(one, response, n) for n, one in enumerate(part))
            return output.model_copy(update={name: measured})
    return output


def probabilities_of(response: ModelResponse, field: str, values: Sequence[str], place: int = 0) -> dict[str, float]:
    """Probabilities, 0 to 1, of the values that a text field of a JSON answer could have had.

    They are conditional on the field having one of the values: tokens that lead to none of them, which a grammar
    forbids, are left out of the sum. Values that were not among a token's alternatives are left out of the result,
    which is empty if the server returned no log-probabilities. `place`: of fields of that name, which one, from 0.
    """
    tokens = _tokens(response)
    named = list(re.finditer(rf'"{re.escape(field)}"\s*:\s*"', "".join(t.token for t in tokens)))
    if len(named) <= place:
        return {}
    found: dict[str, float] = {}
    weight, said = 1.0, ""
    for lead, token in _from(tokens, named[place].end()):
        options = _options(token, lead, said, values)
        chosen = said + token.token[len(lead) :]
        # Without alternatives there is nothing to normalise by.
        total = sum(options.values()) if token.top_logprobs else 1.0
        if not options.get(chosen) or not total:
            return {}
        for text, probability in options.items():
            led = _led_to(text, values)
            if text != chosen and len(led) == 1:
                found[led[0]] = found.get(led[0], 0.0) + weight * probability / total
        weight, said = weight * options[chosen] / total, chosen
        led = _led_to(said, values)
        if len(led) == 1:
            found[led[0]] = found.get(led[0], 0.0) + weight
            return {value: min(1.0, probability) for value, probability in found.items()}
    return {}


def _tokens(response: ModelResponse) -> list[_Token]:
    parts = [part.provider_details for part in response.parts if isinstance(part, TextPart)]
    given: object = next((d["logprobs"] for d in (response.provider_details, *parts) if d and d.get("logprobs")), [])
    try:
        return _TOKENS.validate_python(given)
    except ValidationError:
        return []


def _from(tokens: Sequence[_Token], start: int) -> Iterator[tuple[str, _Token]]:
    """The tokens from a character on, each with the part of it that comes before that character."""
    at = 0
    for token in tokens:
        end = at + len(token.token)
        if end > start:
            yield token.token[: max(0, start - at)], token
        at = end


def _options(token: _Token, lead: str, said: str, values: Sequence[str]) -> dict[str, float]:
    seen = {option.token: option.probability for option in (*token.top_logprobs, token)}
    reached = {said + text[len(lead) :]: p for text, p in seen.items() if text.startswith(lead)}
    return {text: p for text, p in reached.items() if _led_to(text, values)}


def _led_to(text: str, values: Sequence[str]) -> list[str]:
    return [v for v in values if f'{v}"'.startswith(text) or text.startswith(f'{v}"')]
