"""Two findings on the same things that differ in words: one reports an effect and the other none, or up against down.

It is no judgement: the papers may have asked different things. It is a reason to read both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from medground.operators.keyless import words
from medground.operators.keyless.flags import FLAGS
from medground.operators.keyless.sentences import states_purpose

Kind = Literal["an effect and none", "opposite directions"]

SAME_TOPIC = 0.6
"""Least share of the question's topic words, by weight, that both quotes hold."""
LEAST_SHARED = 2
"""Fewest topic words that both quotes hold."""
MOST_NAMED = 5
"""Shared words that name what the disagreement is about."""

_NULL = re.compile(
    r"\b(?:no|not|nor|neither|without|lack of)\b[^.;,]{0,60}?\b(?:significan|differ|associat|correlat|effect|impact|"
    r"improv|relationship|influence|change|evidence|predict|increase|reduc|benefit|superior|affect|related)\w*|"
    r"\b(?:non-?significant|insignificant)\w*|\bfail(?:s|ed)? to\b|\b(?:did|does|do|was|were|is|are) not\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(
    r"(?<!no )(?<!not )\b(?:significantly|independent(?:ly)? (?:predict|associat)\w*|(?:is|are|was|were) "
    r"(?:strongly |closely |positively |inversely |negatively )?(?:associated|correlated|effective|predictive|superior)|"
    r"(?:increas|decreas|reduc|improv|affect|predict|prevent|influenc)(?:e|es|ed|s)\b)",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:but|although|though|however|whereas|while|except|despite|unless|only)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Difference:
    """How two findings differ, and the words that they share, as the first writes them."""

    kind: Kind
    about: str


def difference(question: str, one: str, other: str) -> Difference | None:
    """How two quotes differ on what the question asks; None where words do not tell.

    Sentences that turn (`but`, `whereas`) report more than one finding, so they are not compared.
    """
    if any(states_purpose(text) or _TURN.search(text) for text in (one, other)):
        return None
    topic = words.topic(question)
    shared = topic & set(words.terms(one)) & set(words.terms(other))
    if len(shared) < min(LEAST_SHARED, len(topic)) or words.coverage(topic, shared) < SAME_TOPIC:
        return None
    kind = _kind(one, other)
    return Difference(kind, _named(shared, one)) if kind else None


def _kind(one: str, other: str) -> Kind | None:
    nothing = [bool(_NULL.search(text)) for text in (one, other)]
    effect = [bool(_EFFECT.search(_NULL.sub(" ", text))) for text in (one, other)]
    if nothing[0] != nothing[1]:
        found = effect[nothing.index(False)]
        return "an effect and none" if found and not effect[nothing.index(True)] else None
    if not any(nothing) and FLAGS["direction"](one, other) and FLAGS["direction"](other, one):
        return "opposite directions"
    return None


def _named(shared: set[str], text: str) -> str:
    named = dict.fromkeys(token for token in words.tokens(text) if words.stem(token) in shared)
    heaviest = sorted(named, key=lambda token: -words.weight(words.stem(token)))[:MOST_NAMED]
    return ", ".join(token for token in named if token in heaviest)
