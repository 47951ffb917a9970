"""What a network's judgement of a comparison is worth.

A network that scores a pair of texts hardly reads the order of the sides: it supports "A was higher than B" over a text
that says the reverse. So what it says about a comparison counts only where `arms.py` finds both sides in the text, in
the same roles and with the same direction.
"""

from dataclasses import replace

from medground.answering.verify.arms import WHEREAS, Roles, contrasts, is_denied, roles_in
from medground.answering.verify.critic import Claim, Judgement
from medground.language.sentences import sentence_spans

OPPOSITE = "opposite"
"""The flag of a statement of which a text says the opposite."""
_NOT_SHOWN = "this compares two sides, and the rules did not find both in the same roles in the text"


def held_to_sides(claim: Claim, judgement: Judgement) -> Judgement:
    """What counts of a network's judgement of a claim; all of it if the claim compares nothing."""
    leans, each_clause = judgement.leans, WHEREAS.search(claim.within or claim.statement) is not None
    claimed = contrasts(claim.statement, each_clause=each_clause)
    if leans is None or not claimed:
        return judgement
    if all(one.kind == "alike" and not one.arm for one in claimed):
        best = next(view.quote for view in claim.premises if view.id == judgement.best)
        return judgement if is_denied(best) == (leans == "entails") else _open(judgement)
    roles, premise = _found(claim, each_clause)
    if roles == "same":
        return replace(judgement, relation=leans, best=premise, note="") if leans == "entails" else _open(judgement)
    if roles is None:
        return _open(judgement)
    if judgement.relation == "contradicts":
        return replace(judgement, best=premise)
    note = "the text compares these the other way round"
    return Judgement("related", premise, flags=(OPPOSITE,), note=note)


def _open(judgement: Judgement) -> Judgement:
    return Judgement("unsure", judgement.best, note=_NOT_SHOWN)


def _found(claim: Claim, each_clause: bool) -> tuple[Roles | None, str | None]:
    """The roles in which the premises have the sides, and the shortest premise that shows it; None if they differ."""
    found: dict[Roles, str] = {}
    for view in sorted(claim.premises, key=lambda view: len(view.quote)):
        for start, end in sentence_spans(view.quote):
            if roles := roles_in(claim.statement, view.quote[start:end], each_clause=each_clause):
                found.setdefault(roles, view.id)
    return next(iter(found.items())) if len(found) == 1 else (None, None)
