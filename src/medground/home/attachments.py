"""Files that go with reports, kept once each in the user's folder under the hash of their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from medground.errors import UsageError
from medground.home.files import write_whole, writing_to
from medground.values.report import Attachment

_FOLDER = "attachments"


class Attachments:
    """The kept files of one user. Equal content is kept once.

    Args:
        home: the user's folder.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / _FOLDER

    def keep(
        self,
        content: bytes,
        *,
        name: str,
        media_type: str,
        title: str,
        document_id: str | None = None,
        licence: str = "",
        origin: str = "",
    ) -> Attachment:
        """Keep a file, whole or not at all.

        Raises:
            StorageFailed: it cannot be written.
        """
        kept = Attachment(
            name=name,
            media_type=media_type,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            title=title,
            document_id=document_id,
            licence=licence,
            origin=origin,
        )
        place = self._folder / kept.sha256
        if not place.exists():
            with writing_to(self._folder):
                write_whole(place, content, private=True)
        return kept

    def read(self, attachment: Attachment) -> bytes:
        """The content of a kept file.

        Raises:
            UsageError: it is no longer there, or was changed.
        """
        try:
            content = (self._folder / attachment.sha256).read_bytes()
        except OSError:
            content = b""
        if hashlib.sha256(content).hexdigest() != attachment.sha256:
            raise UsageError(f"the file {attachment.name} of this report is gone or was changed; make the report again")
        return content
