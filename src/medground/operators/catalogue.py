"""All operators by name, for settings that give one to a model."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from medground import operators
from medground.operators.base import Operator
from medground.recipes.base import open_recipe
from medground.recipes.registry import RECIPES


def operator_names() -> tuple[str, ...]:
    """The names of the operators in this folder and of those that recipes declare, in order. It loads all of them."""
    modules = (import_module(f"{operators.__name__}.{one.name}") for one in pkgutil.iter_modules(operators.__path__))
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Operator)]
    declared = [operator for name in RECIPES for operator in open_recipe(name).operators]
    return tuple(sorted({operator.name for operator in (*found, *declared)}))
