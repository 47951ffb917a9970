"""The instructions of the evaluation's operators, by their names."""

import tomllib
from importlib.resources import files

from medground.models import DATA_RULE

_TEXTS = tomllib.loads((files(__package__) / "prompts.toml").read_text(encoding="utf-8"))
PROMPTS = {name: f"{text} {DATA_RULE}" for name, text in _TEXTS.items()}
