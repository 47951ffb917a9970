"""The kept answers of each person, on disk. Everything here blocks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from medground.answer import Answer
from medground.answers import Answers, PastAnswer, past
from medground.errors import NotFound, UsageError
from medground.export import STYLE, Format, export
from medground.kept_attachments import Attachments
from medground.report import Attachment
from medground.service.owners import Owners
from medground.service.person import LOCAL, Person
from medground.settings import Settings
from medground.trace import read_trace, remove_trace
from medground.unfinished import LAST, Unfinished, UnfinishedResearch


class Shelf:
    """Reads, lists and deletes answers, each person's own. Another's answer is like one that is not there.

    Args:
        settings: they name the home folder.
        owners: whose an answer is.
    """

    def __init__(self, settings: Settings, owners: Owners) -> None:
        self._answers = Answers(settings.home)
        self._attachments = Attachments(settings.home)
        self._research = UnfinishedResearch(settings.home)
        self._traces = settings.home / "traces"
        self._owners = owners

    def load(self, trace_id: str) -> Answer | None:
        """An answer whoever owns it; None where it is gone."""
        try:
            return self._answers.find(trace_id)
        except UsageError:
            return None

    def answer(self, trace_id: str, person: Person) -> Answer:
        """A person's answer.

        Raises:
            NotFound: it is not there, or is not theirs.
            UsageError: its file is damaged.
        """
        answer = self._answers.find(trace_id) if self._owners.owns(person.id, trace_id) else None
        if answer is None:
            raise NotFound(f"no answer {trace_id[:64]!r} is kept for you")
        return answer

    def history(self, person: Person, limit: int, before: str | None = None) -> list[PastAnswer]:
        """A person's answers, the latest first; those `before` one of them, by its trace id."""
        if person.id == LOCAL.id:
            others = self._owners.not_of(person.id)
            names = [name for name in self._answers.names() if name not in others and (not before or name < before)]
        else:
            names = list(self._owners.of(person.id, before))
        found: list[PastAnswer] = []
        for name in names:
            if len(found) == limit:
                break
            if (answer := self.load(name)) is not None:
                found.append(past(answer))
        return found

    def delete(self, trace_id: str, person: Person) -> None:
        """Delete a person's answer and its trace.

        Raises:
            NotFound: it is not there, or is not theirs.
            StorageFailed: it cannot be deleted.
        """
        if not self._owners.owns(person.id, trace_id) or not self._answers.remove(trace_id):
            raise NotFound(f"no answer {trace_id[:64]!r} is kept for you")
        self._forget(trace_id)

    def sweep(self, before: datetime) -> int:
        """Delete what the service answered before a time, with its traces; how many there were.

        Answers of the command line stay: whoever sits at the computer deletes them.

        Raises:
            StorageFailed: something cannot be deleted.
        """
        count = 0
        while old := self._owners.older_than(before):
            for trace_id in old:
                self._answers.remove(trace_id)
                self._forget(trace_id)
            count += len(old)
        return count

    def unfinished(self, research: str, person: Person) -> Unfinished:
        """A person's research that has no answer yet.

        Raises:
            NotFound: it is not there, or is not theirs.
        """
        if research != LAST and self._owners.owns(person.id, research):
            try:
                return self._research.read(research)
            except UsageError:
                pass
        raise NotFound(f"no unfinished research {research[:64]!r} is kept for you")

    def _forget(self, trace_id: str) -> None:
        remove_trace(self._traces, trace_id)
        self._research.forget(trace_id)
        self._owners.forget(trace_id)

    def export(self, trace_id: str, form: Format, person: Person, style: str = STYLE) -> bytes:
        """A person's answer in another format; errors are those of `answer` and of `medground.export.export`."""
        return export(self.answer(trace_id, person), form, style=style, files=self._attachments.read)

    def file(self, trace_id: str, name: str, person: Person) -> tuple[Attachment, bytes]:
        """A file of the report of a person's answer.

        Raises:
            NotFound: the answer or the file is not there.
        """
        report = self.answer(trace_id, person).report
        kept = next((one for one in report.attachments if one.name == name), None) if report else None
        if kept is None:
            raise NotFound(f"the answer {trace_id} has no file {name[:80]!r}")
        try:
            return kept, self._attachments.read(kept)
        except UsageError as error:
            raise NotFound(str(error)) from None

    def trace(self, trace_id: str, person: Person) -> list[dict[str, Any]]:
        """The spans of a person's answer, claim or failed question, in the order they started.

        Raises:
            NotFound: it is not there, or is not theirs.
        """
        if self._owners.owns(person.id, trace_id):
            try:
                return read_trace(self._traces, trace_id)
            except UsageError:
                pass
        raise NotFound(f"no trace {trace_id[:64]!r} is kept for you")
