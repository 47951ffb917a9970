"""The names that a room exports: those of its stub `__init__.pyi`, each loaded from its module on first use.

Other programs use a room by these names, `from medground.corpus import Library`; within `medground`, a module imports
the module that it needs. So nothing is loaded that is not used, and type checkers, `dir` and Tab read the same list.
"""

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any


def exported(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package with a stub, which only imports: `from MODULE import NAME as NAME`."""

    @cache
    def places() -> dict[str, tuple[str, str]]:
        stub = ast.parse((files(package) / "__init__.pyi").read_text(encoding="utf-8"))
        found = ((node.module, alias) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names)
        return {alias.asname: (module, alias.name) for module, alias in found if module and alias.asname}

    def names() -> list[str]:
        return [*places()]

    def get(name: str) -> Any:
        if name == "__all__":
            return names()
        if name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = places()[name]
        found = None if module == package else import_module(module)
        return getattr(found, own) if hasattr(found, own) else import_module(f"{module}.{own}")  # a whole module

    return get, names
