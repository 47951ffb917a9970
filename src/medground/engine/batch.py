"""Many questions, asked so that a killed run resumes: what has an answer is not asked again.

A marker in the home folder says when a set of questions was begun with which settings and corpora. As long as it is
there, answers that were kept since then to the same question, with the same settings and snapshots, count. It goes when
every question has an answer, so that the next run asks them anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from medground.engine.answers import Answers
from medground.engine.open_engine import trace_stamp
from medground.errors import MedgroundError, UsageError
from medground.home.files import private_folder, tell_not_kept, write_whole
from medground.values.answer import Answer
from medground.values.question import Question


@dataclass(frozen=True)
class Outcome:
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
    """Questions with the ids that their answers will have.

    Attributes:
        home: the home folder.
        questions: in the order in which they are asked.
        ids: the id of the answer to each; the same question twice has one id and is asked once.
    """

    home: Path
    questions: tuple[Question, ...]
    ids: tuple[str, ...]

    @contextmanager
    def begun(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Iterator[Progress]:
        """What an interrupted run has answered already; the marker goes if the block ends without a failure.

        Where nothing can be written, which is told once, nothing is known of an earlier run.

        Raises:
            UsageError: another process is asking the same questions.
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
    """How far a batch is.

    Attributes:
        answered: the trace ids of the answers that an interrupted run has given, by answer id.
        failed: number of questions that have no answer, because something failed.
    """

    answered: dict[str, str]
    failed: int = 0


def slots(concurrency: int) -> asyncio.Semaphore:
    """A turn for each question that is under way.

    Raises:
        UsageError: `concurrency` is below 1.
    """
    if concurrency < 1:
        raise UsageError(f"questions take a concurrency of at least 1, not {concurrency}")
    return asyncio.Semaphore(concurrency)


async def in_order(
    batch: Batch, progress: Progress, ask: Callable[[Question], Awaitable[Outcome]], concurrency: int
) -> AsyncGenerator[Outcome, None]:
    """The outcomes in the order of the questions, at most `concurrency` of them under way.

    Args:
        batch: the questions.
        progress: what was answered before, which is not asked again.
        ask: asks one question; it is not to raise.
        concurrency: number of questions under way.

    Raises:
        UsageError: `concurrency` is below 1.
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
