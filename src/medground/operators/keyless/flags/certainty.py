"""How sure and how causal: a hedge that is gone, an association that became a cause."""

from __future__ import annotations

from medground.operators.keyless.flags.cues import ASSOCIATION, CAUSE, DOUBT, HEDGE, SURE
from medground.operators.keyless.flags.pair import Pair


def certainty(pair: Pair) -> bool:
    """Repeated text lost a hedge or won a certainty; a paraphrase has no hedge where the sentence has one."""
    if pair.repeats:
        hedged, hedges = pair.changed(HEDGE)
        sure, surer = pair.changed(SURE)
        return hedged > hedges or surer > sure
    return bool(DOUBT.search(pair.quote)) and not HEDGE.search(pair.statement)


def cause(pair: Pair) -> bool:
    """Repeated text states a cause in place of an association; in a paraphrase, the sentence states no cause at all."""
    if pair.repeats:
        (before, after), (linked, links) = pair.changed(CAUSE), pair.changed(ASSOCIATION)
        return after > before and links < linked
    told = CAUSE.search(pair.statement) and ASSOCIATION.search(pair.quote)
    return bool(told) and not CAUSE.search(pair.quote)
