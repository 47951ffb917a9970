"""What each person can do with the answers that are kept for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from medground.answer import Answer
from medground.answers import PastAnswer
from medground.document import Frozen
from medground.errors import NotFound, UsageError
from medground.export import Format
from medground.report import Attachment
from medground.service.asked import chosen_for
from medground.service.person import LOCAL, Person
from medground.service.shelf import Shelf
from medground.service.spending import Spending, Spent
from medground.service.tokens import Token, Tokens
from medground.settings import Settings
from medground.wording.view import AnswerView, view
from medground.wording.view_types import ChosenView


class TokenUse(Frozen):
    """A token without its secret, and what its holder used this month."""

    token: Token
    month: Spent


class Keeping:
    """Reads, lists, exports and deletes answers, off the event loop; a `Service` is one."""

    settings: Settings
    _shelf: Shelf
    _spending: Spending
    _tokens: Tokens
    _now: Callable[[], datetime]

    async def answer(self, trace_id: str, person: Person = LOCAL) -> Answer:
        """A person's answer by its trace id.

        Raises:
            NotFound: it is not there, or is not theirs.
        """
        return await asyncio.to_thread(self._shelf.answer, trace_id, person)

    async def view(self, trace_id: str, person: Person = LOCAL) -> AnswerView:
        """A person's answer as a page shows it, with what was chosen to be searched for it.

        Raises:
            NotFound: it is not there, or is not theirs.
        """
        answer = await self.answer(trace_id, person)
        chosen = await asyncio.to_thread(chosen_for, answer, self.settings)
        named = ChosenView(corpora=chosen.corpora, sources=chosen.sources) if chosen else None
        return view(answer).model_copy(update={"chosen": named})

    async def history(self, person: Person = LOCAL, *, limit: int = 20, before: str | None = None) -> list[PastAnswer]:
        """A person's answers, the latest first.

        Args:
            person: whose they are.
            limit: at most this many, from 1 to 200.
            before: only those before the one with this trace id, to page on.

        Raises:
            UsageError: `limit` is out of range.
        """
        if not 1 <= limit <= 200:
            raise UsageError(f"a history takes a limit from 1 to 200, not {limit}")
        return await asyncio.to_thread(self._shelf.history, person, limit, before)

    async def delete(self, trace_id: str, person: Person = LOCAL) -> None:
        """Delete a person's answer with its trace.

        Raises:
            NotFound: it is not there, or is not theirs.
            StorageFailed: it cannot be deleted.
        """
        await asyncio.to_thread(self._shelf.delete, trace_id, person)

    async def delete_all(self, person: Person = LOCAL) -> int:
        """Delete all of a person's answers with their traces; how many there were.

        Raises:
            StorageFailed: one cannot be deleted; those before it are.
        """
        deleted = 0
        while answers := await self.history(person, limit=200):
            for one in answers:
                with contextlib.suppress(NotFound):  # deleted elsewhere meanwhile
                    await self.delete(one.trace_id, person)
                    deleted += 1
        return deleted

    async def export(self, trace_id: str, form: Format, person: Person = LOCAL) -> bytes:
        """A person's answer as `ris`, `bibtex`, `csl-json`, `markdown`, `docx`, `html` or `pdf`.

        Raises:
            NotFound: it is not there, or is not theirs.
            UsageError: no such format, or the answer quotes no source.
            ConfigError: the `export` extra is missing.
        """
        return await asyncio.to_thread(self._shelf.export, trace_id, form, person)

    async def file(self, trace_id: str, name: str, person: Person = LOCAL) -> tuple[Attachment, bytes]:
        """A file of the report of a person's answer, such as the structure of a protein.

        Raises:
            NotFound: the answer or the file is not there.
        """
        return await asyncio.to_thread(self._shelf.file, trace_id, name, person)

    async def trace(self, trace_id: str, person: Person = LOCAL) -> list[dict[str, Any]]:
        """The spans of a person's answer, in the order they started, as `medground.trace.read_trace` gives them.

        Raises:
            NotFound: the answer or its trace is not there.
        """
        return await asyncio.to_thread(self._shelf.trace, trace_id, person)

    async def usage(self, person: Person = LOCAL) -> Spent:
        """What a person has used since the first day of this month (UTC)."""
        return await asyncio.to_thread(self._spending.month, person.id, self._now())

    async def tokens(self) -> list[TokenUse]:
        """All tokens, revoked ones too, the oldest first, with what each has used this month."""

        def read() -> list[TokenUse]:
            now = self._now()
            return [TokenUse(token=one, month=self._spending.month(one.id, now)) for one in self._tokens.list()]

        return await asyncio.to_thread(read)

    async def sweep(self) -> int:
        """Delete answers and traces older than `serve.keep_days`; how many there were. The service does it each hour.

        Raises:
            StorageFailed: something cannot be deleted.
        """
        if (days := self.settings.serve.keep_days) is None:
            return 0
        return await asyncio.to_thread(self._shelf.sweep, self._now() - timedelta(days=days))
