"""MIRAGE's published score next to the honest one, on the same answers.

MIRAGE's script (`src/evaluate.py`, `locate_answer` in `src/utils.py`, commit 224ebe9a) looks for a letter from A to D
in the text after the last `"answer_choice": "` of a reply, and falls back to A. A reply that names its letter there,
such as `{"answer_choice": "B"}` for each answer of a run, is read as it is. It goes wrong

- if a reply names no letter: the script reads A, which counts as correct wherever the gold answer is A;
- if a question has no reply yet: the script stops, so an unfinished run has no score.

The honest score counts a missing answer as wrong, and includes unfinished items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from medground.errors import UsageError
from medground_evaluate.items import RunHeader, RunLine
from medground_evaluate.statistics import Share

_LETTERS = {"yes": "A", "no": "B", "maybe": "C", **{letter: letter for letter in "ABCD"}}
Replies = list[tuple[str, str | None]]
"""The gold letter and the letter of the answer; None for a question without an answer."""


@dataclass(frozen=True)
class MirageScore:
    """Both scores of one set, or of all questions.

    Attributes:
        published: as the script counts, over the questions that have a reply.
        honest: correct answers among all questions.
        note: what the script gets wrong here, in one line; empty if nothing.
    """

    name: str
    published: Share
    honest: Share
    note: str


def score_run(header: RunHeader, lines: Iterable[RunLine]) -> list[MirageScore]:
    """Both scores of each set of a run over MIRAGE; where it has several, then those of all questions.

    With several sets it is unknown which the unfinished questions belong to, so they count only in the last score.
    """
    if header.dataset.partition("-")[0] != "mirage":
        raise UsageError(f"the MIRAGE scorer is only for runs over mirage, not {header.dataset}; give another run")
    by_set: dict[str, Replies] = {}
    for line in lines:
        reply = _letter(*line.gold), _letter(line.answer[0]) if line.answer else None
        by_set.setdefault(line.id.partition(":")[0], []).append(reply)
    every = [reply for replies in by_set.values() for reply in replies]
    left = max(0, header.items - len(every))
    if len(by_set) == 1:
        return [_score(next(iter(by_set)), every, left)]
    return [*(_score(name, replies, 0) for name, replies in by_set.items()), _score("all questions", every, left)]


def averages(scores: Iterable[MirageScore]) -> tuple[float, float]:
    """The unweighted means over sets that the script prints last: published, honest."""
    published, honest = zip(*((one.published.value or 0.0, one.honest.value or 0.0) for one in scores), strict=True)
    return fmean(published), fmean(honest)


def _score(name: str, replies: Replies, unfinished: int) -> MirageScore:
    silent = [gold for gold, answer in replies if answer is None]
    notes = []
    if silent:
        lucky = silent.count("A")
        notes.append(f"{len(silent):,} replies name no letter but are read as one, {lucky:,} of them as correct")
    if unfinished:
        notes.append(f"{unfinished:,} questions are unfinished: the script gives no score until they have replies")
    return MirageScore(
        name=name,
        published=Share(sum(gold == (answer or "A") for gold, answer in replies), len(replies)),
        honest=Share(sum(gold == answer for gold, answer in replies), len(replies) + unfinished),
        note="; ".join(notes),
    )


def _letter(value: str = "") -> str:
    if value not in _LETTERS:
        raise UsageError(f"{value!r} is not a MIRAGE answer; answers are A to D, yes, no and maybe")
    return _LETTERS[value]
