"""The policy that decides which sentences are released. The answer records the ones it rejects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from medground.answer import Dropped, Verdict
from medground.sentence import Sentence, by_sentence
from medground.settings import VerifySettings
from medground.verify.checked import CONTRADICTION, INCORRECT
from medground.verify.given import GIVEN
from medground.verify.named import HELD

UNSUPPORTED = ("not found", "unverified", GIVEN)

OWN_KNOWLEDGE = "own knowledge"
"""The flag of a sentence that cites nothing and is shown all the same."""
_NOTHING_CITED = "it cites no evidence; --set verify.own_knowledge=mark shows such sentences, marked"

_OWN = "the model's own knowledge, not from the evidence"

Verdicted = tuple[Sentence, Verdict]


def release(
    statements: Sequence[Sentence], verdicts: Sequence[Verdict], settings: VerifySettings, *, uncited: bool = False
) -> tuple[list[Verdicted], list[Dropped]]:
    """Split checked statements into released statements and dropped sentences.

    A judge that has not proved itself may take away, never give: a statement that any judge calls contradicted or
    incorrect is dropped. Sentences that refer to a work that was never retrieved, or quote what their source does not
    say, are always dropped. Sentences without a citation and unsupported statements are dropped or marked,
    depending on the settings. A sentence is released whole or not at all, because part of a sentence may say something
    else. `uncited` releases sentences without citations, for recipes that answer from a model's memory. Without
    `verify.gate` rejected statements are released too, with their verdict. A sentence that only repeats what was
    given with the question is released without citations: no source is about that.
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
            kept += checked if uncited else _marked(checked)
    return kept, dropped


def _marked(checked: Sequence[Verdicted]) -> list[Verdicted]:
    """The statements of a sentence; one that cites nothing cites what supports it, or is marked as own knowledge."""
    if all(verdict.label == GIVEN for _, verdict in checked):
        return [(statement.model_copy(update={"evidence": ()}), verdict) for statement, verdict in checked]
    if any(statement.evidence for statement, _ in checked):
        return list(checked)
    found = tuple(dict.fromkeys(v.best for _, v in checked if v.best and v.label in ("supported", "partly")))
    if found:
        return [(statement.model_copy(update={"evidence": found}), verdict) for statement, verdict in checked]
    return [(statement, verdict if verdict.label == GIVEN else _own(verdict)) for statement, verdict in checked]


def _own(verdict: Verdict) -> Verdict:
    return verdict.model_copy(update={"flags": (*verdict.flags, OWN_KNOWLEDGE), "note": _OWN})


def _refused(statement: Sentence, verdict: Verdict, settings: VerifySettings, *, uncited: bool) -> str:
    """Why a statement must be dropped, with its text if its sentence has others; empty if it is released."""
    needs_none = uncited or verdict.label == GIVEN or settings.own_knowledge == "mark"
    cites = bool(statement.evidence) or needs_none
    found = rejected(verdict)
    always = (settings.gate and bool(found)) or not set(HELD).isdisjoint(verdict.flags) or not cites
    if not always and not (settings.unsupported == "drop" and verdict.label in UNSUPPORTED):
        return ""
    reason = verdict.note if cites or found else _NOTHING_CITED
    described = f"{found or verdict.label}{': ' + reason if reason else ''}"
    return f"“{statement.text}” is {described}" if statement.within else described


def rejected(verdict: Verdict) -> str:
    """What a judge, validated or not, calls a statement that it rejects; empty if none rejects it."""
    if verdict.label == "contradicted" or CONTRADICTION in verdict.flags:
        return "contradicted"
    return INCORRECT if INCORRECT in verdict.flags else ""
