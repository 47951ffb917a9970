"""The kinds of difference, and what tells each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from medground.operators.keyless.flags import certainty, numbers, polarity, scope
from medground.operators.keyless.flags.pair import Pair

RULES: Mapping[str, Callable[[Pair], bool]] = {
    "number": numbers.number,
    "unit": numbers.unit,
    "negation": polarity.negation,
    "direction": polarity.direction,
    "comparison order": scope.order,
    "population": scope.population,
    "subject": scope.subject,
    "certainty": certainty.certainty,
    "cause": certainty.cause,
}
"""Every kind of difference by its name, in the order in which they are told."""


def _told(rule: Callable[[Pair], bool], statement: str, quote: str) -> bool:
    return rule(Pair(statement, quote, quote))


FLAGS: Mapping[str, Callable[[str, str], bool]] = {name: partial(_told, rule) for name, rule in RULES.items()}
"""The same for two texts: whether a statement differs from a quote in that way."""


def differences(statement: str, quote: str, premise: str | None = None) -> tuple[str, ...]:
    """Kinds of difference between a statement and a quote, in the order of `FLAGS`; none for equal texts.

    Args:
        statement: what is stated.
        quote: one sentence, the nearest to it.
        premise: the text that the quote is from, which may hold what the quote does not; the quote when not given.
    """
    pair = Pair(statement, quote, quote if premise is None else premise)
    return tuple(name for name, differs in RULES.items() if differs(pair))
