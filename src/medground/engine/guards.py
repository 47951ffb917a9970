"""What programs hand to public functions is held to their annotations: a wrong type is refused in one line.

A type checker says it earlier, but notebooks and scripts have none, and an error from deep inside says nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import formatannotation, iscoroutinefunction, isfunction, signature
from itertools import cycle
from numbers import Integral
from types import SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from medground.errors import UsageError
from medground.language.risk.notices import notice_first
from medground.values.query import Filters

F = TypeVar("F", bound=Callable[..., Any])
_ALSO: Mapping[Any, Any] = {int: Integral, Filters: Filters | Mapping}
"""What a type stands for: numbers of other libraries, and filters as the HTTP API takes them."""
_LONG = re.compile(r"\b[\w.]+\.|(?<=Callable)\[.*")
"""What the name of a type need not say: its module, and what a function takes."""


def guarded(kind: F) -> F:
    """A class whose own public methods are `checked`."""
    for name, member in list(vars(kind).items()):
        function = getattr(member, "__func__", member)
        if isfunction(function) and not name.startswith("_") and not hasattr(function, "__wrapped__"):
            setattr(kind, name, checked(function) if function is member else classmethod(checked(function)))
    return kind


def checked(function: F) -> F:
    """The same function, which raises UsageError where an argument is not what its annotation says.

    As every error of a question that shows a person at risk, that one has the notice.
    """

    def check(*args: Any, **named: Any) -> None:
        given, hints = signature(function).bind(*args, **named).arguments, _hints(function)
        for name in given.keys() & hints.keys():
            if not _is(given[name], hints[name]):
                words = _LONG.sub("", formatannotation(hints[name]))
                with notice_first("", *(str(given[one]) for one in given.keys() & hints.keys())):
                    raise UsageError(f"{name} must be {words}, not {given[name]!r:.80}")

    @wraps(function)
    async def awaited(*args: Any, **named: Any) -> Any:
        check(*args, **named)
        return await function(*args, **named)

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        check(*args, **named)
        return function(*args, **named)

    return awaited if iscoroutinefunction(function) else call  # type: ignore[return-value]


@cache
def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The types of its parameters by name, resolved for the first call, so that importing stays fast."""
    annotated = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return get_type_hints(SimpleNamespace(__annotations__=annotated), function.__globals__)


def _is(value: Any, kind: Any) -> bool:
    """Whether a value is of a type; an iterator, which is read only once, whatever its items are."""
    base, parts = get_origin(kind) or kind, get_args(kind)
    if base in (Union, UnionType):
        return any(_is(value, part) for part in parts)
    if base is Literal:
        return value in parts
    if base in (Sequence, Iterable, tuple):
        items = value if isinstance(value, list | tuple) else ()
        listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | BaseModel)
        return listed and all(map(_is, items, cycle(parts)))
    return base is Any or not isinstance(base, type) or isinstance(value, _ALSO.get(base, base))
