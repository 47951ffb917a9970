"""Haystack's filters as Medground's."""

from collections.abc import Mapping
from typing import Any

from medground.errors import UsageError
from medground.values.query import Filters
from medground.values.where import field_name

_OF_DOCUMENTS = ("id", "content", "score")
"""Fields of a document of Haystack itself: its `id` is that of a passage, and others are no metadata."""
_NAMES = {"document_id": "id", "publication_types": "publication_type"}
"""Fields of the metadata of what the retriever finds, by Medground's names."""
_SIDES = {">=": "from", "<=": "to"}
_HOW = "use metadata, with a text or a whole number: ==, in, or <, <=, >, >= with a year, or <=, >= with a date"


def filters_of(given: Filters | Mapping[str, Any] | None) -> Filters | None:
    """Filters of either kind as Medground's: `{"field": "meta.year", "operator": ">=", "value": 2015}`, or joined ones.

    `AND` joins conditions on different fields, and both ends of a range; `OR` joins values of one field.

    Raises UsageError: they say anything else, which is never left out in silence.
    """
    if given is None or isinstance(given, Filters):
        return given
    if isinstance(given, Mapping) and not given.keys() & {"field", "operator", "conditions"}:
        return Filters(**given)
    limits = _limits(given)
    where = [(name, value) for (name, side), values in limits.items() if not side for value in values]
    ends = {f"{name}_{side}": values[0] for (name, side), values in limits.items() if side}
    filters = Filters(where=where, **ends)
    filters.as_query()  # a wrong value is reported now, not at the first search
    return filters


def _limits(condition: Any) -> dict[tuple[str, str], list[Any]]:
    """The values of each field; of a range, those of each side, `from` and `to`."""
    if not isinstance(condition, Mapping):
        raise UsageError(f"a filter of Haystack is a dictionary, not {condition!r:.80}")
    operator, parts = condition.get("operator"), condition.get("conditions")
    if "field" in condition:
        return _comparison(condition["field"], operator, condition.get("value"))
    if operator not in ("AND", "OR") or not isinstance(parts, list) or not parts:
        raise UsageError(f"Medground cannot filter by the operator {operator!r:.40}; use AND or OR with conditions")
    limits: dict[tuple[str, str], list[Any]] = {}
    for key, values in (limit for part in parts for limit in _limits(part).items()):
        if key in limits if operator == "AND" else key[1] or limits.keys() - {key}:
            what = f"{operator} of these conditions on {key[0]:.60}"
            raise UsageError(f"Medground cannot filter by {what}; join fields by AND, values of one by OR")
        limits.setdefault(key, []).extend(values)
    return limits


def _comparison(field: Any, operator: Any, value: Any) -> dict[tuple[str, str], list[Any]]:
    name = field_name(str(field).removeprefix("meta."))
    name = _NAMES.get(name, name)
    values = value if operator == "in" and isinstance(value, list) else [value]
    if name == "year" and operator in ("<", ">") and str(value).isdecimal():
        operator, values = f"{operator}=", [int(value) + (1 if operator == ">" else -1)]
    known = ("==", "in", *(_SIDES if name in ("year", "date") else ()))
    if field in _OF_DOCUMENTS or operator not in known or not all(type(one) in (str, int) for one in values or [None]):
        raise UsageError(f"Medground cannot filter by {name:.60} {operator!s:.20} {value!r:.60}; {_HOW}")
    return {(name, _SIDES.get(operator, "")): [*map(str, values)]}
