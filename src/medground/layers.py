"""The layers that settings come from: a preset, a file, the environment, options; and which layer set a wrong value."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.errors import ConfigError
from medground.wrong_values import what_is_wrong

PREFIX = "MEDGROUND_"
FILE_NAME = "medground.toml"

_GROUP = "is a group of settings, not a value"
_PROBLEMS = {"extra_forbidden": "is not a setting", "model_type": _GROUP, "dict_type": _GROUP}
"""What is wrong, by pydantic's type of error, where a setting needs words of its own."""

Layer = tuple[str, dict[str, Any]]
"""Where values come from, in words, and the values."""


def preset_names() -> list[str]:
    """Names of the built-in presets."""
    folder = resources.files("medground") / "presets"
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))


def preset_layer(name: str) -> dict[str, Any]:
    """The values of a built-in preset, over those of the preset that it names with `preset`, such as an ablation.

    Raises:
        ConfigError: there is no preset of that name.
    """
    if name not in preset_names():
        raise ConfigError(f"unknown preset {name!r}; choose one of {', '.join(preset_names())}")
    text = (resources.files("medground") / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    own = tomllib.loads(text)
    base = own.pop("preset", None)
    values = preset_layer(base) if base else {}
    merge(values, own)
    return values


def file_layer(path: Path) -> dict[str, Any]:
    """The values of a settings file in TOML.

    Raises:
        ConfigError: the file is missing or cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no settings file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None


def environment_layer(environ: Mapping[str, str]) -> dict[str, Any]:
    """The values of variables such as `MEDGROUND_RECIPE__ROUNDS=2`."""
    found: dict[str, Any] = {}
    for name, value in environ.items():
        if name.startswith(PREFIX) and value:
            _put(found, name.removeprefix(PREFIX).lower().split("__"), _parsed(value))
    return found


def parse_options(options: Sequence[str]) -> dict[str, Any]:
    """`["recipe.rounds=2"]` as `{"recipe.rounds": 2}`.

    Raises:
        ConfigError: an option has no `=`.
    """
    pairs: dict[str, Any] = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign:
            raise ConfigError(f"{option!r} is not KEY=VALUE, such as recipe.rounds=2")
        pairs[key.strip()] = _parsed(value.strip())
    return pairs


def options_layer(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of options with dotted names, such as `{"recipe.rounds": 2}`."""
    found: dict[str, Any] = {}
    for key, value in options.items():
        _put(found, key.split("."), value)
    return found


def _parsed(value: str) -> Any:
    """A TOML value when it is one (`2`, `true`, `["a"]`), else the text itself."""
    try:
        return tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return value


def _put(target: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            raise ConfigError(f"setting {'.'.join(path)} is given twice, as a value and as a group")
    target[path[-1]] = value


def merge(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Put the values of a later layer over those of earlier ones, group by group."""
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = dict(value) if isinstance(value, Mapping) else value


def first_problem(error: ValidationError, layers: list[Layer], within: str = "") -> str:
    """The first problem of a validation, in one line with the layer that caused it; `within` is the group validated."""
    first = error.errors(include_input=False, include_url=False)[0]
    path = [str(part) for part in ((within,) if within else ()) + first["loc"]]
    return problem(path, _PROBLEMS.get(first["type"]) or what_is_wrong(first), layers)


def problem(path: list[str], what: str, layers: list[Layer]) -> str:
    """What is wrong with one setting, with the layer that set it."""
    origin = next((name for name, layer in reversed(layers) if _has(layer, path)), "the settings")
    return f"{'.'.join(path)} (from {origin}): {what}; see medground config show"


def _has(layer: Mapping[str, Any], path: list[str]) -> bool:
    here: Any = layer
    for name in path:
        if not isinstance(here, Mapping) or name not in here:
            return False
        here = here[name]
    return True
