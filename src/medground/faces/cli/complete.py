"""What the shell offers when Tab is pressed after an option. Nothing here may fail or be slow."""

from __future__ import annotations

from itertools import islice


def corpora(incomplete: str) -> list[str]:
    """Names of the corpora."""
    from medground.corpus.library import Library
    from medground.errors import MedgroundError
    from medground.settings import Settings

    try:
        return _matching(Library(Settings.load().home).list(), incomplete)
    except (MedgroundError, OSError):
        return []


def knowledge_bases(incomplete: str) -> list[str]:
    """Names of the knowledge bases."""
    from medground.errors import MedgroundError
    from medground.kb.bases import Bases
    from medground.settings import Settings

    try:
        return _matching(Bases(Settings.load().home).list(), incomplete)
    except (MedgroundError, OSError):
        return []


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
    from medground.errors import MedgroundError
    from medground.settings import Settings

    try:
        found = list(islice(Answers(Settings.load().home).history(), 20))
    except (MedgroundError, OSError):
        return []
    return [(past.trace_id, past.question[:60]) for past in found if past.trace_id.startswith(incomplete)]


def _matching(names: list[str] | tuple[str, ...], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
