"""What an operator is: the only way to a language model, as a typed function.

An operator names its input and output types, carries its instructions as text, and has an implementation in plain
Python (`keyless`) that is used when no model was named. Recipes call `run.ask(operator, value)` and never see who
answers.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

I = TypeVar("I", bound="OperatorInput")  # noqa: E741
O = TypeVar("O", bound="OperatorOutput")  # noqa: E741


class OperatorInput(BaseModel):
    """Base of operator inputs. Fields typed `Untrusted` hold text that others wrote: data, never instructions."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OperatorOutput(BaseModel):
    """Base of operator outputs: what a model has to fill in."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _UntrustedMark:
    """Marks a string field as text from a document, the web or another model."""


Untrusted = Annotated[str, _UntrustedMark()]


class InvalidOutput(ValueError):
    """A model's output has the right shape and a wrong content, such as an unknown id. The model is asked again."""


def accept_anything(value: Any, output: Any) -> None:
    """The check of an operator whose output needs none beyond its type."""


@dataclass(frozen=True)
class Operator(Generic[I, O]):
    """One thing that a language model can be asked to do.

    Attributes:
        name: stable name; settings give a model to an operator by it (`--set model.operators.write=...`).
        instructions: the system prompt, in our words; changing it changes the cache key and the settings hash.
        input: type of the input.
        output: type of the output, constrained when the model writes it.
        keyless: answers without a model, deterministic and fast.
        check: raises `InvalidOutput` when the output does not fit the input (an unknown id, an empty sentence).
    """

    name: str
    instructions: str
    input: type[I]
    output: type[O]
    keyless: Callable[[I], O]
    check: Callable[[I, O], None] = accept_anything

    def prompt(self, value: I) -> str:
        """The user prompt: one delimited block per field; untrusted text cannot close its block."""
        return "\n\n".join(_block(name, getattr(value, name)) for name in type(value).model_fields)


def _block(name: str, value: object) -> str:
    return f"<{name}>\n{_inner(value)}\n</{name}>"


def _inner(value: object) -> str:
    # Escaping every string, not only the untrusted ones, leaves no way to write a tag; operators answer with ids,
    # so nothing has to be read back letter by letter.
    if isinstance(value, BaseModel):
        return "\n".join(
            f"<{n}>{_inner(getattr(value, n))}</{n}>"
            for n in type(value).model_fields
            if getattr(value, n) not in (None, "", ())
        )
    if isinstance(value, (tuple, list)):
        return "\n".join(f"<item>\n{_inner(v)}\n</item>" for v in value) or "(none)"
    return html.escape(str(value), quote=False)
