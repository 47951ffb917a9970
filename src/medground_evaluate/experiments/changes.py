"""What changes a row from outside its file: refused from the environment and `medground.toml`, shown from `--set`.

A figure stands in a table under its row's name, so it must come from the settings that the row names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medground.errors import ConfigError
from medground.home.layers import FILE_NAME, PREFIX
from medground.home.settings import Settings

_REACHING = frozenset(
    {"model.base_url", "model.cache", "model.concurrency", "model.retries", "model.timeout", "retrieval.email"}
)
"""How a model or a service is reached. These may come from outside."""


def load_declared(preset: str | None, chosen: Mapping[str, Any]) -> Settings:
    """The settings of a row, with what the environment and `medground.toml` say about how services are reached.

    Raises:
        ConfigError: a preset or setting does not exist, or environment or file would change what the row is.
    """
    used = Settings.load(preset=preset, options=chosen)
    changed = _differing(_alone(preset, chosen), used)
    if not changed:
        return used
    raise ConfigError(
        f"{FILE_NAME} or {PREFIX}... in the environment would change this row: {', '.join(_shown(changed))}; "
        "remove it there, or change the row openly with --set"
    )


def changes(preset: str | None, chosen: Mapping[str, Any], sets: Mapping[str, Any]) -> tuple[str, ...]:
    """What `--set` changes of a row: `retrieval.keep = 3`.

    Raises:
        ConfigError: a preset or setting does not exist.
    """
    return _shown(_differing(_alone(preset, chosen), _alone(preset, {**chosen, **sets})))


def _alone(preset: str | None, chosen: Mapping[str, Any]) -> Settings:
    return Settings.load(preset=preset, file=Path(os.devnull), environ={}, options=chosen)


def _differing(named: Settings, used: Settings) -> dict[str, str]:
    before, after = _flat(_read(named)), _flat(_read(used))
    names = sorted((before.keys() | after.keys()) - _REACHING)
    return {name: after.get(name, "the default") for name in names if before.get(name) != after.get(name)}


def _shown(changed: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name} = {value}" for name, value in changed.items())


def _read(settings: Settings) -> dict[str, Any]:
    """What the recipe reads, and the folder of replies that stand for the network, which is no part of the hash."""
    content = settings.as_read_by(settings.recipe.name)
    content["retrieval"]["replay"] = str(settings.retrieval.replay or "")
    return content


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in content.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = json.dumps(value, ensure_ascii=False)
    return flat
