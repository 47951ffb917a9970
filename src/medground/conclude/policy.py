"""The one policy that decides which sentences may leave. What it rejects is recorded in the answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from medground.answer import Dropped, Verdict
from medground.sentence import Sentence, by_sentence
from medground.settings import VerifySettings
from medground.verify.named import FLAG

_NEVER = ("contradicted",)
UNSUPPORTED = ("not found", "unverified")

Verdicted = tuple[Sentence, Verdict]


def release(
    statements: Sequence[Sentence], verdicts: Sequence[Verdict], settings: VerifySettings, *, uncited: bool = False
) -> tuple[list[Verdicted], list[Dropped]]:
    """Split checked statements into those that leave and the sentences that do not.

    Contradicted statements, sentences without any citation and those that name a work which was never retrieved never
    leave. Unsupported ones are flagged or dropped
    as the settings say. A sentence leaves whole or not at all: a statement that may not leave takes its sentence with
    it, because what is left of a sentence may say something else. `uncited` lets sentences without citation leave: the
    baseline without retrieval has no other.
    """
    kept: list[Verdicted] = []
    dropped: list[Dropped] = []
    left = iter(zip(statements, verdicts, strict=True))
    for group in by_sentence(statements):
        checked = list(islice(left, len(group)))
        reasons = [reason for pair in checked if (reason := _refused(*pair, settings, uncited=uncited))]
        if reasons:
            dropped.append(Dropped(text=group[0].whole.text, reason="; ".join(reasons)))
        else:
            kept += checked
    return kept, dropped


def _refused(statement: Sentence, verdict: Verdict, settings: VerifySettings, *, uncited: bool) -> str:
    """Why a statement may not leave, named where its sentence has others; empty when it may."""
    never = verdict.label in _NEVER or FLAG in verdict.flags or not (statement.evidence or uncited)
    if not never and not (settings.unsupported == "drop" and verdict.label in UNSUPPORTED):
        return ""
    reason = verdict.note or ("" if statement.evidence else "it cites nothing")
    said = f"{verdict.label}{': ' + reason if reason else ''}"
    return f"“{statement.text}” is {said}" if statement.within else said
