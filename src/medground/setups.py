"""What answers single questions of an open engine that name another recipe, model or setting."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from medground.errors import UsageError
from medground.models.registry import Models
from medground.opening import Setup, check_sources, set_up
from medground.settings import KeySettings, Settings
from medground.sources.base import Source

_FIXED = ("corpora", "sources", "pubmed", "email", "dense", "replay", "record")
"""Settings of retrieval that are used once, when the sources are opened."""


class Setups:
    """Opens each further model once, and closes all of them with the engine."""

    def __init__(self) -> None:
        self._models: dict[tuple[str, KeySettings], Models] = {}
        self._opening = asyncio.Lock()
        self._closed = False

    async def changed(self, own: Setup, changes: Mapping[str, Any], sources: Sequence[Source]) -> Setup:
        """The engine's own setup with some settings changed, checked against its sources.

        Raises:
            ConfigError: an unknown setting, or a model, reranker or critic that cannot be used.
            UsageError: an unknown recipe, a setting that is fixed once an engine is open, or the engine was closed.
        """
        chosen = own.settings.with_options(changes)
        fixed = _fixed(own.settings)
        for name, value in _fixed(chosen).items():
            if value != fixed[name]:
                raise UsageError(f"{name} is fixed once an engine is open; open another engine for it")
        if (chosen.served, chosen.keys) == (own.settings.served, own.settings.keys):
            return await _checked(chosen, own.models, sources)
        key = (chosen.served.model_dump_json(), chosen.keys)
        async with self._opening:  # questions that ask for the same model open it once
            setup = await _checked(chosen, self._models.get(key), sources)
            if self._closed:
                await setup.models.close()
                raise UsageError("this engine is closed; open another one with Engine.open")
            self._models[key] = setup.models
        return setup

    async def close(self) -> None:
        """Close every model that was opened here. Safe to call twice."""
        self._closed = True
        for models in self._models.values():
            await models.close()


async def _checked(settings: Settings, models: Models | None, sources: Sequence[Source]) -> Setup:
    """What answers with these settings, checked; new models are closed where the check fails."""
    setup = await set_up(settings, models)
    try:
        await check_sources(setup, sources)
    except BaseException:
        if models is None:
            await setup.models.close()
        raise
    return setup


def _fixed(settings: Settings) -> dict[str, object]:
    """What is used once, when the engine is opened."""
    sections: dict[str, object] = {kind.section: settings.section(kind) for kind in settings.source_sections()}
    of_retrieval = {f"retrieval.{name}": getattr(settings.retrieval, name) for name in _FIXED}
    return {**of_retrieval, **sections, "keys": _of_sources(settings.keys), "home": settings.home}


def _of_sources(keys: KeySettings) -> tuple[object, ...]:
    """The keys of services that are searched."""
    return keys.ncbi, keys.sciencedirect, keys.google_search, keys.brave
