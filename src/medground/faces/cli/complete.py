"""What the shell offers when Tab is pressed after an option. Nothing here may fail or be slow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def corpora(incomplete: str) -> list[str]:
    """Names of the corpora."""
    from medground.corpus.library import Library

    return _matching(_kept(lambda home: Library(home).list()), incomplete)


def knowledge_bases(incomplete: str) -> list[str]:
    """Names of the knowledge bases."""
    from medground.kb.bases import Bases

    return _matching(_kept(lambda home: Bases(home).list()), incomplete)


def recipes(incomplete: str) -> list[str]:
    """Names of the recipes."""
    from medground.recipes.registry import RECIPES

    return _matching(list(RECIPES), incomplete)


def presets(incomplete: str) -> list[str]:
    """Names of the presets."""
    from medground.layers import preset_names

    return _matching(preset_names(), incomplete)


def formats(incomplete: str) -> list[str]:
    """Formats of an export."""
    from typing import get_args

    from medground.export import Format

    return _matching(get_args(Format), incomplete)


def answers(incomplete: str) -> list[tuple[str, str]]:
    """The latest answers, by trace id and question."""
    from medground.answers import Answers

    found = _kept(lambda home: islice(Answers(home).history(), 20))
    return [(past.trace_id, past.question[:60]) for past in found if past.trace_id.startswith(incomplete)]


def _kept(read: Callable[[Path], Iterable[T]]) -> list[T]:
    """What is read of the user's folder; nothing where that fails."""
    from medground.errors import MedgroundError
    from medground.settings import Settings

    try:
        return list(read(Settings.load().home))
    except (MedgroundError, OSError):
        return []


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
