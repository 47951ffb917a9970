"""What the routes of the page share: who is signed in, suggestions, and who may change corpora."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import MedgroundError
from medground.faces.api.caller import Caller
from medground.faces.service.values import Person
from medground.faces.web.sessions import SignedIn
from medground.faces.web.upload import UploadLimits
from medground.graph.completions import Completion, Completions
from medground.values.document import Frozen

MOST_GRAPHS = 3
"""Graphs whose names are held in memory."""


class Suggestion(Frozen):
    """A name that completes what is typed: `text` as it is written, and what it is, in words."""

    text: str
    about: str
    id: str
    start: int


class Suggestions:
    """Suggests names of the graphs of some corpora. A graph is read when it is first needed, and again once it changed.

    Args:
        first: corpora whose graphs come first.
    """

    def __init__(self, library: Library, first: tuple[str, ...] = ()) -> None:
        self._library = library
        self._first = first
        self._read: dict[Path, asyncio.Task[Completions | None]] = {}

    async def of(self, typed: str, limit: int) -> list[Suggestion]:
        """Names that complete what is typed, each once, at most `limit`."""
        graphs = await asyncio.to_thread(self._graphs)
        for gone in self._read.keys() - set(graphs):
            del self._read[gone]
        found: dict[str, Suggestion] = {}
        for path in graphs:
            completions = await self._opened(path)
            for one in completions.of(typed, limit) if completions else ():
                found.setdefault(one.text.casefold(), _suggestion(one))
        return list(found.values())[:limit]

    async def warm(self) -> None:
        """Read the graphs, so that the first suggestion is fast too."""
        await self.of("", 1)

    async def _opened(self, path: Path) -> Completions | None:
        if path not in self._read:
            self._read[path] = asyncio.create_task(asyncio.to_thread(_completions, path))
        return await asyncio.shield(self._read[path])

    def _graphs(self) -> list[Path]:
        names = self._library.list()
        ordered = [*(name for name in self._first if name in names), *(n for n in names if n not in self._first)]
        found = []
        for name in ordered:
            try:
                path = self._library.current(name) / GRAPH_FILE
            except MedgroundError:  # damaged: it suggests nothing
                continue
            if path.is_file():
                found.append(path)
        return found[:MOST_GRAPHS]


def _completions(path: Path) -> Completions | None:
    try:
        return Completions.read(path)
    except MedgroundError:  # a question can be asked without suggestions
        return None


def _suggestion(one: Completion) -> Suggestion:
    other = f", for {one.name}" if one.name.casefold() != one.text.casefold() else ""
    return Suggestion(text=one.text, about=f"{one.kind or 'concept'}{other}", id=one.id, start=one.start)


@dataclass
class PageState:
    """What the page needs beside the service."""

    signed_in: SignedIn
    library: Library
    suggestions: Suggestions
    limits: UploadLimits
    uploads: Path
    """Where uploads wait until a corpus is built from them."""


def page_state(request: Request) -> PageState:
    """What the page of this app needs."""
    found: PageState = request.app.state.page
    return found


async def keeper(person: Caller) -> Person:
    """Somebody who may change corpora.

    Raises:
        HTTPException: 403, the token has not the right.
    """
    if not person.admin:
        raise HTTPException(403, "this token may not change corpora; one of `medground token create --admin` may")
    return person


Page = Annotated[PageState, Depends(page_state)]
Keeper = Annotated[Person, Depends(keeper)]
