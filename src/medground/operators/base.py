"""What an operator is: the only way to a language model, as a typed function.

An operator names its input and output types, carries its instructions as text, and has an implementation in plain
Python (`keyless`) that is used when no model was named. Recipes call `run.ask(operator, value)` and never see who
answers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

I = TypeVar("I", bound="OperatorInput")  # noqa: E741
O = TypeVar("O", bound="OperatorOutput")  # noqa: E741

NONE = "(none)"
"""How a prompt shows an absent or empty value."""

# Control characters, lone surrogates, non-characters, and the tag block, which can hide instructions from people.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]")


class OperatorInput(BaseModel):
    """Base of operator inputs. Fields typed `Untrusted` hold text that others wrote: data, never instructions."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OperatorOutput(BaseModel):
    """Base of operator outputs: what a model has to fill in."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WeighedOutput(OperatorOutput):
    """An output with one field, `weighed`, of a few fixed texts, whose probabilities are worth having.

    A model is not shown `probabilities`, and what it writes there is discarded: they are measured, where a server
    gives log-probabilities, by value of the field; those of values that were not seen are left out.
    """

    weighed: ClassVar[str]
    probabilities: SkipJsonSchema[dict[str, float]] = Field(default_factory=dict)


class _UntrustedMark:
    """Marks a string field as text from a document, the web or another model."""


Untrusted = Annotated[str, _UntrustedMark()]


SHORT = 100
"""Characters of a reason in a few words."""


def _cut(text: Any) -> Any:
    return text[:SHORT] if isinstance(text, str) else text


FewWords = Annotated[str, BeforeValidator(_cut), Field(max_length=SHORT)]
"""A reason that is kept short: by the schema where a model is held to it, by cutting where not. A reason is shown and
never used, so a long one is no cause to ask again."""


class InvalidOutput(ValueError):
    """A model's output has the right shape and a wrong content, such as an unknown id. The model is asked again."""


def accept_anything(value: Any, output: Any) -> None:
    """The check of an operator whose output needs none beyond its type."""


class AtMostOne(tuple[str, ...]):
    """Choices of a list that may name one of them or none, such as the answers to a question with one answer."""


def leave_open(value: Any) -> Mapping[str, tuple[str, ...]]:
    """The choices of an operator whose fields may hold anything of their type."""
    return {}


@dataclass(frozen=True)
class Operator(Generic[I, O]):
    """One thing that a language model can be asked to do.

    Attributes:
        name: stable name; settings give a model to an operator by it (`--set model.operators.write=...`).
        instructions: the system prompt, in our words; changing it changes the cache key.
        input: type of the input.
        output: type of the output, constrained when the model writes it.
        keyless: answers without a model, deterministic and fast.
        choices: for an input, the values that a field of the output, or each item of it, may have, by field name: ids
            that were given; `AtMostOne` of them where a list may not name several. Models that can be held to them
            are; `check` says it to the others.
        check: raises `InvalidOutput` when the output does not fit the input (an unknown id, an empty sentence).
    """

    name: str
    instructions: str
    input: type[I]
    output: type[O]
    keyless: Callable[[I], O]
    check: Callable[[I, O], None] = accept_anything
    choices: Callable[[I], Mapping[str, tuple[str, ...]]] = leave_open

    def prompt(self, value: I) -> str:
        """The user prompt: one delimited block per field; untrusted text cannot close its block."""
        return "\n\n".join(_block(name, getattr(value, name)) for name in type(value).model_fields)


def _block(name: str, value: object) -> str:
    return f"<{name}>\n{_inner(value)}\n</{name}>"


def _inner(value: object) -> str:
    if isinstance(value, BaseModel):
        fields = ((name, getattr(value, name)) for name in type(value).model_fields)
        return "\n".join(f"<{name}>{_inner(v)}</{name}>" for name, v in fields if not _absent(v))
    if isinstance(value, Mapping):
        return _items(f"<key>{_inner(k)}</key>\n<value>{_inner(v)}</value>" for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return _items(sorted(map(_inner, value)))  # in one order, so that equal inputs have one cache key
    if isinstance(value, (tuple, list)):
        return _items(map(_inner, value))
    if value is None:
        return NONE
    return _escaped(str(value.value if isinstance(value, Enum) else value))


def _items(parts: Iterable[str]) -> str:
    return "\n".join(f"<item>\n{part}\n</item>" for part in parts) or NONE


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, Sized) and len(value) == 0)


def _escaped(text: str) -> str:
    """Text that can neither write a tag nor hide anything from a reader of the prompt.

    Every string is escaped, not only the untrusted ones; operators answer with ids, so nothing has to be read back
    letter by letter.
    """
    return html.escape(_UNSEEN.sub(" ", text), quote=False)
