"""Answers without a model: each operator's plain Python function, fast and deterministic."""

from __future__ import annotations

from medground.author import KEYLESS
from medground.errors import ModelFailed
from medground.models.base import CallLimits, Reply
from medground.operators.base import I, InvalidOutput, O, Operator
from medground.usage import Usage


class Keyless:
    """Answers with `operator.keyless`. It is free, so limits do not apply and nothing is cached."""

    name = identity = KEYLESS
    cacheable = False

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call.

        Raises:
            ModelFailed: the output of the operator's function fails the operator's own check.
        """
        output = operator.keyless(value)
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelFailed(f"{operator.name}: {error}", model=self.name, usage=Usage(), unreadable=True) from error
        return Reply(output=output, usage=Usage())

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""
