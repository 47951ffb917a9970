"""The kinds of difference, each with its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medground.operators.keyless.flags.certainty import cause, certainty
from medground.operators.keyless.flags.numbers import number, unit
from medground.operators.keyless.flags.pair import Pair
from medground.operators.keyless.flags.polarity import direction, negation
from medground.operators.keyless.flags.scope import order, population, subject

RULES: Mapping[str, Callable[[Pair], bool]] = {
    "number": number,
    "unit": unit,
    "negation": negation,
    "direction": direction,
    "comparison order": order,
    "population": population,
    "subject": subject,
    "certainty": certainty,
    "cause": cause,
}
"""Every kind of difference by name, in the order in which they are reported."""


def differences(statement: str, quote: str, premise: str | None = None) -> tuple[str, ...]:
    """The kinds of difference between a statement and a quote, in the order of `RULES`; empty for equal texts.

    Args:
        statement: the statement to check.
        quote: the sentence nearest to it.
        premise: the text that the quote is from, which may contain what the quote lacks; the quote by default.
    """
    pair = Pair(statement, quote, quote if premise is None else premise)
    return tuple(name for name, differs in RULES.items() if differs(pair))
