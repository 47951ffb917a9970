"""A plan as JSON: an object of sources, or a list of objects that each name theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from medground.plan.forms.base import Names, Note, Written

_JSON_START = re.compile(r"[{\[]")
_MOST_STARTS = 50
_DEEPEST = 6
_TERMS = ("term", "concept", "medical_term", "entity")
_TEXTS = ("query", "text", "question", "query_for_term", "search_query", "relation")
_LISTS = ("queries", "query", "text", "search_queries")
_SOURCE = ("source", "name", "source_name")
_THOUGHTS = frozenset(["thought", "thoughts", "reasoning", "explanation", "rationale"])


def from_json(text: str, names: Names, found: Written) -> bool:
    """Read the first JSON value that names a source; False if there is none."""
    decoder = json.JSONDecoder()
    for start in list(_JSON_START.finditer(text))[:_MOST_STARTS]:
        try:
            value, _ = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        inside = Written()
        _walk(value, names, inside, 0)
        if inside.inside:
            found.inside, found.notes = inside.inside, [*found.notes, Note("other form", "", "JSON"), *inside.notes]
            return True
    return False


def _walk(value: object, names: Names, found: Written, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value:
            _walk(one, names, found, depth + 1)
        return
    if not isinstance(value, dict):
        return
    said = next((value[key] for key in _SOURCE if isinstance(value.get(key), str)), None)
    if said is not None:
        asked = next((value[key] for key in _LISTS if key in value), None)
        _of_source(said, [value] if _first(value, _TERMS) else asked, names, found)
        return
    for key, one in value.items():
        words = isinstance(one, list) and bool(one) and all(isinstance(item, str) for item in one)
        if names.find(key) or isinstance(one, str) or words:
            _of_source(key, one, names, found)
        else:
            _walk(one, names, found, depth + 1)


def _of_source(said: str, value: object, names: Names, found: Written) -> None:
    name = names.find(said)
    texts = list(_texts(value))
    if name is None:
        if texts and said.casefold() not in _THOUGHTS:
            found.note("unknown source", said[:32], texts[0])
        return
    found.put(name[0], " ; ".join(texts))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one):
                yield f"{one[0]} , {one[1]}"
            elif isinstance(one, str | dict):
                yield from _texts(one)
    elif isinstance(value, dict):
        term, asked = _first(value, _TERMS), _first(value, _TEXTS)
        nested = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if nested is not None and not term:
            yield from _texts(nested)
        elif term or asked:
            yield f"{term} , {asked}" if term else asked


def _first(value: dict[str, object], keys: Sequence[str]) -> str:
    return next((one for key in keys if isinstance(one := value.get(key), str)), "")
