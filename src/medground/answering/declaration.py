"""What a run needs to know about its recipe: names and operators, no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medground.home.settings_groups import SettingsSection
from medground.models.operators.base import Operator


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The part of a recipe that is not its algorithm.

    Attributes:
        name: as users write it, such as `self-medrag`.
        operators: every operator that it may ask; asking another is an error.
        writers: the operators that write an answer. If there are several, a run asks one of them.
        reader: the operator that extracts quotes and gives each a stance, or None.
        settings: its own section of the settings, or None. Recipes may share a section.
        needs_evidence: whether an answer must cite evidence. False for a model that answers from memory.
        researches: whether it follows a plan of research. A question may then bring one, and what its lookups found is
            kept until there is an answer, so that a run that was killed can be gone on with.
    """

    name: str
    operators: tuple[Operator[Any, Any], ...]
    writers: tuple[Operator[Any, Any], ...] = ()
    reader: Operator[Any, Any] | None = None
    settings: type[SettingsSection] | None = None
    needs_evidence: bool = True
    researches: bool = False
