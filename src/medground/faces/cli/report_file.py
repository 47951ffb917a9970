"""A report as a file, in the form that its name asks for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from medground.faces.cli.options import home_folder

if TYPE_CHECKING:
    from medground.answer import Answer
    from medground.export import Format

_FORMS = {".md": "markdown", ".html": "html", ".docx": "docx", ".pdf": "pdf", ".json": "json"}


class ReportFile:
    """Where a report is written. A place that cannot hold it is refused before anything is searched.

    Args:
        path: the file; what it holds is replaced.

    Raises:
        UsageError: its ending names no form, or it cannot be written there.
    """

    def __init__(self, path: Path) -> None:
        from medground.errors import UsageError

        if (form := _FORMS.get(path.suffix.lower())) is None:
            raise UsageError(f"cannot write a report as {path.name}; end the name with {', '.join(_FORMS)}")
        if not path.parent.is_dir():
            raise UsageError(f"cannot write {path}: there is no folder {path.parent}; make it, or name another file")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise UsageError(f"cannot write {path}; name another file")
        self.path = path
        self._form = form

    def write(self, answer: Answer, *, details: bool = False) -> None:
        """Write a report, whole or not at all.

        Raises:
            UsageError: the file cannot be written.
            ConfigError: an extra that the form needs is missing.
        """
        from medground.export import export
        from medground.kept_attachments import Attachments

        if self._form == "json":
            content = answer.model_dump_json(indent=2).encode()
        else:
            files = Attachments(home_folder()).read
            content = export(answer, cast("Format", self._form), files=files)
        write_file(self.path, content)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    from medground.durable import write_whole
    from medground.errors import UsageError

    if not path.parent.is_dir():  # a slip in the name of a folder makes none
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}; make it, or name another file")
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}; name another file") from None
