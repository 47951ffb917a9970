"""The answers that the home folder keeps, one JSON file each, named by the trace of its run."""

import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_core import from_json

from medground.answering.changes import as_known_now
from medground.engine.guards import guarded
from medground.errors import NotFound, UsageError
from medground.home.files import keep_private, tell_not_kept, writing_to
from medground.home.kept_files import Attachments
from medground.home.settings import Settings
from medground.language.clean import clean
from medground.values.answer import Answer
from medground.values.decision import Status
from medground.values.document import Frozen
from medground.wording.export import STYLE, Format, export

_ID = re.compile(r"[A-Za-z0-9-]{1,64}")


class PastAnswer(Frozen):
    """One line of the history."""

    trace_id: str
    id: str
    question: str
    context: str = ""
    recipe: str
    status: Status
    value: str | None
    created: datetime
    stopped: str | None = None
    problem: str | None = Field(default=None, description="why it cannot be read; its file is kept as it is")


class Answers:
    """Kept answers. The same question with the same settings has one `id`; each time it is asked has a `trace_id`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "answers"

    def keep(self, answer: Answer) -> None:
        """Store an answer, whole or not at all. If that fails, it is logged: the caller still has the answer."""
        path = self._folder / f"{answer.trace_id}.json"
        try:
            keep_private(path, answer.model_dump_json(indent=1))
        except OSError as error:
            tell_not_kept(path, error)

    def find(self, trace_id: str) -> Answer | None:
        """The answer of a trace, with what is known of its papers today; None where it is not kept.

        Raises UsageError: the file cannot be read by this version of Medground; it is left as it is.
        """
        answer = self.as_given(trace_id)
        return answer and as_known_now(answer)

    def as_given(self, trace_id: str) -> Answer | None:
        """As `find`, but as it was given."""
        path = self._folder / f"{trace_id}.json"
        if not _ID.fullmatch(trace_id) or not path.is_file():
            return None
        try:
            return Answer.model_validate_json(path.read_bytes(), extra="ignore")  # a newer 1.x has further fields
        except OSError as error:
            raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from None
        except ValidationError:
            maker = _raw(path).get("made_by") or "an unknown version"
            raise UsageError(
                f"{path} cannot be read by this version of Medground; it is kept, and was made by {clean(str(maker))}"
            ) from None

    def read(self, name: str) -> Answer:
        """The answer with this trace id; or the latest one with this id; or, by the name `last`, the latest of all.

        Raises UsageError: no such answer is kept, or its file is damaged.
        """
        if (answer := self.find(name)) is not None:
            return answer
        for past in self.history():
            if past.problem is None and name in (past.id, "last") and (answer := self.find(past.trace_id)) is not None:
                return answer
        raise UsageError(
            f"no answer {name[:64]!r} in {self._folder}; "
            "[[list them with medground history|history() lists them|give the trace_id that came with an answer]]"
        )

    def history(self) -> Iterator[PastAnswer]:
        """All kept answers, the latest first, also those that cannot be read."""
        return map(self.past, self.names())

    def past(self, trace_id: str) -> PastAnswer:
        """The line of the history of a kept answer. Raises NotFound: it is gone."""
        try:
            answer = self.find(trace_id)
        except UsageError as error:
            return _unreadable(self._folder / f"{trace_id}.json", str(error))
        if answer is None:
            raise NotFound(f"no answer {trace_id[:64]!r} is kept")
        return past(answer)

    def names(self) -> list[str]:
        """The trace ids of kept answers, the latest first; nothing is read."""
        return sorted((path.stem for path in self._folder.glob("*.json") if _ID.fullmatch(path.stem)), reverse=True)

    def remove(self, trace_id: str) -> bool:
        """Delete the answer of a trace; False where none was kept. Raises StorageFailed: it cannot be deleted."""
        path = self._folder / f"{trace_id}.json"
        if not _ID.fullmatch(trace_id) or not path.is_file():
            return False
        with writing_to(self._folder):
            path.unlink(missing_ok=True)
        return True

    def since(self, stamp: str) -> Iterator[Answer]:
        """The answers whose trace ids are not before `stamp`, the beginning of one, the latest first."""
        paths = self._folder.glob("*.json") if self._folder.is_dir() else ()
        for path in sorted((p for p in paths if p.name >= stamp), key=lambda path: path.name, reverse=True):
            try:
                answer = self.find(path.stem)
            except (UsageError, OSError):
                continue
            if answer is not None:
                yield answer


def _raw(path: Path) -> dict[str, Any]:
    """What can be read of a file that is not an answer."""
    with contextlib.suppress(OSError, ValueError):
        found = from_json(path.read_bytes(), allow_partial=True)
        return found if isinstance(found, dict) else {}
    return {}


def _unreadable(path: Path, problem: str) -> PastAnswer:
    raw = _raw(path)
    question = raw.get("question")
    text = question.get("text") if isinstance(question, dict) else None
    return PastAnswer(
        trace_id=path.stem,
        id=str(raw.get("id", "")),
        question=clean(str(text or "(an answer that cannot be read)")),
        recipe=clean(str(raw.get("recipe", ""))),
        status="not judged",
        value=None,
        created=datetime.fromtimestamp(path.stat().st_mtime, UTC),
        problem=problem,
    )


def past(answer: Answer) -> PastAnswer:
    """The line of the history of an answer."""
    return PastAnswer(
        **{name: getattr(answer, name) for name in ("trace_id", "id", "recipe", "created", "stopped")},
        question=answer.question.typed,
        context=answer.question.context,
        status=answer.decision.status,
        value=answer.decision.shown(),
    )


@guarded
class KeptAnswers:
    """Reads the answers in the home folder of `settings`; an engine is one."""

    settings: Settings

    def answer(self, name: str) -> Answer:
        """A kept answer by its trace id, or the latest one with this answer id.

        Raises UsageError: no such answer is kept.
        """
        return Answers(self.settings.home).read(name)

    def export(self, name: str, form: Format = "markdown", *, style: str = STYLE) -> bytes:
        """A kept answer for a reference manager (`ris`, `bibtex`, `csl-json`) or a reader (`markdown`, `docx`, `html`,
        `pdf`), with the files of a report.

        Raises:
            UsageError: no such answer, format or style; the answer quotes no source.
            ConfigError: the `export` extra is missing, which the forms for a reader need.
        """
        return export(self.answer(name), form, style=style, files=Attachments(self.settings.home).read)

    def history(self, limit: int = 20) -> list[PastAnswer]:
        """The questions that were asked last, the latest first. Raises UsageError: `limit` is negative."""
        if limit < 0:
            raise UsageError(f"the limit of a history must be at least 0, not {limit}")
        return list(islice(Answers(self.settings.home).history(), limit))
