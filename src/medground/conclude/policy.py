"""The policy that decides which sentences are released. The answer records the ones it rejects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from medground.answer import Dropped, Verdict
from medground.sentence import Sentence, by_sentence
from medground.settings import VerifySettings
from medground.verify.named import HELD

_ALWAYS_DROPPED = ("contradicted",)
UNSUPPORTED = ("not found", "unverified")

Verdicted = tuple[Sentence, Verdict]


def release(
    statements: Sequence[Sentence], verdicts: Sequence[Verdict], settings: VerifySettings, *, uncited: bool = False
) -> tuple[list[Verdicted], list[Dropped]]:
    """Split checked statements into released statements and dropped sentences.

    Contradicted statements, sentences without a citation, and sentences that refer to a work that was never retrieved
    or quote what their source does not say are always dropped. Unsupported statements are flagged or dropped, depending
    on the settings. A sentence is released whole or not at all, because part of a sentence may say something else.
    `uncited` releases sentences without citations, for recipes that answer from a model's memory.
    """
    kept: list[Verdicted] = []
    dropped: list[Dropped] = []
    remaining = iter(zip(statements, verdicts, strict=True))
    for group in by_sentence(statements):
        checked = list(islice(remaining, len(group)))
        reasons = [reason for pair in checked if (reason := _refused(*pair, settings, uncited=uncited))]
        if reasons:
            dropped.append(Dropped(text=group[0].whole.text, reason="; ".join(reasons)))
        else:
            kept += checked
    return kept, dropped


def _refused(statement: Sentence, verdict: Verdict, settings: VerifySettings, *, uncited: bool) -> str:
    """Why a statement must be dropped, with its text if its sentence has others; empty if it is released."""
    held = not set(HELD).isdisjoint(verdict.flags)
    always = verdict.label in _ALWAYS_DROPPED or held or not (statement.evidence or uncited)
    if not always and not (settings.unsupported == "drop" and verdict.label in UNSUPPORTED):
        return ""
    reason = verdict.note or ("" if statement.evidence else "it has no citation")
    described = f"{verdict.label}{': ' + reason if reason else ''}"
    return f"“{statement.text}” is {described}" if statement.within else described
