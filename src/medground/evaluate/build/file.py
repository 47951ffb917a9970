"""The file of a build: a first line that says everything that determines the others, then a line for each part.

It can be stopped at any time; the same call resumes it.
"""

from __future__ import annotations

from pathlib import Path

from medground.evaluate.build.values import BuiltQuestion, Finding, Head, Line, SubTopic
from medground.line_file import LineFile, check_same, parsed
from medground.operators.set_building import Level


class BuildFile(LineFile):
    """A build that is being written, started or resumed. Use it as a context manager.

    Attributes:
        lines: the finished parts, in order.

    Raises:
        UsageError: the file was made with other options or models, or another process is writing it.
        BadDocument: the file holds something else.
        StorageFailed: the file cannot be written.
    """

    what = "the file of a build"

    def __init__(self, path: Path, head: Head) -> None:
        super().__init__(path)
        with self.closing_on_error():
            lines = [*self.whole_lines()]
            if lines:
                (there,) = parsed(lines[:1], Head, path, self.what)
                check_same(there, head, path)
            else:
                self.write(head)
            self.lines = list(parsed(lines[1:], Line, path, "a line of a build"))

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
            if (
                line.level == level
                and line.subtopic is not None
                and (line.subtopic.topic, line.subtopic.text)
                == (
                    subtopic.topic,
                    subtopic.text,
                )
            ):
                return list(line.findings)
        return None

    def questions(self) -> dict[int, BuiltQuestion]:
        """The questions by slot, without those that were taken out again."""
        found: dict[int, BuiltQuestion] = {}
        for line in self.lines:
            if line.question is not None and line.slot is not None:
                found[line.slot] = line.question
            for slot in [slot for slot, one in found.items() if one.id in line.dropped]:
                del found[slot]
        return found

    def attempts(self, slot: int) -> list[Line]:
        """The attempts for a slot since its question was last taken out."""
        found: list[Line] = []
        for line in self.lines:
            if line.slot == slot:
                found.append(line)
            elif line.dropped and any(one.question is not None and one.question.id in line.dropped for one in found):
                found = []
        return found
