"""The answers that are kept for each person, and what they can do with them."""

from __future__ import annotations

import functools
from asyncio import to_thread
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Concatenate, ParamSpec, TypeVar

from medground.answering.trace import read_trace, remove_trace
from medground.engine.answers import Answers, PastAnswer
from medground.engine.unfinished import LAST, Unfinished, UnfinishedResearch
from medground.errors import NotFound, UsageError
from medground.faces.service.accounts import Owners, Spending, Spent, Token, Tokens
from medground.faces.service.audit import Audit
from medground.faces.service.clock_looks import HOUR, ClockLooks, share_of
from medground.faces.service.jobs import Jobs
from medground.faces.service.request import chosen_for
from medground.faces.service.values import LOCAL, Limits, Person, Role
from medground.home.kept_files import Attachments
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.report import Attachment
from medground.wording.export import Format, export
from medground.wording.view import view
from medground.wording.view_types import AnswerView, ChosenView


class KeptAnswers:
    """Reads, lists and deletes answers on disk, each person's own. Blocks.

    All methods raise NotFound for what is not there, which includes what belongs to another person.
    """

    def __init__(self, settings: Settings, owners: Owners, audit: Audit) -> None:
        self._answers = Answers(settings.home)
        self._attachments = Attachments(settings.home)
        self._research = UnfinishedResearch(settings.home)
        self._traces = settings.home / "traces"
        self._owners, self._audit = owners, audit

    def load(self, trace_id: str) -> Answer | None:
        """An answer, whatever its owner; None where it is gone."""
        try:
            return self._answers.find(trace_id)
        except UsageError:
            return None

    def answer(self, trace_id: str, person: Person = LOCAL) -> Answer:
        """A person's answer by its trace id. Raises UsageError: its file is damaged."""
        answer = self._answers.find(trace_id) if self._owners.owns(person.id, trace_id) else None
        if answer is None:
            raise NotFound(f"no answer {trace_id[:64]!r} belongs to you")
        return answer

    def history(self, person: Person = LOCAL, *, limit: int = 20, before: str | None = None) -> list[PastAnswer]:
        """A person's answers, the latest first; to page on, those `before` one of them, by its trace id."""
        if person.id == LOCAL.id:
            others = self._owners.not_of(person.id)
            names = [name for name in self._answers.names() if name not in others and (not before or name < before)]
        else:
            names = list(self._owners.answers_of(person.id, before))
        found: list[PastAnswer] = []
        for name in names:
            if len(found) == limit:
                break
            with suppress(NotFound):  # deleted elsewhere meanwhile
                found.append(self._answers.past(name))
        return found

    def delete(self, trace_id: str, person: Person) -> None:
        """Delete a person's answer and its trace."""
        if not self._owners.owns(person.id, trace_id) or not self._answers.remove(trace_id):
            raise NotFound(f"no answer {trace_id[:64]!r} belongs to you")
        self._forget(trace_id)
        self._audit.add(person, "delete", trace_id)

    def sweep(self, before: datetime) -> int:
        """Delete a share of what the service answered before a time, with its traces; how many there were.

        Answers of the command line stay: the local user deletes them.
        """
        old = self._owners.older_than(before, share_of(self._owners.count()))
        for trace_id in old:
            self._answers.remove(trace_id)
            self._forget(trace_id)
        return len(old)

    def unfinished(self, research: str, person: Person) -> Unfinished:
        """A person's research that has no answer yet."""
        if research != LAST and self._owners.owns(person.id, research):
            with suppress(UsageError):
                return self._research.read(research)
        raise NotFound(f"no unfinished research {research[:64]!r} belongs to you")

    def export(self, trace_id: str, form: Format, person: Person = LOCAL) -> bytes:
        """A person's answer in another format; raises what `answer` and `wording.export.export` raise."""
        content = export(self.answer(trace_id, person), form, files=self._attachments.read)
        self._audit.add(person, "export", f"{trace_id} {form}")
        return content

    def file(self, trace_id: str, name: str, person: Person = LOCAL) -> tuple[Attachment, bytes]:
        """A file of the report of a person's answer, such as the structure of a protein."""
        report = self.answer(trace_id, person).report
        kept = (
            next((attachment for attachment in report.attachments if attachment.name == name), None) if report else None
        )
        if kept is None:
            raise NotFound(f"the answer {trace_id} has no file {name[:80]!r}")
        self._audit.add(person, "export", f"{trace_id} {kept.name}")
        try:
            return kept, self._attachments.read(kept)
        except UsageError as error:
            raise NotFound(*error.args) from None

    def trace(self, trace_id: str, person: Person = LOCAL) -> list[dict[str, Any]]:
        """The spans of a person's answer, claim or failed question, in the order they started."""
        if self._owners.owns(person.id, trace_id):
            with suppress(UsageError):
                return read_trace(self._traces, trace_id)
        raise NotFound(f"no trace {trace_id[:64]!r} belongs to you")

    def _forget(self, trace_id: str) -> None:
        remove_trace(self._traces, trace_id)
        self._research.forget(trace_id)
        self._owners.forget(trace_id)


P = ParamSpec("P")
T = TypeVar("T")


def _off_loop(
    work: Callable[Concatenate[KeptAnswers, P], T],
) -> Callable[Concatenate[AnswerService, P], Coroutine[Any, Any, T]]:
    """A method of `KeptAnswers` as one of the service, which does not hold up the event loop."""

    @functools.wraps(work)
    async def method(self: AnswerService, /, *given: P.args, **more: P.kwargs) -> T:
        return await to_thread(work, self._kept, *given, **more)

    return method


class AnswerService:
    """`KeptAnswers` off the event loop; a `Service` is one."""

    settings: Settings
    jobs: Jobs
    audit: Audit
    _kept: KeptAnswers
    _spending: Spending
    _tokens: Tokens
    _looks: ClockLooks
    _now: Callable[[], datetime]

    answer = _off_loop(KeptAnswers.answer)
    history = _off_loop(KeptAnswers.history)
    export = _off_loop(KeptAnswers.export)
    file = _off_loop(KeptAnswers.file)
    trace = _off_loop(KeptAnswers.trace)

    async def view(self, trace_id: str, person: Person = LOCAL) -> AnswerView:
        """A person's answer as a page shows it, with what was chosen to be searched for it."""
        answer = await self.answer(trace_id, person)
        chosen = await to_thread(chosen_for, answer, self.settings)
        named = ChosenView(corpora=chosen.corpora, sources=chosen.sources) if chosen else None
        return view(answer).replace(chosen=named)

    async def delete(self, trace_id: str, person: Person = LOCAL) -> None:
        """Delete a person's answer with its trace, and forget its job. Raises StorageFailed: it cannot be deleted."""
        await to_thread(self._kept.delete, trace_id, person)
        await self.jobs.forget(person.id, trace_id)

    async def delete_all(self, person: Person = LOCAL) -> int:
        """Delete all of a person's answers with their traces; how many there were.

        Raises StorageFailed: one cannot be deleted; those before it are.
        """
        deleted = 0
        while answers := await self.history(person, limit=200):
            for answer in answers:
                with suppress(NotFound):  # deleted elsewhere meanwhile
                    await self.delete(answer.trace_id, person)
                    deleted += 1
        return deleted

    async def usage(self, person: Person = LOCAL) -> Spent:
        """What a person has used since the first day of this month (UTC)."""
        return await to_thread(self._spending.month, person.id, self._now())

    async def tokens(self) -> list[tuple[Token, Spent]]:
        """All tokens, revoked ones too, the oldest first, each with what its holder has used this month."""
        return await to_thread(self._tokens.used)

    async def admit(self, person_id: str, name: str, role: Role) -> Person:
        """A person whom the identity provider names. Raises NotAllowed: an administrator revoked their access."""
        limits = Limits.model_validate(self.settings.serve.oidc.model_dump(include=set(Limits.model_fields)))
        return await to_thread(self._tokens.admit, person_id, name, limits, role)

    async def sweep(self) -> int:
        """Delete some answers and traces older than `serve.keep_days`; how many there were.

        What is older than `serve.audit_days` leaves the audit log. The service calls this each minute, and something is
        deleted once an hour at most, after looks at the clock have agreed for a day.

        Raises StorageFailed: something cannot be deleted.
        """
        return await to_thread(self._swept)

    def _swept(self) -> int:
        serve, now = self.settings.serve, self._now()
        answers, entries = (timedelta(days=days) if days else None for days in (serve.keep_days, serve.audit_days))
        looks = self._looks.look(max(answers or timedelta(), entries or timedelta()))
        if looks.agree_for(HOUR):
            self.jobs.store.tidy()
        if not (answers or entries) or not self._looks.may_sweep(looks):
            return 0
        deleted = self._kept.sweep(now - answers) if answers else 0
        forgotten = self.audit.forget_before(now - entries, share_of(self.audit.count())) if entries else 0
        if deleted or forgotten:
            self.audit.add(None, "sweep", f"{deleted} answers and {forgotten} entries of this log that were too old")
        return deleted
