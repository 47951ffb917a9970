"""All operators by name, for settings and checks."""

from __future__ import annotations

from medground.operators.reading import extract, screen, sufficient
from medground.operators.verifying import entail
from medground.operators.writing import write

OPERATORS: tuple[str, ...] = tuple(sorted(o.name for o in (screen, extract, sufficient, write, entail)))
