"""Negation and direction: one text denies what the other asserts, or reports a fall where the other reports a rise."""

from __future__ import annotations

from medground.operators.keyless.flags.cues import DOWN, NEGATION, UP, cue
from medground.operators.keyless.flags.pair import Pair, folded

_FINDING = (
    r"(?:effect|associat|differ|correlat|impact|improv|relationship|influence|change|evidence|increas|reduc|benefit|"
    r"role|link|advantage|interaction)\w*"
)
_DENIED = cue(
    r"(?:did|does|do|was|were|is|are|has|have|had|can|could|may|might|will|would|should)(?: \w+)? not"
    rf"(?! (?:only|just|restricted|limited))|cannot|never|neither|fail(?:s|ed)? to|no (?:[\w-]+ ){{0,3}}{_FINDING}|"
    r"(?:has|have|had|shows?|showed) no|little (?:effect|impact|evidence)|unable to|unlikely|ineffective|unchanged|"
    r"unaffected|'t(?<=n't)|’t(?<=n’t)"
)
"""Denials of what a clause says; `without a ligand` and `mice lacking it` only describe something."""


def negation(pair: Pair) -> bool:
    """Repeated text gained or lost a negation; of a paraphrase and its nearest clause, only one is negated."""
    if pair.repeats:
        before, after = pair.changed(NEGATION)
        return before != after
    denied = bool(_DENIED.search(folded(pair.statement)))
    if not _DENIED.search(folded(pair.quote)):
        return denied
    return denied != bool(_DENIED.search(folded(pair.clause)))


def direction(pair: Pair) -> bool:
    """Repeated text reverses a direction in one of its changes; a paraphrase states only the opposite direction."""
    if pair.repeats:
        return any(_opposed(" ".join(change.before), " ".join(change.after)) for change in pair.changes)
    return _opposed(pair.statement, pair.quote)


def _opposed(one: str, other: str) -> bool:
    up, down = bool(UP.search(one)), bool(DOWN.search(one))
    return up != down and bool(UP.search(other)) == down and bool(DOWN.search(other)) == up
