"""How relations are worded: by template, in both directions, never paraphrased."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from medground.graph.names import table


class Predicate(NamedTuple):
    """A predicate in words: `X forward Y`, and `Y inverse X`. Without an inverse, both are worded forward."""

    forward: str
    inverse: str = ""


_KNOWN = {name: Predicate(forward, inverse) for name, forward, inverse in table("predicates.tsv")}
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
