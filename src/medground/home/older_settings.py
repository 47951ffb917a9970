"""Settings that an older version kept with an answer, as far as this version still has them."""

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from medground.home.settings import Settings, section_called

log = logging.getLogger(__name__)

_RENAMED: Mapping[tuple[str, str], Mapping[str, str | None]] = {
    ("verify", "critic"): {"entail": "check"},
    ("retrieval", "knowledge_base"): {"": None},
}
"""Choices that have another name since."""


def still_known(groups: Mapping[str, Any]) -> dict[str, Any]:
    """Kept groups of settings without those that this version does not have; a warning names what is left out."""
    found: dict[str, Any] = {}
    gone: list[str] = []
    for group, values in groups.items():
        kind = _kind_of(group)
        if kind is None:
            gone.append(group)
        elif isinstance(values, Mapping) and isinstance(kind, type) and issubclass(kind, BaseModel):
            renamed = {name: _renamed(group, name, value) for name, value in values.items()}
            found[group] = _valid(kind, renamed)
            gone += [f"{group}.{name}" for name in renamed.keys() - found[group].keys()]
        else:
            found[group] = values
    if gone:
        log.warning("this version has no such settings, so its own apply: %s", ", ".join(sorted(gone)))
    return found


def _kind_of(group: str) -> Any:
    field = Settings.model_fields.get(group)
    return field.annotation if field else section_called(group)


def _renamed(group: str, name: str, value: Any) -> Any:
    choices = _RENAMED.get((group, name), {})
    return choices.get(value, value) if isinstance(value, str) else value


def _valid(kind: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    try:
        kind.model_validate(values)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors() if problem["loc"]}
        return {name: value for name, value in values.items() if name not in wrong}
    return dict(values)
