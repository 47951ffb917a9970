"""Sub-questions and keywords as a planner drafts them."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.models.operators.base import OperatorInput, OperatorOutput, Untrusted
from medground.recipes.base import MOST_ITEMS, one_line

_LONGEST = 500
_LONGEST_NAME = 120


def _texts(said: Any) -> Any:
    """A list of short texts: null, or one text with commas."""
    if said is None:
        return ()
    items = re.split(r"[,;|]", said) if isinstance(said, str) else said
    if not isinstance(items, list | tuple):
        return items
    return tuple(one_line(_LONGEST_NAME)(one) for one in items[:MOST_ITEMS] if one is not None)


Text = Annotated[str, BeforeValidator(one_line(_LONGEST)), Field(max_length=_LONGEST)]
Name = Annotated[str, BeforeValidator(one_line(_LONGEST_NAME)), Field(max_length=_LONGEST_NAME)]
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
