"""What programs hand to public functions is held to their annotations: a wrong type is refused in one line.

A type checker says it earlier, but notebooks and scripts have none, and an error from deep inside says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import iscoroutinefunction, isfunction, signature
from numbers import Integral
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from medground.errors import UsageError
from medground.language.risk.notices import most_urgent
from medground.values.query import Filters

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])
_LISTS = (Sequence, Iterable)
_WORDS: Mapping[Any, str] = {
    str: "text",
    int: "a whole number",
    bool: "True or False",
    Sequence: "a list",
    Iterable: "a list",
    Callable: "a function",
}


def guarded(kind: C) -> C:
    """A class whose own public methods, and `__init__`, are `checked`."""
    for name, member in list(vars(kind).items()):
        if (name.startswith("_") and name != "__init__") or hasattr(member, "__wrapped__"):
            continue
        if isfunction(member):
            setattr(kind, name, checked(member))
        elif isinstance(member, classmethod):
            setattr(kind, name, classmethod(checked(member.__func__)))
    return kind


def checked(function: F) -> F:
    """The same function, which raises UsageError where an argument is not what its annotation says.

    As every error of a question that shows a person at risk, that one has the notice.
    """
    declared = signature(function)
    hints = cache(lambda: _hints(function))  # resolved for the first call, so that importing stays fast

    def check(*args: Any, **named: Any) -> None:
        given = declared.bind(*args, **named).arguments
        problems = (_problem(value, hints().get(name, Any), name) for name, value in given.items())
        if problem := next(filter(None, problems), None):
            error = UsageError(problem)
            texts = [getattr(value, "text", value) for value in given.values()]
            error.notice = most_urgent("", *(text for text in texts if isinstance(text, str)))
            raise error

    @wraps(function)
    async def awaited(*args: Any, **named: Any) -> Any:
        check(*args, **named)
        return await function(*args, **named)

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        check(*args, **named)
        return function(*args, **named)

    return cast("F", awaited if iscoroutinefunction(function) else call)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of its parameters by name; options (`**chosen`) are for the function that they are handed on to."""
    annotated = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return get_type_hints(SimpleNamespace(__annotations__=annotated), function.__globals__)


def _problem(value: Any, kind: Any, what: str) -> str:
    """Why a value is not of a type, or of the types of a union; empty where it is."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    found = [one for one in kinds if _is(value, one)]
    lists = [one for one in found or kinds if get_origin(one) in _LISTS]
    if not found:
        words = " or ".join(_in_words(one) for one in kinds if one is not NoneType)
        return f"{what} must be {words}, not {value!r:.80}{'; put brackets around it' if lists else ''}"
    if lists and isinstance(value, list | tuple):  # what is read only once is left alone
        (item,) = get_args(lists[0])
        return next(filter(None, (_problem(one, item, f"each of {what}") for one in value)), "")
    return ""


def _is(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, apart from the items of a list."""
    base, parts = get_origin(kind) or kind, get_args(kind)
    if base is Literal:
        return isinstance(value, str) and value in parts
    if base is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if base in _LISTS:
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | BaseModel)
    if base is tuple:
        whole = isinstance(value, list | tuple) and len(value) == len(parts)
        return whole and not any(map(_problem, value, parts, parts))
    if base is Filters:
        return isinstance(value, Filters | Mapping)  # as the HTTP API takes them
    if base is Any or not isinstance(base, type):
        return True
    if getattr(base, "_is_protocol", False):  # what an object has is said where it is opened
        return "__call__" not in vars(base) or callable(value)
    return isinstance(value, base)


def _in_words(kind: Any) -> str:
    base, parts = get_origin(kind) or kind, get_args(kind)
    if base is Literal:
        return f"one of {', '.join(parts)}"
    if base is tuple:
        return f"a tuple of {len(parts)}"
    if base is Mapping:
        return 'a mapping such as {"retrieval.keep": 5}' if Any in parts else "a mapping"
    if "__call__" in vars(base):
        base = Callable
    return _WORDS.get(base, f"{base.__name__}(...)")
