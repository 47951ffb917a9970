"""What a value shows of itself: a short `repr`, and tables in a notebook."""

from collections.abc import Iterable, Sized
from importlib import import_module
from typing import Any

LONGEST = 300
"""Characters of a `repr`."""
_VALUE = 120
"""Characters of one value in it."""


def brief(name: str, fields: Iterable[tuple[str | None, Any]]) -> str:
    """`Name(field=value, ...)` without empty fields; what is long is counted or cut.

    >>> brief("Found", [("query", "yoga"), ("hits", range(1000)), ("notes", ())])
    "Found(query='yoga', hits=<1,000 items>)"
    """
    told = [f"{field}={_brief(value)}" for field, value in fields if value not in (None, "", (), [], {})]
    text, room = ", ".join(told), LONGEST - len(f"{name}(, …)")
    return f"{name}({text if len(text) <= room else f'{text[:room]}…'})"


def _brief(value: Any) -> str:
    if isinstance(value, Sized) and not isinstance(value, str) and len(value) > 3:
        return f"<{len(value):,} items>"
    text = repr(value)
    return text if len(text) <= _VALUE else f"{text[: _VALUE - 1]}…"


class Shown:
    """Base of values. A notebook shows them as tables; all text is escaped, and nothing of it runs or loads."""

    def __repr_args__(self) -> Any:
        """Its fields, as pydantic names them for a `repr`."""
        return vars(self).items()

    def __repr__(self) -> str:
        return brief(type(self).__name__, self.__repr_args__())

    def _repr_html_(self) -> str:
        page: str = import_module("medground.faces.notebook").as_tables(self)  # `faces` stands above
        return page
