"""Opens every model that the settings name, and no other."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from medground.author import KEYLESS
from medground.errors import ConfigError
from medground.models.base import COMPATIBLE, NAMES, Model
from medground.models.cache import CallCache
from medground.models.keyless import Keyless
from medground.models.registry import Models
from medground.settings import Settings


def own_address(name: str, settings: Settings) -> str:
    """The address that the settings give a model, without user and password; empty for its provider's own."""
    if name.partition(":")[0] not in COMPATIBLE or not settings.model.base_url:
        return ""
    parts = urlsplit(settings.model.base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def open_models(settings: Settings, operators: Iterable[str]) -> Models:
    """Open the models that the settings name. Nothing is called, started or downloaded yet.

    A key in the environment does not select a model: unless the settings name one, `keyless` answers.

    Args:
        settings: the models (`settings.model`), keys, and the home folder, which holds the call cache.
        operators: the names of all operators, which `settings.model.operators` may use.

    Raises:
        ConfigError: an operator or model is unknown, or a key or extra is missing; one line lists all problems.
    """
    valid = sorted(operators)
    problems = [
        f"model.operators.{name} is not an operator; available: {', '.join(valid)}"
        for name in sorted(settings.model.operators.keys() - set(valid))
    ]
    models: dict[str, Model] = {}
    for name in sorted({settings.model.default, *settings.model.operators.values()}):
        try:
            models[name] = _open(name, settings)
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("; ".join(problems))
    return Models(
        settings.model.default,
        settings.model.operators,
        models,
        cache=CallCache(settings.home / "cache" / "calls") if settings.model.cache else None,
        concurrency=settings.model.concurrency,
    )


def _open(name: str, settings: Settings) -> Model:
    if name == KEYLESS:
        return Keyless()
    if name.partition(":")[0] == "local":
        from medground.models.local import open_local

        return open_local(name, settings)
    if name.startswith("planner:"):
        from medground.models.planner import open_planner_model

        return open_planner_model(name)
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise ConfigError(f"unknown model {name!r}; {NAMES}")
    try:
        from medground.models.hosted import open_hosted
    except ImportError:
        raise ConfigError(f'model {name!r} needs the extra "models": pip install "medground[models]"') from None
    return open_hosted(name, settings)
