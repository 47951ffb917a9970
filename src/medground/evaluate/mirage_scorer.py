"""MIRAGE's published score beside the honest one, on the same answers.

MIRAGE's script (`src/evaluate.py`, `locate_answer` in `src/utils.py`, commit 224ebe9a) takes the text behind the last
`"answer_choice": "` of a reply, tries patterns for a letter from A to D in a fixed order, and where none matches says
A. On a reply that names its letter there it is right. It is wrong

- where a reply names no letter: A is no answer, yet is right wherever the gold answer is A;
- where the choice is not the reply's last field: `Option C` or `: C` in the text behind it comes before the choice;
- where a question has no reply yet: the script stops, so there is no score of an unfinished run.

The honest score reads the field itself, counts what has no letter as wrong, and keeps unfinished items.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from medground.errors import UsageError
from medground.evaluate.base import RunHeader, RunLine
from medground.evaluate.metrics.share import Share

LETTERS = "ABCD"
_BY_VALUE: Mapping[str, str] = {"yes": "A", "no": "B", "maybe": "C"}
_FIELD = '"answer_choice": "'
_PATTERNS = tuple(
    map(re.compile, (r"^\s*([A-D])(?:$| or| and|/|,)", r"[Oo]ption ([A-D])", r":\s*([A-D])", r'^\s*([A-D])[.":]'))
)
"""In the script's order. Its patterns that look at the start of the text one after the other are one pattern here."""
_CHOICE = re.compile(r'"answer_choice"\s*:\s*"\s*([A-D])\b')


@dataclass(frozen=True)
class Reply:
    """One question: its set, the gold letter, what the script reads and what was really answered (None: no letter)."""

    set: str
    gold: str
    published: str
    honest: str | None


@dataclass(frozen=True)
class MirageScore:
    """One set.

    Attributes:
        published: as the script counts, over the questions that have a reply.
        honest: right answers among all questions.
        read_as_a: replies without a letter, which the script reads as another letter: mostly A.
        lucky: those of them that it counts as right.
        misread: replies with a letter, of which it reads another one.
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
    def published_deviation(self) -> float | None:
        """`sqrt(p (1 - p) / n)`, which the script prints beside its score."""
        p = self.published.value
        return None if p is None else math.sqrt(p * (1 - p) / self.published.of)

    @property
    def note(self) -> str:
        """Where the script is wrong here, in one line; empty where it is right."""
        said = []
        if self.read_as_a:
            said.append(
                f"{self.read_as_a:,} replies name no letter and are read as one, {self.lucky:,} of them as right"
            )
        if self.misread:
            said.append(f"{self.misread:,} replies are read as another letter than they name")
        if self.unfinished:
            said.append(
                f"{self.unfinished:,} questions are unfinished: the script gives no score before they have replies"
            )
        return "; ".join(said)


@dataclass(frozen=True)
class MirageScores:
    """Each set, and all questions together."""

    sets: tuple[MirageScore, ...]
    whole: MirageScore

    @property
    def average(self) -> tuple[float, float] | None:
        """The unweighted means over sets that the script prints last: published, honest; None where there is no set."""
        known = [(s.published.value or 0.0, s.honest.value or 0.0) for s in self.sets]
        if not known:
            return None
        return sum(p for p, _ in known) / len(known), sum(h for _, h in known) / len(known)


def published_choice(reply: str) -> str:
    """The letter that MIRAGE's script reads; A where it finds none."""
    text = reply.rpartition(_FIELD)[2].strip()
    return next((found[1] for pattern in _PATTERNS if (found := pattern.search(text))), LETTERS[0])


def honest_choice(reply: str) -> str | None:
    """The letter of a reply's `answer_choice`, or of a reply that is nothing but a letter; None for no letter."""
    fields = _CHOICE.findall(reply)
    if fields:
        return str(fields[-1])
    bare = re.fullmatch(r"\s*\(?([A-D])[).:]?\s*", reply)
    return bare[1] if bare else None


def score_replies(replies: Iterable[Reply], unfinished: int = 0) -> MirageScores:
    """Both scores of each set, in the order they come, and of all together.

    Args:
        replies: of one or more sets.
        unfinished: questions without a reply. Which of several sets they are of is not known: they count in the whole.
    """
    by_set: dict[str, list[Reply]] = {}
    for reply in replies:
        by_set.setdefault(reply.set, []).append(reply)
    whole = _score(", ".join(by_set), [reply for found in by_set.values() for reply in found], unfinished)
    sets = (whole,) if len(by_set) == 1 else tuple(_score(name, found, 0) for name, found in by_set.items())
    return MirageScores(sets, whole)


def score_texts(name: str, pairs: Iterable[tuple[str, str]]) -> MirageScore:
    """Both scores of raw replies: pairs of the gold letter and the reply's text."""
    return _score(name, [Reply(name, _letter(g), published_choice(t), honest_choice(t)) for g, t in pairs], 0)


def score_run(header: RunHeader, lines: Iterable[RunLine]) -> MirageScores:
    """Both scores of a run over MIRAGE.

    An answer counts as the reply `{"answer_choice": "B"}`; an item without an answer as one whose choice is empty.

    Raises:
        UsageError: the run is over another data set, or a gold answer is none of MIRAGE's.
    """
    if header.dataset.partition("-")[0] != "mirage":
        raise UsageError(f"MIRAGE's scorer is for runs over mirage, not {header.dataset}")
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
        raise UsageError(f"{value!r} is no answer of MIRAGE: it has the letters A to D, and yes, no, maybe")
    return letter
