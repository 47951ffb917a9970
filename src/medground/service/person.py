"""Who asks, and how much they may ask."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from medground.document import Frozen


class Limits(Frozen):
    """What a person may use; without a value there is no limit. Money and tokens are those of a month (UTC)."""

    rate: int | None = Field(default=None, ge=1, description="requests to the engine in any 60 seconds")
    concurrent: int | None = Field(default=None, ge=1, description="jobs and claims that are not finished")
    money: Decimal | None = Field(default=None, ge=0, description="US dollars of model calls")
    tokens: int | None = Field(default=None, ge=0, description="tokens in and out of models")


class Person(Frozen):
    """Whoever holds a token. What they ask is theirs alone."""

    id: str
    name: str
    limits: Limits = Limits()
    admin: bool = Field(default=False, description="whether they may build, change and remove corpora")


LOCAL = Person(id="local", name="this computer", admin=True)
"""Whoever sits at this computer, where no token is asked for: the answers of the command line are theirs, too."""
