"""What the server keeps of people: all of one's questions deleted at once, and what each token has used."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter

from medground.document import Frozen
from medground.faces.api.caller import Caller, Served
from medground.faces.web.held import Keeper
from medground.service.person import Limits
from medground.service.spending import Spent

router = APIRouter(tags=["page"])


class Deleted(Frozen):
    """How many answers were deleted."""

    deleted: int


class TokenTold(Frozen):
    """A token without its secret, and what its holder used in this calendar month (UTC)."""

    name: str
    created: datetime
    revoked: datetime | None
    admin: bool
    limits: Limits
    month: Spent


class Tokens(Frozen):
    """All tokens, revoked ones too, the oldest first."""

    tokens: tuple[TokenTold, ...]


@router.delete("/v1/answers", summary="Delete all your answers")
async def delete_all(person: Caller, service: Served) -> Deleted:
    """Delete all of your answers and their traces. This cannot be undone."""
    return Deleted(deleted=await service.delete_all(person))


@router.get("/v1/tokens", summary="What each token has used", responses={403: {}})
async def tokens(person: Keeper, service: Served) -> Tokens:
    """Tokens with their limits and use; for those who run the server."""
    return Tokens(
        tokens=tuple(
            TokenTold(**one.token.model_dump(exclude={"id", "limits"}), limits=one.token.limits, month=one.month)
            for one in await service.tokens()
        )
    )
