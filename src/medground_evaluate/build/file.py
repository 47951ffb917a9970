"""What building a set makes, the file that its parts are written to, and the finished set as files.

Source: BioMedSearch, section IV.A (every question is reviewed by experts by hand), and its authors' files.
"""

import csv
import io
import json
import string
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from medground.corpus import writing
from medground.home import write_whole
from medground.recipes import pool
from medground.values import DocumentId, Frozen, Option, Question, SnapshotReference
from medground_evaluate.blind import Audit
from medground_evaluate.build.operators import Level, Says
from medground_evaluate.items import Item
from medground_evaluate.line_file import HeadedFile

OPTIONS = 4
RIGHT = (2, 3)
"""Numbers of right options, as in BioMedMCQs."""


def answer_sets() -> tuple[tuple[str, ...], ...]:
    """All sets of letters that a key can be: of four options with two or three right ones ten."""
    return tuple(chosen for number in RIGHT for chosen in combinations(string.ascii_uppercase[:OPTIONS], number))


class Proof(pool.Quoted):
    """A passage that shows an option right or wrong: `quote == document.text[start:end]`."""

    title: str = ""


class Finding(Frozen):
    """What a paper found, and the sentences that state it, all of one document."""

    text: str
    proofs: tuple[Proof, ...]


class BuiltOption(Frozen):
    """An option with the result of the second check: a right one is `shown`, a wrong one `ruled out`."""

    letter: str
    text: str
    right: bool
    checked: Says
    proofs: tuple[Proof, ...]


class BuiltQuestion(Frozen):
    """A question of the finished set."""

    id: str
    level: Level
    topic: str
    subtopic: str
    question: str
    options: tuple[BuiltOption, ...]
    written_by: str
    checked_by: str

    @property
    def key(self) -> tuple[str, ...]:
        """The letters of the right options."""
        return tuple(option.letter for option in self.options if option.right)

    def item(self) -> Item:
        """The question as an evaluation reads it."""
        options = tuple(Option(letter=option.letter, text=option.text) for option in self.options)
        documents = dict.fromkeys(proof.document_id for option in self.options for proof in option.proofs)
        question = Question(text=self.question, task="multiple-choice", options=options)
        return Item(id=self.id, question=question, gold=self.key, documents=tuple(documents))


class SubTopic(Frozen):
    """A sub-topic with its keywords and the papers that are read for it, best first.

    Attributes:
        found: papers that its keywords found.
        covered: of these, those that hold enough of the keywords (Eq. 3).
    """

    topic: str
    text: str
    keywords: tuple[str, ...]
    papers: tuple[DocumentId, ...] = ()
    found: int = 0
    covered: int = 0


class Head(Frozen):
    """First line of the file of a build: everything that determines the others."""

    form: Literal["medground-set-1"] = "medground-set-1"
    options: dict[str, Any]
    models: dict[str, str]
    settings_hash: str
    snapshots: tuple[SnapshotReference, ...] = ()


class Line(Frozen):
    """Any other line: a finished part of the work.

    Attributes:
        subtopic: with `findings` of a level, or alone where a topic was divided.
        slot: the place in the plan of the set that an attempt was for.
        dropped: ids of questions that were taken out again, as they could be answered without evidence.
    """

    subtopic: SubTopic | None = None
    level: Level | None = None
    findings: tuple[Finding, ...] = ()
    slot: int | None = None
    attempt: int = 0
    question: BuiltQuestion | None = None
    rejected: str = ""
    dropped: tuple[str, ...] = ()


class BuildFile(HeadedFile[Head, Line]):
    """A build that is being written, started or resumed."""

    what = "the file of a build"

    def __init__(self, path: Path, head: Head) -> None:
        super().__init__(path, head, Line)

    def subtopics(self, topic: str) -> list[SubTopic]:
        """The sub-topics of a topic; none before it was divided."""
        return [
            line.subtopic
            for line in self.lines
            if line.subtopic and line.level is None and line.subtopic.topic == topic
        ]

    def findings(self, subtopic: SubTopic, level: Level) -> list[Finding] | None:
        """The findings of a sub-topic for a level; None before it was read."""
        wanted = level, subtopic.topic, subtopic.text
        for line in self.lines:
            if line.subtopic and (line.level, line.subtopic.topic, line.subtopic.text) == wanted:
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


QUESTIONS, SHEET, AUDIT = "questions.jsonl", "review.csv", "audit.json"
_COLUMNS = ("question", "level", "topic", "text", "option", "option text", "key", "proof", "where", "title")
_ASKED = ("is the key right? (yes/no)", "is it clear? (yes/no)", "does the level fit? (yes/no)", "remarks")


def write_set(questions: Sequence[BuiltQuestion], audit: Audit | None, folder: Path) -> list[Path]:
    """Write all files; existing ones of an earlier call are replaced."""
    lines = "".join(json.dumps(_record(question), ensure_ascii=False) + "\n" for question in questions)
    files = {QUESTIONS: lines, SHEET: as_sheet(questions), **as_text(questions)}
    if audit is not None:
        files[AUDIT] = audit.model_dump_json(indent=2) + "\n"
    with writing(folder):
        for name, content in files.items():
            write_whole(folder / name, content)
    return [folder / name for name in files]


def _record(one: BuiltQuestion) -> dict[str, object]:
    """The question in the form of `medground eval run jsonl`, each option's passages under `extra`."""
    proofs = {
        option.letter: [proof.model_dump(mode="json", exclude_defaults=True) for proof in option.proofs]
        for option in one.options
    }
    about = {"set": f"level {one.level}", "topic": one.topic, "subtopic": one.subtopic, "proofs": proofs}
    return {
        "id": one.id,
        "question": one.question,
        "task": "multiple-choice",
        "options": {option.letter: option.text for option in one.options},
        "answer": list(one.key),
        "documents": list(one.item().documents),
        "extra": {**about, "written_by": one.written_by, "checked_by": one.checked_by},
    }


def as_text(questions: Sequence[BuiltQuestion]) -> dict[str, str]:
    """The authors' files by name: questions and answers of each level, numbered from 1."""
    files: dict[str, str] = {}
    for level in sorted({question.level for question in questions}):
        own = [*enumerate((question for question in questions if question.level == level), start=1)]
        asked = (
            "\n".join([f"Q{n}: {one.question}", "Options:", *(f"{o.letter}: {o.text}" for o in one.options), ""])
            for n, one in own
        )
        files[f"questions_level{level}_built.txt"] = "\n".join(asked)
        answers = (f"Q{n} Answer: {', '.join(one.key)}\n" for n, one in own)
        files[f"answers_level{level}_built.txt"] = "".join(answers)
    return files


def as_sheet(questions: Sequence[BuiltQuestion]) -> str:
    """A CSV sheet for review: a row for each option with the passages that decide it, and columns to fill in."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*_COLUMNS, *_ASKED])
    for question in questions:
        for n, option in enumerate(question.options):
            asked = (
                [question.id, question.level, question.subtopic, question.question]
                if n == 0
                else [question.id, "", "", ""]
            )
            quotes = "\n".join(proof.quote for proof in option.proofs)
            places = "\n".join(f"{p.document_id} {p.start}-{p.end}" for p in option.proofs)
            titles = "\n".join(dict.fromkeys(proof.title for proof in option.proofs))
            key = "right" if option.right else "wrong"
            cells = [*asked, option.letter, option.text, key, quotes, places, titles]
            writer.writerow([*(_cell(str(cell)) for cell in cells), *("" for _ in _ASKED)])
    return out.getvalue()


def _cell(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
