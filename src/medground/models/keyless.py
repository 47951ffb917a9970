"""The model that is no model: the operator's own plain Python answers, fast and the same every time."""

from __future__ import annotations

from medground.author import KEYLESS
from medground.errors import ModelFailed
from medground.models.base import CallLimits, Reply
from medground.operators.base import I, InvalidOutput, O, Operator
from medground.usage import Usage

NAME = KEYLESS


class Keyless:
    """Answers with `operator.keyless`. It costs nothing, so limits never stop it and nothing is cached."""

    name = NAME
    identity = NAME
    cacheable = False

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call.

        Raises:
            ModelFailed: the operator's plain Python broke the operator's own rule.
        """
        output = operator.keyless(value)
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelFailed(f"{operator.name}: {error}", model=self.name, usage=Usage()) from error
        return Reply(output=output, usage=Usage())

    async def close(self) -> None:
        """Nothing is held."""
