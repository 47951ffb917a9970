"""Who answered: a model that read the text, or the program's own word statistics."""

from __future__ import annotations

from dataclasses import dataclass

KEYLESS = "keyless"
"""Settings and answers call the program's own code by this name. No other file compares a name with it."""


@dataclass(frozen=True)
class Author:
    """Whoever answered an operator, judged a statement or gave a label, by the name that settings use."""

    name: str

    @property
    def is_model(self) -> bool:
        """Whether a model read the text; False for word statistics."""
        return self.name != KEYLESS
