"""All operators by name, for settings that give one to a model."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from medground import operators
from medground.operators.base import Operator


@cache
def operator_names() -> tuple[str, ...]:
    """The names of the operators in every module of this folder, in alphabetical order. It loads all of them."""
    modules = (import_module(f"{operators.__name__}.{one.name}") for one in pkgutil.iter_modules(operators.__path__))
    return tuple(
        sorted({value.name for module in modules for value in vars(module).values() if isinstance(value, Operator)})
    )
