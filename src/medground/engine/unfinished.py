"""Research that has no answer yet: what was asked, with which settings, and what its lookups found so far.

Each has a folder in the home folder, which goes when the answer is there. `Engine.resume` resumes what was killed,
stopped or reached a limit: the same question, the same settings, and no finished lookup or model call again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import Any

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from medground.answering.kept_lookups import KeptLookups
from medground.engine.answers import Answers
from medground.engine.open_engine import trace_stamp
from medground.errors import MedgroundError, UsageError, UserMistake
from medground.home.files import private_folder, tell_not_kept, write_whole
from medground.home.older_settings import still_known
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.document import Frozen
from medground.values.question import Question
from medground.values.shown import Shown

LAST = "last"
_FOLDER = "research"
_RECORD = "asked.json"
_LOCK = "lock"
_MOST_KEPT = 20
"""Unfinished research of long ago goes: its sources may say something else today."""
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_PATHS = ("replay", "record")


class Unfinished(Frozen):
    """Research without an answer. `settings` are the groups that its recipe reads, `paths` the folders it was given."""

    id: str
    question: Question
    recipe: str
    settings_hash: str
    settings: dict[str, Any]
    paths: dict[str, str] = Field(default_factory=dict)
    begun: datetime

    def groups(self, now: Settings) -> dict[str, Any]:
        """The groups of its settings; none where those of `now` are the same."""
        return {} if now.hash == self.settings_hash else still_known(self.settings)

    def settings_with(self, now: Settings) -> Settings:
        """Its settings, with home folder, keys and collector of the settings of `now`.

        Those that this version no longer has are left out.
        """
        then = now.with_groups(still_known(self.settings))
        return then.with_options({f"retrieval.{name}": Path(path) for name, path in self.paths.items()})


class UnfinishedResearch:
    """The unfinished research in the user's folder `home`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def list(self) -> Sequence[Unfinished]:
        """All of it, the latest first; what cannot be read is left out."""
        names = (path.parent.name for path in self._folder.glob(f"*/{_RECORD}"))
        read = (self._record(name) for name in sorted(names, reverse=True))
        return [one for one in read if one is not None]

    def read(self, name: str) -> Unfinished:
        """One by its id, or the latest for `last`.

        Raises UsageError: none has this id, or its record cannot be read.
        """
        if name == LAST:
            if found := self.list():
                return found[0]
            raise UsageError(
                "there is no unfinished research; "
                '[[start one with medground research|ask with recipe="biomedsearch"|start one]]'
            )
        if not _ID.fullmatch(name) or (one := self._record(name)) is None:
            ids = ", ".join(one.id for one in self.list()[:3]) or "there is none"
            raise UsageError(f"no unfinished research has the id {name[:64]!r}; latest: {ids}")
        return one

    def has(self, name: str) -> bool:
        """Whether research with this id can be gone on with."""
        return self._record(name) is not None

    def forget(self, name: str) -> None:
        """Delete what was kept of research, if it is there and not being worked on."""
        folder = self._folder / name
        if not _ID.fullmatch(name) or not folder.is_dir():
            return
        with suppress(Timeout), FileLock(folder / _LOCK, timeout=0):
            (folder / _RECORD).unlink(missing_ok=True)
            rmtree(folder, ignore_errors=True)

    @contextmanager
    def begun(self, name: str, question: Question, settings: Settings, now: datetime) -> Iterator[KeptLookups | None]:
        """Keep what the research finds while the block runs; None, which is reported once, where nothing can be kept.

        Its folder goes if the block ends without an error, or with a mistake of the user before anything was found. An
        id that is there already is gone on with.

        Raises UsageError: another process is at work on it.
        """
        folder = self._folder / name
        lock = FileLock(folder / _LOCK, timeout=0)
        kept: KeptLookups | None = None
        try:
            private_folder(self._folder)
            private_folder(folder)
            lock.acquire()
            if not (folder / _RECORD).is_file():
                for old in self.list()[_MOST_KEPT - 1 :]:
                    rmtree(self._folder / old.id, ignore_errors=True)
                asked = _asked(name, question, settings, now).model_dump_json(indent=1)
                write_whole(folder / _RECORD, asked, private=True)
            kept = KeptLookups(folder)
        except Timeout:
            raise UsageError(f"another process is working on research {name}; wait for it, or stop it") from None
        except OSError as error:
            tell_not_kept(folder, error)
        try:
            yield kept
        except UserMistake:
            if kept is None or kept.is_empty:  # there is nothing to resume
                rmtree(folder, ignore_errors=True)
            raise
        finally:
            lock.release()
        rmtree(folder, ignore_errors=True)

    def _record(self, name: str) -> Unfinished | None:
        try:
            return Unfinished.model_validate_json((self._folder / name / _RECORD).read_bytes())
        except (OSError, ValidationError):
            return None


def _asked(name: str, question: Question, settings: Settings, now: datetime) -> Unfinished:
    paths = {kind: getattr(settings.retrieval, kind) for kind in _PATHS}
    return Unfinished(
        id=name,
        question=question,
        recipe=settings.recipe.name,
        settings_hash=settings.hash,
        settings=settings.as_read_by(settings.recipe.name),
        paths={kind: str(path.absolute()) for kind, path in paths.items() if path is not None},
        begun=now,
    )


@dataclass(frozen=True, repr=False)
class Outcome(Shown):
    """A question with its answer or its error.

    If a budget ran out, both are set: `answer` is what was found so far.
    """

    question: str
    answer: Answer | None = None
    error: MedgroundError | None = None

    def __str__(self) -> str:
        return f"{self.question}\n{self.answer if self.error is None else self.error}"


CANCELLED = "cancelled"
"""Why an answer ended early if its question was cancelled, and so must be asked again."""


@dataclass(frozen=True)
class Batch:
    """Questions, in order, with the ids that their answers will have; the same one twice has one id, asked once."""

    home: Path
    questions: tuple[Question, ...]
    ids: tuple[str, ...]

    @contextmanager
    def begun(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Iterator[Progress]:
        """What an interrupted run has answered already; the marker goes if the block ends without a failure.

        Where nothing can be written, which is reported once, nothing is known of an earlier run.

        Raises UsageError: another process is asking the same questions.
        """
        marker = self.home / "batches" / hashlib.sha256(json.dumps(self.ids).encode()).hexdigest()[:16]
        lock = FileLock(f"{marker}.lock", timeout=0)
        progress = Progress({})
        try:
            private_folder(marker.parent)
            lock.acquire()
            if not marker.is_file():
                write_whole(marker, trace_stamp(now()))
            answers = Answers(self.home).since(marker.read_text(encoding="utf-8"))
            wanted = set(self.ids)
            kept = (answer for answer in answers if answer.id in wanted and answer.stopped != CANCELLED)
            progress.answered |= {answer.id: answer.trace_id for answer in kept}
        except Timeout:
            raise UsageError("another process is asking these questions; wait for it, or stop it") from None
        except OSError as error:
            tell_not_kept(marker, error)
        try:
            yield progress
            if not progress.failed:
                with suppress(OSError):  # it was never written, or cannot be removed where nothing can be written
                    marker.unlink()
        finally:
            lock.release()


@dataclass
class Progress:
    """How far a batch is."""

    answered: dict[str, str]
    """The trace ids of the answers that an interrupted run has given, by answer id."""
    failed: int = 0


def slots(concurrency: int) -> asyncio.Semaphore:
    """A turn for each question that is under way. Raises UsageError: `concurrency` is below 1."""
    if concurrency < 1:
        raise UsageError(f"the concurrency must be at least 1, not {concurrency}")
    return asyncio.Semaphore(concurrency)


async def in_order(
    batch: Batch, progress: Progress, ask: Callable[[Question], Awaitable[Outcome]], concurrency: int
) -> AsyncGenerator[Outcome, None]:
    """The outcomes in the order of the questions, at most `concurrency` under way; `ask` is not to raise.

    Raises UsageError: `concurrency` is below 1.
    """
    turns = slots(concurrency)
    asked: dict[str, asyncio.Task[Outcome]] = {}
    pairs = list(zip(batch.questions, batch.ids, strict=True))
    last = {name: number for number, name in enumerate(batch.ids)}

    async def one(question: Question, name: str) -> Outcome:
        if trace_id := progress.answered.get(name):
            return Outcome(question.text, Answers(batch.home).read(trace_id))
        async with turns:
            return await ask(question)

    try:
        for number, (question, name) in enumerate(pairs):
            for ahead, its_name in pairs[number : number + 2 * concurrency]:
                if its_name not in asked:
                    asked[its_name] = asyncio.ensure_future(one(ahead, its_name))
            outcome = await asked[name]
            if last[name] == number:
                del asked[name]
            progress.failed += outcome.error is not None
            yield Outcome(question.text, outcome.answer, outcome.error)
    finally:
        for task in asked.values():
            task.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)
