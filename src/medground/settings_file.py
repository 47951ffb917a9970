"""A settings file to begin with: every setting with its default, as a comment."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from medground.recipes.registry import RECIPES
from medground.settings import Settings, SettingsSection
from medground.sources.registry import SOURCES

_HEAD = """\
# Settings of Medground, read from the folder where you work; `--settings FILE` names another file.
# Each setting is shown with its default. Remove the `#` before a setting to change it; `medground config show` prints
# what applies."""
_WIDTH = 118


def settings_file() -> str:
    """All settings and sections with their defaults, as comments; read back, it changes nothing."""
    groups = [(name, field.annotation) for name, field in Settings.model_fields.items()]
    shared = [(name, kind) for name, kind in groups if isinstance(kind, type) and issubclass(kind, BaseModel)]
    blocks = [_group(name, kind) for name, kind in (*shared, *((kind.section, kind) for kind in _sections()))]
    home = "# home: the folder of everything that is yours (default: not set; MEDGROUND_HOME sets it too)"
    return "\n\n".join([_HEAD, home, *blocks]) + "\n"


def _sections() -> list[type[SettingsSection]]:
    """The sections that recipes and sources declare, each once."""
    found = (_section(place) for place in [*RECIPES.values(), *SOURCES.values()])
    return list(dict.fromkeys(kind for kind in found if kind is not None))


def _section(place: str) -> type[SettingsSection] | None:
    """The section that is declared at `module:constant`, if any; None, too, if what it imports is not installed."""
    module, _, constant = place.partition(":")
    try:
        declared = import_module(module)
    except ModuleNotFoundError:  # of an extra: its settings could not be used
        return None
    section: type[SettingsSection] | None = getattr(declared, constant).settings
    return section


def _group(name: str, kind: type[BaseModel]) -> str:
    about = " ".join((kind.__doc__ or "").split()) if "__doc__" in vars(kind) else ""
    return "\n".join([*_comment(about), f"[{name}]", *_fields(kind)])


def _fields(kind: type[BaseModel]) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        default = field.get_default(call_default_factory=True)
        about = "; ".join(filter(None, [field.description, _choices(field.annotation)]))
        if default is None:  # TOML has no value for it
            yield from _comment(f"{name}: {about} (default: not set)" if about else f"{name}: (default: not set)")
        else:
            yield from _comment(about)
            yield f"#{name} = {_toml(default)}"


def _choices(annotation: Any) -> str:
    values = get_args(annotation) if "Literal" in str(get_origin(annotation)) else ()
    return f"one of {', '.join(values)}" if values and all(isinstance(v, str) for v in values) else ""


def _toml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(k)} = {_toml(v)}' for k, v in value.items())} }}" if value else "{}"
    return json.dumps(value) if isinstance(value, (str, bool)) else str(value)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")
