"""The one policy that decides which sentences may leave. What it rejects is recorded in the answer."""

from __future__ import annotations

from collections.abc import Sequence

from medground.answer import Dropped, Verdict
from medground.settings import VerifySettings
from medground.write.draft import Sentence

_NEVER = ("contradicted",)
UNSUPPORTED = ("not found", "unverified")

Checked = tuple[Sentence, Verdict]


def release(
    sentences: Sequence[Sentence], verdicts: Sequence[Verdict], settings: VerifySettings, *, uncited: bool = False
) -> tuple[list[Checked], list[Dropped]]:
    """Split checked sentences into those that leave and those that do not.

    Contradicted sentences and sentences without any citation never leave. Unsupported ones are flagged or dropped
    as the settings say. `uncited` lets sentences without citation leave: the baseline without retrieval has no other.
    """
    kept: list[Checked] = []
    dropped: list[Dropped] = []
    for sentence, verdict in zip(sentences, verdicts, strict=True):
        refused = verdict.label in _NEVER or not (sentence.evidence or uncited)
        if refused or (settings.unsupported == "drop" and verdict.label in UNSUPPORTED):
            reason = verdict.note or ("it cites nothing" if not sentence.evidence else "")
            dropped.append(Dropped(text=sentence.text, reason=f"{verdict.label}{': ' + reason if reason else ''}"))
        else:
            kept.append((sentence, verdict))
    return kept, dropped
