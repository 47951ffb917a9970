"""What operators are shown and what they answer without a model."""

import asyncio
from typing import Any

from medground.models.base import CallLimits, Keyless
from medground.models.operators.base import I, O, Operator, SentencedPassage, SentenceView


def sentenced(name: str, *sentences: str, **more: Any) -> SentencedPassage:
    """A passage of these sentences, P1.S1 the first of P1."""
    views = tuple(SentenceView(id=f"{name}.S{n}", text=text) for n, text in enumerate(sentences, start=1))
    return SentencedPassage(id=name, sentences=views, **more)


def keyless(operator: Operator[I, O], value: I) -> O:
    """The checked answer without a model."""
    return asyncio.run(Keyless().answer(operator, value, CallLimits())).output
