"""The contract of a model: it answers operators."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable
from urllib.parse import urlsplit

from pydantic import ValidationError

from medground.errors import ModelFailed
from medground.models.operators.base import I, InvalidOutput, O, Operator, OperatorOutput
from medground.values.usage import KEYLESS, Usage

R = TypeVar("R", bound=OperatorOutput)

NAMES = "use keyless, local, local:PATH, planner:FOLDER or PROVIDER:MODEL, such as openai:gpt-5"


def base_address(url: str | None) -> str:
    """The address of a model without user, password, query and fragment; empty if it has none."""
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}" if parts.netloc else ""


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


@runtime_checkable
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

        Raises ModelFailed: no usable output; carries the usage already spent; BudgetExhausted: `limits` were reached;
        ConfigError: the model cannot be used as configured (no key, unknown name).
        """
        ...

    async def close(self) -> None:
        """Release connections and stop local servers. Safe to call twice."""
        ...


class Keyless:
    """Answers without a model, with `operator.keyless`. It is free, so limits do not apply and nothing is cached."""

    name = identity = KEYLESS
    cacheable = False

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one operator call.

        Raises ModelFailed: the output of the operator's function fails the operator's own check.
        """
        try:
            output = operator.keyless(value)
            operator.check(value, output)
        except (InvalidOutput, ValidationError) as error:
            why = str(error) if isinstance(error, InvalidOutput) else "its output is too long; shorten the question"
            raise ModelFailed(f"{operator.name}: {why}", model=self.name, usage=Usage(), unreadable=True) from error
        return Reply(output=output, usage=Usage())

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""
