"""Templates of pages (Jinja2): only a template holds markup, every value is cleaned of control codes and escaped."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from medground.text.clean import clean


@cache
def template(package: str, name: str) -> Template:
    """A template beside the code of a package, which renders to markup."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown)
    return environment.from_string((resources.files(package) / name).read_text(encoding="utf-8"))


def _shown(value: Any) -> Any:
    return value if isinstance(value, Markup) else clean(str(value))
