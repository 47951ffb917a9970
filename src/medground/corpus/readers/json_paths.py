"""Values in JSON by their places, `journal.name`: a list on the way is gone through."""

from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.marked import plain


def values_at(value: Any, path: str) -> list[Any]:
    """The values at a dotted path."""
    found = [value]
    for name in path.split("."):
        inner = [one.get(name) for one in found if isinstance(one, Mapping)]
        found = [one for each in inner for one in (each if isinstance(each, list) else [each])]
    return found


def texts_at(value: Any, path: str) -> list[str]:
    """The texts and numbers at a dotted path as plain text; an inverted index (word to positions) is written out."""
    found = values_at(value, path) if path else []
    texts = (_written(one) if isinstance(one, Mapping) else plain(_text(one)) for one in found)
    return [text for text in texts if text]


def _text(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value.strip() if isinstance(value, str) else str(value) if is_number else ""


def _written(index: Mapping[Any, Any]) -> str:
    places = ((at, str(word)) for word, all_at in index.items() if isinstance(all_at, list) for at in all_at)
    return plain(" ".join(word for _, word in sorted(place for place in places if isinstance(place[0], int))))
