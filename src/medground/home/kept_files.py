"""What goes with answers, kept in the home folder: their settings, and the files of reports."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from medground.errors import UsageError
from medground.home.files import keep_private, tell_not_kept, write_whole, writing_to
from medground.home.older_settings import still_known
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.values.report import Attachment

_GROUPS = TypeAdapter(dict[str, Any])


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

    Those that this version no longer has are left out.

    Raises UsageError: they are not kept, or their file is damaged; ConfigError: they do not fit together.
    """
    groups = kept_groups(answer, now)
    return now.with_groups(groups) if groups else now


def kept_groups(answer: Answer, now: Settings) -> dict[str, Any]:
    """The groups of settings that made an answer; none where the settings of `now` are the same.

    Raises UsageError: they are not kept, or their file is damaged.
    """
    if now.hash == answer.settings_hash:
        return {}
    path = _path(now.home, answer.settings_hash)
    try:
        return still_known(_GROUPS.validate_json(path.read_bytes()))
    except FileNotFoundError:
        raise UsageError(
            f"the settings of answer {answer.trace_id} are not stored; ask its question again with the same options"
        ) from None
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read; ask the question again with its options") from None


def _path(home: Path, settings_hash: str) -> Path:
    return home / "settings" / f"{settings_hash}.json"


# Files that go with reports, kept once each in the user's folder under the hash of their content.

_FOLDER = "attachments"


class Attachments:
    """The kept files of one user, below the home folder. Equal content is kept once."""

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def keep(self, content: bytes, **about: str | None) -> Attachment:
        """Keep a file, whole or not at all; `about` are the other fields of its `Attachment`.

        Raises StorageFailed: it cannot be written.
        """
        measured = {"sha256": sha256(content).hexdigest(), "size": len(content)}
        kept = Attachment.model_validate(about | measured)
        place = self._folder / kept.sha256
        if not place.exists():
            with writing_to(self._folder):
                write_whole(place, content, private=True)
        return kept

    def read(self, attachment: Attachment) -> bytes:
        """The content of a kept file. Raises UsageError: it is no longer there, or was changed."""
        try:
            content = (self._folder / attachment.sha256).read_bytes()
        except OSError:
            content = b""
        if sha256(content).hexdigest() != attachment.sha256:
            raise UsageError(f"the file {attachment.name} of this report is gone or has changed; make the report again")
        return content
