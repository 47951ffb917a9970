"""The layers that settings come from: a preset, a file, the environment, options; and which layer set a wrong value."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.errors import ConfigError
from medground.home.files import parsed_toml, tables

# What is wrong with values that were sent, in our words and in one line, without the values themselves.

_LONGEST = 300
"""Characters of a message about one field."""
_PLACES = ("body", "query", "path", "header")
"""Where a framework found a field; its name says enough."""

_SAYS: Mapping[str, str] = tables("home", "wrong_values")


def wrong_values(errors: Sequence[Mapping[str, Any]], most: int = 5) -> str:
    """The first wrong values of a `ValidationError` in one line, such as `limit: too large; use 50 or less`."""
    told = list(dict.fromkeys(map(wrong_value, errors)))
    more = len(told) - most
    return "; ".join(told[:most]) + (f"; and {more} more" if more > 0 else "")


def wrong_value(error: Mapping[str, Any]) -> str:
    """One wrong value, with the place where it stands."""
    given = error["loc"][1:] if len(error["loc"]) > 1 and error["loc"][0] in _PLACES else error["loc"]
    # names of fields only: those of unknown ones may be long, and those of types in a union say nothing to a user
    place = ".".join(name for part in given if "[" not in (name := str(part)[:60]))
    if error["type"] in ("string_too_short", "missing") and place.rpartition(".")[2] == "question":
        return "the question is empty; write it in words"
    what = what_is_wrong(error)
    return f"{place}: {what}" if place else what


def what_is_wrong(error: Mapping[str, Any]) -> str:
    """What is wrong with one value, and what to give instead; without its place."""
    context = error.get("ctx", {})
    if error["type"] == "string_too_short":
        least = context["min_length"]
        return "empty; fill it in or leave it out" if least == 1 else f"too short; give at least {least:,} characters"
    if words := _SAYS.get(error["type"]):
        return words.format(**context)
    return str(error["msg"]).removeprefix("Value error, ")[:_LONGEST]


_PART = re.compile(r'"([^"]*)"|([^."]+)')
"""A part of a dotted name; one with dots stands in quotes: `models."openai:qwen2.5".base_url`."""
PREFIX = "MEDGROUND_"
FILE_NAME = "medground.toml"
_PRESETS = resources.files("medground") / "presets"

_GROUP = "is a group of settings, not a value"
ALSO = {"top_k": "keep", "fetch_k": "depth", "rrf_k": "fusion_k"}
"""Names of settings as other libraries have them, and ours."""
NOT_A_SETTING = "is not a setting"
_PROBLEMS = {"extra_forbidden": NOT_A_SETTING, "model_type": _GROUP, "dict_type": _GROUP}
"""What is wrong, by pydantic's type of error, where a setting needs words of its own."""

Layer = tuple[str, dict[str, Any]]
"""Where values come from, in words, and the values."""
Names = Callable[[bool], list[str]]
"""The names of all settings, or of their groups."""


def preset_names() -> list[str]:
    """Names of the built-in presets."""
    return sorted(path.name.removesuffix(".toml") for path in _PRESETS.iterdir() if path.name.endswith(".toml"))


def preset_layer(name: str, *, alone: bool = False) -> dict[str, Any]:
    """The values of a built-in preset, over those of the preset that it names with `preset`, such as an ablation.

    `alone`: without those.

    Raises ConfigError: there is no preset of that name.
    """
    if name not in preset_names():
        raise ConfigError(f"unknown preset {name!r}; choose one of {', '.join(preset_names())}")
    own = tomllib.loads((_PRESETS / f"{name}.toml").read_text(encoding="utf-8"))
    base = own.pop("preset", None)
    values = preset_layer(base) if base and not alone else {}
    merge(values, own)
    return values


def file_layer(path: Path) -> dict[str, Any]:
    """The values of a settings file in TOML. Raises ConfigError: the file is missing or cannot be read."""
    try:
        return parsed_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no settings file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None


def environment_layer(environ: Mapping[str, str]) -> dict[str, Any]:
    """The values of variables such as `MEDGROUND_RECIPE__ROUNDS=2`."""
    named = {name.removeprefix(PREFIX): value for name, value in environ.items() if name.startswith(PREFIX) and value}
    return options_layer({name.lower().replace("__", "."): _parsed(value) for name, value in named.items()})


def parse_options(options: Sequence[str]) -> dict[str, Any]:
    """`["recipe.rounds=2"]` as `{"recipe.rounds": 2}`. Raises ConfigError: an option has no `=`."""
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
        _put(found, [quoted or plain for quoted, plain in _PART.findall(key)], value)
    return found


def _parsed(value: str) -> Any:
    """A TOML value when it is one (`2`, `true`, `["a"]`), else the text itself."""
    try:
        return parsed_toml(f"v = {value}")["v"]
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
    for given, value in over.items():
        key = ALSO.get(given, given)
        if isinstance(value, Mapping):
            former = base.get(key)
            base[key] = former if isinstance(former, dict) else {}
            merge(base[key], value)
        else:
            base[key] = value


def first_problem(error: ValidationError, layers: list[Layer], names: Names, within: str = "") -> str:
    """The first problem of a validation, in one line with the layer that caused it; `within` is the group validated."""
    first = error.errors(include_input=False, include_url=False)[0]
    path = [str(part) for part in ((within,) if within else ()) + first["loc"]]
    return problem(path, _PROBLEMS.get(first["type"]) or what_is_wrong(first), layers, names)


def problem(path: list[str], what: str, layers: list[Layer], names: Names = lambda deep: []) -> str:
    """What is wrong with one setting, with the layer that set it; of an unknown one, the nearest of `names`."""
    origin = next((name for name, layer in reversed(layers) if _has(layer, path)), "the settings")
    if what == NOT_A_SETTING:
        near = get_close_matches(".".join(path), names(len(path) > 1), 1)
        what += f"; did you mean {near[0]}?" if near else ""
    return f"{'.'.join(path)} (from {origin}): {what}[[; see medground config show||]]"


def _has(layer: Mapping[str, Any], path: list[str]) -> bool:
    here: Any = layer
    for name in path:
        if not isinstance(here, Mapping) or name not in here:
            return False
        here = here[name]
    return True
