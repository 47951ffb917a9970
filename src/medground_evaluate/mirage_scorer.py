"""MIRAGE's published score next to the honest one, on the same answers.

MIRAGE's script (`src/evaluate.py`, `locate_answer` in `src/utils.py`, commit 224ebe9a) takes the text after the last
`"answer_choice": "` of a reply, tries patterns for a letter from A to D in a fixed order, and falls back to A. This
works for a reply that names its letter there. It goes wrong

- if a reply names no letter: the script reads A, which counts as correct wherever the gold answer is A;
- if the choice is not the reply's last field: `Option C` or `: C` in the text after it takes precedence;
- if a question has no reply yet: the script stops, so an unfinished run has no score.

The honest score takes the run's own answers, counts a missing one as wrong, and includes unfinished items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from medground.errors import UsageError
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.statistics import Share

LETTERS = "ABCD"
_BY_VALUE: Mapping[str, str] = {"yes": "A", "no": "B", "maybe": "C"}
_FIELD = '"answer_choice": "'
_PATTERNS = tuple(
    map(re.compile, (r"^\s*([A-D])(?:$| or| and|/|,)", r"[Oo]ption ([A-D])", r":\s*([A-D])", r'^\s*([A-D])[.":]'))
)
"""In the script's order. Its consecutive patterns for the start of the text are merged into one."""


@dataclass(frozen=True)
class Reply:
    """One question: its set, the gold letter, what the script reads and the actual answer (None: no letter)."""

    set: str
    gold: str
    published: str
    honest: str | None


@dataclass(frozen=True)
class MirageScore:
    """Both scores of one set.

    Attributes:
        published: as the script counts, over the questions that have a reply.
        honest: correct answers among all questions.
        read_as_a: replies without a letter, which the script reads as one: mostly A.
        lucky: those that it counts as correct.
        misread: replies with a letter that it reads as a different one.
        unfinished: questions without a reply.
    """

    name: str
    published: Share
    honest: Share
    read_as_a: int
    lucky: int
    misread: int
    unfinished: int

    @property
    def note(self) -> str:
        """What the script gets wrong here, in one line; empty if nothing."""
        notes = []
        if self.read_as_a:
            notes.append(
                f"{self.read_as_a:,} replies name no letter but are read as one, {self.lucky:,} of them as correct"
            )
        if self.misread:
            notes.append(f"{self.misread:,} replies are read as a different letter from the one they name")
        if self.unfinished:
            notes.append(
                f"{self.unfinished:,} questions are unfinished: the script gives no score until they have replies"
            )
        return "; ".join(notes)


@dataclass(frozen=True)
class MirageScores:
    """Each set, and all questions together."""

    sets: tuple[MirageScore, ...]
    whole: MirageScore

    @property
    def average(self) -> tuple[float, float] | None:
        """The unweighted means over sets that the script prints last: published, honest; None if there are no sets."""
        if not self.sets:
            return None
        published, honest = zip(*((s.published.value or 0.0, s.honest.value or 0.0) for s in self.sets), strict=True)
        return fmean(published), fmean(honest)


def published_choice(reply: str) -> str:
    """The letter that MIRAGE's script reads; A if it finds none."""
    text = reply.rpartition(_FIELD)[2].strip()
    return next((found[1] for pattern in _PATTERNS if (found := pattern.search(text))), LETTERS[0])


def score_replies(replies: Iterable[Reply], unfinished: int = 0) -> MirageScores:
    """Both scores of each set, in order of appearance, and of all questions together.

    Args:
        unfinished: number of questions without a reply. With several sets it is unknown which they belong to, so they
            count only in the total.
    """
    by_set: dict[str, list[Reply]] = {}
    for reply in replies:
        by_set.setdefault(reply.set, []).append(reply)
    whole = _score(", ".join(by_set), [reply for found in by_set.values() for reply in found], unfinished)
    sets = (whole,) if len(by_set) == 1 else tuple(_score(name, found, 0) for name, found in by_set.items())
    return MirageScores(sets, whole)


def score_run(header: RunHeader, lines: Iterable[RunLine]) -> MirageScores:
    """Both scores of a run over MIRAGE.

    An answer counts as the reply `{"answer_choice": "B"}`; an item without an answer as a reply with an empty choice.
    """
    if header.dataset.partition("-")[0] != "mirage":
        raise UsageError(f"the MIRAGE scorer is only for runs over mirage, not {header.dataset}; give another run")
    replies = [_reply(line) for line in lines]
    return score_replies(replies, max(0, header.items - len(replies)))


def _score(name: str, replies: list[Reply], unfinished: int) -> MirageScore:
    unread = [reply for reply in replies if reply.honest is None]
    return MirageScore(
        name=name,
        published=Share(sum(r.published == r.gold for r in replies), len(replies)),
        honest=Share(sum(r.honest == r.gold for r in replies), len(replies) + unfinished),
        read_as_a=len(unread),
        lucky=sum(r.published == r.gold for r in unread),
        misread=sum(r.honest not in (None, r.published) for r in replies),
        unfinished=unfinished,
    )


def _reply(line: RunLine) -> Reply:
    answer = _letter(line.answer[0]) if line.answer else None
    published = published_choice(json.dumps({"answer_choice": answer or ""}))
    return Reply(line.id.partition(":")[0], _letter(*line.gold), published, answer)


def _letter(value: str = "") -> str:
    letter = _BY_VALUE.get(value, value)
    if letter not in LETTERS or not letter:
        raise UsageError(f"{value!r} is not a MIRAGE answer; answers are A to D, yes, no and maybe")
    return letter
