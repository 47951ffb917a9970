"""Research that has no answer yet: what was asked, with which settings, and what its lookups found so far.

Each has a folder in the home folder, which goes when the answer is there. `Engine.resume` goes on with what was killed,
stopped or reached a limit: the same question, the same settings, and no finished lookup or model call again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from medground.answering.kept_lookups import KeptLookups
from medground.errors import UsageError, UserMistake
from medground.home.files import private_folder, tell_not_kept, write_whole
from medground.home.settings import Settings
from medground.values.document import Frozen
from medground.values.question import Question

LAST = "last"
_FOLDER = "research"
_RECORD = "asked.json"
_LOCK = "lock"
_MOST_KEPT = 20
"""Unfinished research of long ago goes: its sources may say something else today."""
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_PATHS = ("replay", "record")


class Unfinished(Frozen):
    """Research without an answer. `settings` are the groups that its recipe reads, `paths` the folders it was given."""

    id: str
    question: Question
    recipe: str
    settings_hash: str
    settings: dict[str, Any]
    paths: dict[str, str] = Field(default_factory=dict)
    begun: datetime

    def groups(self, now: Settings) -> dict[str, Any]:
        """The groups of its settings; none where those of `now` are the same."""
        return {} if now.hash == self.settings_hash else deepcopy(self.settings)

    def settings_with(self, now: Settings) -> Settings:
        """Its settings, with home folder, keys and collector of the settings of `now`.

        Raises:
            ConfigError: this version of Medground no longer has one of them.
        """
        then = now.with_groups(self.settings)
        return then.with_options({f"retrieval.{name}": Path(path) for name, path in self.paths.items()})


class UnfinishedResearch:
    """The unfinished research of one user.

    Args:
        home: the user's folder.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def list(self) -> Sequence[Unfinished]:
        """All of it, the latest first; what cannot be read is left out."""
        names = (path.parent.name for path in self._folder.glob(f"*/{_RECORD}"))
        read = (self._record(name) for name in sorted(names, reverse=True))
        return [one for one in read if one is not None]

    def read(self, name: str) -> Unfinished:
        """One by its id, or the latest for `last`.

        Raises:
            UsageError: none has this id, or its record cannot be read.
        """
        if name == LAST:
            if found := self.list():
                return found[0]
            raise UsageError("no research is unfinished; ask a question with medground research")
        if not _ID.fullmatch(name) or (one := self._record(name)) is None:
            ids = ", ".join(one.id for one in self.list()[:3]) or "there is none"
            raise UsageError(f"no unfinished research has the id {name[:64]!r}; latest: {ids}")
        return one

    def has(self, name: str) -> bool:
        """Whether research with this id can be gone on with."""
        return self._record(name) is not None

    def forget(self, name: str) -> None:
        """Delete what was kept of research, if it is there and nobody is at work on it."""
        folder = self._folder / name
        if not _ID.fullmatch(name) or not folder.is_dir():
            return
        with suppress(Timeout), FileLock(folder / _LOCK, timeout=0):
            (folder / _RECORD).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def begun(self, name: str, question: Question, settings: Settings, now: datetime) -> Iterator[KeptLookups | None]:
        """Keep what the research finds while the block runs; None, which is told once, where nothing can be kept.

        Its folder goes if the block ends without an error, or with a mistake of the user before anything was found.

        Args:
            name: its id; one that is there is gone on with.
            question: what is asked.
            settings: the settings that its answer is made with.
            now: the time.

        Raises:
            UsageError: another process is at work on it.
        """
        folder = self._folder / name
        lock = FileLock(folder / _LOCK, timeout=0)
        kept: KeptLookups | None = None
        try:
            private_folder(self._folder)
            private_folder(folder)
            lock.acquire()
            if not (folder / _RECORD).is_file():
                for old in self.list()[_MOST_KEPT - 1 :]:
                    shutil.rmtree(self._folder / old.id, ignore_errors=True)
                asked = _asked(name, question, settings, now).model_dump_json(indent=1)
                write_whole(folder / _RECORD, asked, private=True)
            kept = KeptLookups(folder)
        except Timeout:
            raise UsageError(f"another process is at work on research {name}; wait for it, or stop it") from None
        except OSError as error:
            tell_not_kept(folder, error)
        try:
            yield kept
        except UserMistake:
            if kept is None or kept.is_empty:  # there is nothing to go on with
                shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            lock.release()
        shutil.rmtree(folder, ignore_errors=True)

    def _record(self, name: str) -> Unfinished | None:
        try:
            return Unfinished.model_validate_json((self._folder / name / _RECORD).read_bytes())
        except (OSError, ValidationError):
            return None


def _asked(name: str, question: Question, settings: Settings, now: datetime) -> Unfinished:
    paths = {kind: getattr(settings.retrieval, kind) for kind in _PATHS}
    return Unfinished(
        id=name,
        question=question,
        recipe=settings.recipe.name,
        settings_hash=settings.hash,
        settings=settings.as_read_by(settings.recipe.name),
        paths={kind: str(path.absolute()) for kind, path in paths.items() if path is not None},
        begun=now,
    )
