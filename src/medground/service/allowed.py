"""Which settings a client may send with a question: numbers, switches and named choices, and never a place or a name.

A path, an address, a model, a key, or whose verdicts count, is for whoever runs the server to say.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from medground.errors import ConfigError, UsageError
from medground.settings import RecipeSettings, Settings, VerifySettings, section_of

Value = bool | int | float | str | tuple[str, ...] | None
MOST = 10_000
"""The highest number of a setting that is not a budget: a million rounds are an attack."""

_RETRIEVAL = ("depth", "keep", "fusion_k", "dense")
_BUDGET = ("tokens", "calls", "seconds", "money")
_NAMES_OF_SOURCES = frozenset(["omni_rag.only", "omni_rag.without", "biomedsearch.without"])
"""Lists that are only compared with the names of sources that are open."""
_CRITICS = ("entail", "critic", "label")
"""The critics that no path and no hub is behind."""


def allowed_keys(recipe: str) -> tuple[str, ...]:
    """The settings that a question with this recipe may change, in order."""
    own = section_of(recipe)
    shared: tuple[tuple[str, type[BaseModel]], ...] = (("recipe", RecipeSettings), ("verify", VerifySettings))
    groups = (*shared, (own.section, own)) if own else shared
    keys = [f"{group}.{name}" for group, kind in groups for name in kind.model_fields if _may(group, name, kind)]
    retrieval = [f"retrieval.{name}" for name in _RETRIEVAL]
    return (*keys, *retrieval, *(f"budget.{name}" for name in _BUDGET))


def allowed_changes(asked: Mapping[str, Value], recipe: str, settings: Settings) -> dict[str, Any]:
    """The settings that a question changes, each checked; a budget only becomes lower than that of `settings`.

    Raises:
        UsageError: a setting is not for clients to change, or its value is wrong.
    """
    known = allowed_keys(recipe)
    changes: dict[str, Any] = {}
    for key, value in asked.items():
        if key not in known:
            raise UsageError(f"{key[:80]!r} is not a setting that a question can change; use one of {', '.join(known)}")
        if key == "verify.critic" and value not in _CRITICS:
            raise UsageError(f"{key} takes one of {', '.join(_CRITICS)}")
        if not key.startswith("budget.") and isinstance(value, int | float) and abs(value) > MOST:
            raise UsageError(f"{key} takes at most {MOST:,}")
        changes[key] = value
    try:
        with_them = settings.with_options({"recipe.name": recipe, **changes})
    except ConfigError as error:
        raise UsageError(str(error).replace(" (from the options)", "").partition("; see medground")[0]) from None
    for name in _BUDGET:
        if (wanted := getattr(with_them.budget, name)) is not None and f"budget.{name}" in changes:
            own = getattr(settings.budget, name)
            changes[f"budget.{name}"] = wanted if own is None else min(own, wanted)
    return {key: value for key, value in changes.items() if not key.startswith("budget.") or value is not None}


def _may(group: str, name: str, kind: type[BaseModel]) -> bool:
    key = f"{group}.{name}"
    if key == "recipe.name":  # a field of its own
        return False
    return key in _NAMES_OF_SOURCES or key == "verify.critic" or _closed(kind.model_fields[name].annotation)


def _closed(annotation: Any) -> bool:
    """Whether a field holds nothing but numbers, switches and named choices."""
    if annotation in (bool, int, float, Decimal, type(None), Ellipsis):
        return True
    origin = get_origin(annotation)
    if origin is Literal:
        return True
    if origin in (Union, types.UnionType, tuple):
        return all(_closed(part) for part in get_args(annotation))
    return False
