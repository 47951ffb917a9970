"""The contract of a model: it answers operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from medground.operators.base import I, O, Operator, OperatorOutput
from medground.usage import Usage

R = TypeVar("R", bound=OperatorOutput)

NAMES = "use keyless, local, local:PATH, planner:FOLDER or PROVIDER:MODEL, such as openai:gpt-5"
COMPATIBLE = ("openai", "openai-chat")
"""Providers that use `settings.model.base_url` when it is set."""


@dataclass(frozen=True)
class Reply(Generic[R]):
    """An operator's output and what it cost."""

    output: R
    usage: Usage


@dataclass(frozen=True)
class CallLimits:
    """What one call may still spend; None means no limit."""

    tokens: int | None = None
    calls: int | None = None
    seconds: float | None = None


class Model(Protocol):
    """Answers operators. One instance serves many concurrent calls."""

    @property
    def name(self) -> str:
        """Its name in settings and answers, such as `keyless` or `openai:gpt-5`."""
        ...

    @property
    def identity(self) -> str:
        """Everything that determines its output: name, address, sampling parameters, weights. Keys the cache."""
        ...

    @property
    def cacheable(self) -> bool:
        """Whether its replies are worth caching."""
        ...

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call with an output that passed `operator.check`.

        Raises:
            ModelFailed: no usable output; carries the usage already spent.
            BudgetExhausted: `limits` were reached.
            ConfigError: the model cannot be used as configured (no key, unknown name).
        """
        ...

    async def close(self) -> None:
        """Release connections and stop local servers. Safe to call twice."""
        ...
