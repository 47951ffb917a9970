"""The settings that made the kept answers: one small file for each hash, so that a question can be asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medground.errors import UsageError
from medground.home.files import keep_private, tell_not_kept
from medground.home.settings import Settings
from medground.values.answer import Answer


def keep_settings(settings: Settings) -> None:
    """Store what the recipe read, by its hash; no secret and no path is in it. If that fails, it is logged."""
    path = _path(settings.home, settings.hash)
    if path.is_file():
        return
    try:
        keep_private(path, json.dumps(settings.as_read_by(settings.recipe.name), indent=1))
    except OSError as error:
        tell_not_kept(path, error)


def settings_of(answer: Answer, now: Settings) -> Settings:
    """The settings that made an answer, with the home folder, keys and collector of the settings of `now`.

    Raises:
        UsageError: they are not kept, or their file is damaged.
        ConfigError: this version of Medground no longer has one of them.
    """
    groups = kept_groups(answer, now)
    return now.with_groups(groups) if groups else now


def kept_groups(answer: Answer, now: Settings) -> dict[str, Any]:
    """The groups of settings that made an answer; none where the settings of `now` are the same.

    Raises:
        UsageError: they are not kept, or their file is damaged.
    """
    if now.hash == answer.settings_hash:
        return {}
    path = _path(now.home, answer.settings_hash)
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"the settings of answer {answer.trace_id} are not kept; ask its question again with the options it had"
        ) from None
    except (OSError, ValueError):
        groups = None
    if not isinstance(groups, dict):
        raise UsageError(f"{path} cannot be read; remove it, and ask the question again with its options")
    return groups


def _path(home: Path, settings_hash: str) -> Path:
    return home / "settings" / f"{settings_hash}.json"
