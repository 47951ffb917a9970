"""What is wrong with values that somebody sent, in our words and in one line, without the values themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST = 300
"""Characters of a message about one field."""
_PLACES = ("body", "query", "path", "header")
"""Where a framework found a field; its name says enough."""

_NUMBER = "not a number"
_WHOLE = "not a whole number"
_TRUTH = "neither true nor false"
_LIST = "not a list"
_OBJECT = "not an object with fields"
_SAYS: Mapping[str, str] = {
    "missing": "missing; give it",
    "extra_forbidden": "unknown field; leave it out",
    "string_type": "not a text; put it in quotes",
    "string_too_long": "too long; shorten it to at most {max_length:,} characters",
    "string_pattern_mismatch": "not of the form that is asked for",
    "too_long": "too many entries; give at most {max_length:,}",
    "too_short": "too few entries; give at least {min_length:,}",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "literal_error": "unknown value; use {expected}",
    "enum": "unknown value; use {expected}",
    "greater_than_equal": "too small; use {ge} or more",
    "greater_than": "too small; use more than {gt}",
    "less_than_equal": "too large; use {le} or less",
    "less_than": "too large; use less than {lt}",
}


def wrong_values(errors: Sequence[Mapping[str, Any]], most: int = 5) -> str:
    """The first wrong values in one line, such as `limit: too large; use 50 or less`.

    Args:
        errors: those of a pydantic `ValidationError`, with their contexts.
        most: how many are told; of the others, how many there are.
    """
    told = list(dict.fromkeys(map(wrong_value, errors)))
    more = len(told) - most
    return "; ".join(told[:most]) + (f"; and {more} more" if more > 0 else "")


def wrong_value(error: Mapping[str, Any]) -> str:
    """One wrong value, with the place where it stands."""
    given = error["loc"][1:] if len(error["loc"]) > 1 and error["loc"][0] in _PLACES else error["loc"]
    # names of fields only: those of unknown ones may be long, and those of types in a union say nothing to a user
    place = ".".join(name for part in given if "[" not in (name := str(part)[:60]))
    if error["type"] in ("string_too_short", "missing") and place.rpartition(".")[2] == "question":
        return "the question is empty; write it in words"
    what = what_is_wrong(error)
    return f"{place}: {what}" if place else what


def what_is_wrong(error: Mapping[str, Any]) -> str:
    """What is wrong with one value, and what to give instead; without its place."""
    context = error.get("ctx", {})
    if error["type"] == "string_too_short":
        least = context["min_length"]
        return "empty; fill it in or leave it out" if least == 1 else f"too short; give at least {least:,} characters"
    if words := _SAYS.get(error["type"]):
        return words.format(**context)
    return str(error["msg"]).removeprefix("Value error, ")[:_LONGEST]
