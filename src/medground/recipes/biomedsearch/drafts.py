"""Sub-questions and keywords as a planner drafts them, and how a list that a model wrote is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.models.operators.base import OperatorInput, OperatorOutput, Untrusted

_LONGEST = 500
_LONGEST_NAME = 120
_MOST = 40
"""Most items of a list that are read at all; a weak model repeats itself without end."""


def _line(longest: int) -> Callable[[Any], Any]:
    """A text as models write it, in one line: null for none, or too long. Cutting is cheaper than asking again."""

    def read(said: Any) -> Any:
        if said is None:
            return ""
        return " ".join(said.split())[:longest].strip() if isinstance(said, str) else said

    return read


def list_of(field: str) -> Callable[[Any], Any]:
    """A list as models write it: null, one item, or plain texts where items have a name each."""

    def read(said: Any) -> Any:
        if said is None:
            return ()
        items = said if isinstance(said, list | tuple) else [said]
        return tuple({field: one} if isinstance(one, str) else one for one in items[:_MOST] if one is not None)

    return read


def _texts(said: Any) -> Any:
    """A list of short texts: null, or one text with commas."""
    if said is None:
        return ()
    items = re.split(r"[,;|]", said) if isinstance(said, str) else said
    if not isinstance(items, list | tuple):
        return items
    return tuple(_line(_LONGEST_NAME)(one) for one in items[:_MOST] if one is not None)


Text = Annotated[str, BeforeValidator(_line(_LONGEST)), Field(max_length=_LONGEST)]
Name = Annotated[str, BeforeValidator(_line(_LONGEST_NAME)), Field(max_length=_LONGEST_NAME)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]


class DraftedQuestion(OperatorOutput):
    text: Text = Field(description="the sub-question, complete in itself")
    dimension: Name = Field(default="", description="the dimension that it asks about")


class DraftedKeyword(OperatorOutput):
    name: Name = Field(description="the keyword, as papers write it")
    dimension: Name = Field(default="", description="its fine dimension, such as hormone synthesis")
    synonyms: Texts = Field(default=(), description="a few other names of the same thing")


class KeywordedQuestion(OperatorInput):
    """A sub-question as the graph is built from it."""

    id: str
    text: Untrusted
    dimension: Untrusted = ""
    keywords: tuple[Untrusted, ...] = ()
