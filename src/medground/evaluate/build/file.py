"""The file of a build: a first line that says everything that determines the others, then a line for each part.

It can be stopped at any time; the same call resumes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from medground.durable import write_whole
from medground.errors import BadDocument, UsageError
from medground.evaluate.build.values import BuiltQuestion, Finding, Head, Line, SubTopic
from medground.evaluate.lock import LockedLines, locked
from medground.operators.set_building import Level


class BuildFile(LockedLines):
    """A build that is being written, and what it has so far. Open it with `open_build`, use it as a context manager.

    Attributes:
        lines: the finished parts, in order.
    """

    def __init__(self, path: Path, lock: FileLock, lines: list[Line]) -> None:
        super().__init__(path, lock)
        self.lines = lines

    def add(self, line: Line) -> None:
        """Add a finished part; it is in the file on return.

        Raises:
            StorageFailed: the file cannot be written.
        """
        self.write(line)
        self.lines.append(line)

    def subtopics(self, topic: str) -> list[SubTopic]:
        """The sub-topics of a topic; none before it was divided."""
        return [
            one.subtopic for one in self.lines if one.subtopic and one.level is None and one.subtopic.topic == topic
        ]

    def findings(self, subtopic: SubTopic, level: Level) -> list[Finding] | None:
        """The findings of a sub-topic for a level; None before it was read."""
        for line in self.lines:
            if line.level == level and line.subtopic is not None and _same(line.subtopic, subtopic):
                return list(line.findings)
        return None

    def questions(self) -> dict[int, BuiltQuestion]:
        """The questions by slot, without those that were taken out again."""
        return questions_of(self.lines)

    def attempts(self, slot: int) -> list[Line]:
        """The attempts for a slot since its question was last taken out."""
        found: list[Line] = []
        for line in self.lines:
            if line.slot == slot:
                found.append(line)
            elif line.dropped and any(one.question is not None and one.question.id in line.dropped for one in found):
                found = []
        return found


def questions_of(lines: list[Line]) -> dict[int, BuiltQuestion]:
    """The questions by slot, without those that were taken out again."""
    found: dict[int, BuiltQuestion] = {}
    for line in lines:
        if line.question is not None and line.slot is not None:
            found[line.slot] = line.question
        for slot in [slot for slot, one in found.items() if one.id in line.dropped]:
            del found[slot]
    return found


def open_build(path: Path, head: Head) -> BuildFile:
    """Start a file, or resume it; a half last line is removed.

    Raises:
        UsageError: the file was made with other options or models, or another process is writing it.
        BadDocument: the file holds something else.
        StorageFailed: the file cannot be written.
    """
    lock = locked(path)
    try:
        lines: list[Line] = []
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if whole:
            there, lines = _parsed(whole.decode(errors="replace"), path)
            _check_same(there, head, path)
        if whole != content:
            write_whole(path, whole)
        build = BuildFile(path, lock, lines)
        if not whole:
            build.write(head)
        return build
    except BaseException:
        lock.release()
        raise


def read_build(path: Path) -> tuple[Head, list[Line]]:
    """A file's first line, and its finished parts.

    Raises:
        UsageError: there is no such file.
        BadDocument: the file holds something else.
    """
    try:
        content = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}); name the file of a build") from None
    return _parsed(content[: content.rfind("\n") + 1], path)


def _parsed(content: str, path: Path) -> tuple[Head, list[Line]]:
    return _head(content.partition("\n")[0], path), list(_lines(content, path))


def _head(first: str, path: Path) -> Head:
    try:
        return Head.model_validate_json(first)
    except ValidationError:
        raise BadDocument("not the file of a build", file=str(path), position=1) from None


def _lines(content: str, path: Path) -> Iterator[Line]:
    for number, text in enumerate(content.rstrip("\n").split("\n")[1:], start=2):  # a text may hold U+2028
        try:
            yield Line.model_validate_json(text)
        except ValidationError as error:
            reason = f"not a line of a build ({error.error_count()} fields)"
            raise BadDocument(reason, file=str(path), position=number) from None


def _check_same(there: Head, now: Head, path: Path) -> None:
    before, after = there.model_dump(mode="json"), now.model_dump(mode="json")
    if other := [name for name in before if before[name] != after[name]]:
        raise UsageError(
            f"{path} was made with other {', '.join(other)}; give the same options to resume it, or name another folder"
        )


def _same(one: SubTopic, other: SubTopic) -> bool:
    return (one.topic, one.text) == (other.topic, other.text)
