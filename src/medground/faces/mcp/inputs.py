"""What each tool takes."""

from __future__ import annotations

import json
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

MOST = 50
"""Most documents, claims or terms of one call."""


def _listed(value: Any) -> Any:
    """Some clients send a list as JSON text, or one entry without its list."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    return [value]


def _batch(description: str) -> Any:
    return Field(min_length=1, max_length=MOST, description=f"{description} At most {MOST}.")


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=240)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_listed)]
Year = Annotated[int, Field(ge=1000, le=2999)]


class Input(BaseModel):
    """Base of what tools take."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Searching(Input):
    """What is searched."""

    corpora: Names | None = Field(default=None, description="Names of corpora; the server's own by default.")
    year_from: Year | None = None
    year_to: Year | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.year_from is not None and self.year_to is not None and self.year_from > self.year_to:
            raise ValueError(f"year_from ({self.year_from}) is after year_to ({self.year_to})")
        return self


class Ask(Searching):
    question: Text
    context: str = Field(default="", max_length=16_000, description="A case or passage it is about. Never cited.")
    options: Annotated[tuple[Text, ...], BeforeValidator(_listed)] = Field(
        default=(), max_length=26, description="Choices of a choice question."
    )
    recipe: Name | None = Field(default=None, description="How to answer; the server's own by default.")
    follow: Name | None = Field(default=None, description="trace_id of the answer that this question follows.")


class Research(Searching):
    question: Text
    context: str = Field(default="", max_length=16_000, description="A case or passage it is about. Never cited.")


class Search(Searching):
    query: Text
    limit: int = Field(default=10, ge=1, le=MOST, description=f"Most passages, up to {MOST}.")


class Fetch(Input):
    id: Name = Field(description="A document id from search, such as PMID:21645374.")


class Documents(Input):
    ids: Names = _batch("Document ids, such as PMID:21645374.")


class Claims(Input):
    claims: Annotated[tuple[Text, ...], BeforeValidator(_listed)] = _batch("Claims, a sentence or more each.")


class PlanQuery(Input):
    question: Text


class Terms(Input):
    terms: Names = _batch("Names, synonyms or ids.")


class Cursor(Input):
    cursor: Name


class JobId(Input):
    job: Name
