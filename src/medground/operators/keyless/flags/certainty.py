"""Certainty and causality: a lost hedge, or an association that became a cause."""

from __future__ import annotations

from medground.operators.keyless.flags.cues import ASSOCIATION, CAUSE, DOUBT, HEDGE, SURE
from medground.operators.keyless.flags.pair import Pair


def certainty(pair: Pair) -> bool:
    """Repeated text lost a hedge or gained a word of certainty; a paraphrase lacks the hedge of the sentence."""
    if pair.repeats:
        hedged, hedges = pair.changed(HEDGE)
        sure, surer = pair.changed(SURE)
        return hedged > hedges or surer > sure
    return bool(DOUBT.search(pair.quote)) and not HEDGE.search(pair.statement)


def cause(pair: Pair) -> bool:
    """The statement makes an association a cause. For a paraphrase, the sentence must state no cause at all."""
    if pair.repeats:
        (before, after), (linked, links) = pair.changed(CAUSE), pair.changed(ASSOCIATION)
        return after > before and links < linked
    found = CAUSE.search(pair.statement) and ASSOCIATION.search(pair.quote)
    return bool(found) and not CAUSE.search(pair.quote)
