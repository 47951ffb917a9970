"""The header of a run, with everything that could change its results, and how two headers differ."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from medground.answering.declaration import Declaration
from medground.engine.engine import Engine
from medground.home.registry import RECIPES
from medground.home.settings import section_defaults, section_of, shared_now
from medground.version import __version__
from medground_evaluate.items import RunHeader

_LIBRARIES = (
    "faiss-cpu",
    "numpy",
    "onnxruntime",
    "pydantic-ai-slim",
    "scikit-learn",
    "sentence-transformers",
    "tantivy",
    "torch",
    "transformers",
    "xllamacpp",
)
_RECORDED_ONLY = frozenset({"format", "started", "versions", "accepted", "settings_hash", "items"})
ACCEPTABLE = ("dataset_hash", "prompts_hash", "snapshots", "medground")
"""Differences that a user may accept: the same run over changed material or with a changed program."""

_NOT_COMPARED = {"model": ("cache", "concurrency", "default"), "recipe": ("name",)}
"""Settings that affect when a call is made but not its output, and those that the header holds under another name."""

_LONGEST = 60


def make_header(engine: Engine, **chosen: Any) -> RunHeader:
    """The header of a run with this engine; `chosen` are the fields that say what is run (`dataset`, `split`, ...)."""
    settings = engine.settings
    return RunHeader(
        recipe=engine.recipe.name,
        model=settings.model.default,
        settings=settings.as_read_by(engine.recipe.name),
        settings_hash=settings.hash,
        prompts_hash=prompts_hash(engine.recipe),
        snapshots={s.state.name: s.state.hash for s in engine.sources if s.state is not None},
        versions=_versions() | {"model": engine.models.of("").identity},
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        **chosen,
    )


def prompts_hash(recipe: Declaration) -> str:
    """SHA-256 (16 hex digits) over instructions and schemas of all operators that a recipe may ask."""
    content = [
        [one.name, one.instructions, one.input.model_json_schema(), one.output.model_json_schema()]
        for one in sorted(recipe.operators, key=lambda operator: operator.name)
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def differences(old: RunHeader, new: RunHeader) -> dict[str, str]:
    """Name of each field that differs, and the difference in words, such as `limit was 60, is 100`.

    When a run began, and the versions of libraries, are recorded and not compared; Medground's own version is. Between
    two recipes prompts are not compared, and a section that only one of them reads is compared with its defaults.
    """
    first, second = _compared(old), _compared(new)
    if old.recipe != new.recipe:
        del first["prompts_hash"], second["prompts_hash"]
        _fill(first["settings"], second["settings"])
        _fill(second["settings"], first["settings"])
    one, other = (
        {name.removeprefix("settings."): value for name, value in flattened(content).items()}
        for content in (first, second)
    )
    return {
        name: f"{name} was {_shown(one.get(name))}, is {_shown(other.get(name))}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    }


def _fill(settings: dict[str, Any], other: Mapping[str, Any]) -> None:
    """Give settings the defaults of the sections that only the other ones have."""
    for name in other.keys() - settings.keys():
        defaults = section_defaults(name)
        settings[name] = {key: defaults.get(key) for key in other[name]}


def acceptable(name: str) -> bool:
    """Whether a run may resume with this difference if the user accepts it."""
    return name.partition(".")[0] in ACCEPTABLE


def _compared(header: RunHeader) -> dict[str, Any]:
    content = header.model_dump(mode="json", exclude=set(_RECORDED_ONLY))
    content["settings"] = shared_now(content["settings"])
    for group, names in _NOT_COMPARED.items():
        for name in names:
            content["settings"].get(group, {}).pop(name, None)
    own = section_of(header.recipe)
    for name in RECIPES:  # runs made before recipes declared their sections recorded those of all recipes
        if (other := section_of(name)) is not None and (own is None or other.section != own.section):
            content["settings"].pop(other.section, None)
    content["medground"] = header.versions.get("medground")
    return content


def flattened(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of nested groups, by dotted name."""
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat |= flattened(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return flat


def _shown(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    found = []
    for name in _LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)


def _versions() -> dict[str, str]:
    return {"medground": __version__, "python": platform.python_version(), **dict(_installed())}
