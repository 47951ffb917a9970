"""How relations are worded: by template, in both directions, never paraphrased."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class Predicate(NamedTuple):
    """A predicate in words: `X forward Y`, and `Y inverse X`. Without an inverse, both are worded forward."""

    forward: str
    inverse: str = ""


_KNOWN = {
    "is_a": Predicate("is a kind of", "includes"),
    "isa": Predicate("is a kind of", "includes"),
    "inverse_isa": Predicate("includes", "is a kind of"),
    "PAR": Predicate("is the parent of", "is a child of"),
    "CHD": Predicate("is a child of", "is the parent of"),
    "RB": Predicate("is broader than", "is narrower than"),
    "RN": Predicate("is narrower than", "is broader than"),
    "RO": Predicate("is related to", "is related to"),
    "RQ": Predicate("is related to, and may mean the same as,", "is related to, and may mean the same as,"),
    "RL": Predicate("is alike to", "is alike to"),
    "SY": Predicate("is a synonym of", "is a synonym of"),
    "SIB": Predicate("is a sibling of", "is a sibling of"),
    "AQ": Predicate("is an allowed qualifier of", "can be qualified by"),
    "QB": Predicate("can be qualified by", "is an allowed qualifier of"),
    "part_of": Predicate("is part of", "has the part"),
    "has_part": Predicate("has the part", "is part of"),
    "treats": Predicate("treats", "is treated by"),
    "treated_by": Predicate("is treated by", "treats"),
    "may_treat": Predicate("may treat", "may be treated by"),
    "may_be_treated_by": Predicate("may be treated by", "may treat"),
    "may_prevent": Predicate("may prevent", "may be prevented by"),
    "may_be_prevented_by": Predicate("may be prevented by", "may prevent"),
    "cause_of": Predicate("is a cause of", "is due to"),
    "causative_agent_of": Predicate("is the causative agent of", "has the causative agent"),
    "due_to": Predicate("is due to", "is a cause of"),
    "regulates": Predicate("regulates", "is regulated by"),
    "positively_regulates": Predicate("positively regulates", "is positively regulated by"),
    "negatively_regulates": Predicate("negatively regulates", "is negatively regulated by"),
    "has_role": Predicate("has the role", "is the role of"),
    "broader": Predicate("is narrower than", "is broader than"),
}
_LINKS = {"of", "by", "to", "in", "with", "from", "for", "on", "at", "as"}
_VERBS = {"is", "are", "has", "have", "may", "can", "was", "does"}


@cache
def worded(name: str) -> Predicate:
    """The wording of a predicate by its name in a vocabulary: `has_finding_site` is `has finding site`.

    A name that reads as a verb stays, `associated_with` becomes `is associated with`, and any other name is quoted as
    what it is: a relation of that name.
    """
    if (known := _KNOWN.get(name) or _KNOWN.get(name.replace(" ", "_"))) is not None:
        return known
    words = name.replace("_", " ").replace("-", " ").split()
    if not words:
        return Predicate("is related to", "is related to")
    said = " ".join(words)
    if words[0].lower() in _VERBS or _is_verb(words):
        return Predicate(said)
    return Predicate(f"is {said}") if words[-1].lower() in _LINKS else Predicate(f'has the relation "{said}" to')


def _is_verb(words: Sequence[str]) -> bool:
    """Whether a name reads as a verb in the third person: `occurs in`, `positively regulates`."""
    last = words[-2] if len(words) > 1 and words[-1].lower() in _LINKS else words[-1]
    return last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is"))


def row(subject: str, phrase: str, thing: str, details: Sequence[str] = ()) -> str:
    """The line that states a relation: `X is treated by Y (detail; detail).`"""
    limits = f" ({'; '.join(details)})" if details else ""
    return f"{subject} {phrase} {thing}{limits}."


def stated(predicate: Predicate, subject: str, thing: str, details: Sequence[str] = (), *, back: bool = False) -> str:
    """A relation in words, for the document of its subject, or `back`, for that of its object."""
    if back and predicate.inverse:
        return row(thing, predicate.inverse, subject, details)
    return row(subject, predicate.forward, thing, details)
