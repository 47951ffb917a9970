"""The names of all operators, for settings and checks."""

from __future__ import annotations

from medground.operators import (
    answering,
    judging,
    labelling,
    reading,
    reasoning,
    rewriting,
    searching,
    summarising,
    verifying,
    writing,
)
from medground.operators.base import Operator

OPERATORS: tuple[str, ...] = tuple(
    sorted(
        value.name
        for module in (
            answering,
            judging,
            labelling,
            reading,
            reasoning,
            rewriting,
            searching,
            summarising,
            verifying,
            writing,
        )
        for value in vars(module).values()
        if isinstance(value, Operator)
    )
)
