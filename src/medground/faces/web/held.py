"""What the routes of the page share: who is signed in, suggestions, and who may change corpora."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from medground.corpus.library import Library
from medground.faces.api.caller import Caller
from medground.faces.web.signed_in import SignedIn
from medground.faces.web.suggestions import Suggestions
from medground.faces.web.upload import UploadLimits
from medground.service.person import Person


@dataclass
class Held:
    """What the page needs beside the service."""

    signed_in: SignedIn
    library: Library
    suggestions: Suggestions
    limits: UploadLimits
    uploads: Path
    """Where uploads wait until a corpus is built from them."""


def held(request: Request) -> Held:
    """What the page of this app needs."""
    found: Held = request.app.state.page
    return found


async def keeper(person: Caller) -> Person:
    """Somebody who may change corpora.

    Raises:
        HTTPException: 403, the token has not the right.
    """
    if not person.admin:
        raise HTTPException(403, "this token may not change corpora; one of `medground token create --admin` may")
    return person


Page = Annotated[Held, Depends(held)]
Keeper = Annotated[Person, Depends(keeper)]
