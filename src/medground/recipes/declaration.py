"""What a run has to know of the recipe that it follows: names and operators, no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medground.operators.base import Operator
from medground.settings import SettingsSection


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The part of a recipe that is not its algorithm.

    Attributes:
        name: as users write it, such as `self-medrag`.
        operators: everything it may ask a model to do. Asking anything else is an error.
        writers: those of the operators that write an answer; of several, a run asks one.
        reader: the operator that reads quotes and gives each a stance; None where no operator does.
        settings: its own section of the settings, or None. Several recipes may share a section.
        needs_evidence: whether an answer without evidence is an error. False for a model that answers from memory.
    """

    name: str
    operators: tuple[Operator[Any, Any], ...]
    writers: tuple[Operator[Any, Any], ...] = ()
    reader: Operator[Any, Any] | None = None
    settings: type[SettingsSection] | None = None
    needs_evidence: bool = True
