"""Receive uploaded files: streamed to a folder as they come, never held in memory.

Sizes are checked here. What is inside a file, such as an archive that unpacks to far more, is the readers' business.
"""

import asyncio
import re
import shutil
import tempfile
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from medground.errors import StorageFailed, UsageError
from medground.home.files import private_folder
from medground.values.document import Frozen

LONGEST = 150
"""Bytes of a stored name. Most file systems allow 255, and a compressed file is unpacked under a longer one."""
_SHOWN = 80
_FIELDS, _FIELD_BYTES = 20, 2048
"""Maximum number of fields that are not files, and of bytes in one; they are not used."""
_UNSAFE = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def safe_name(sent: str, taken: Collection[str]) -> str:
    """A name under which an uploaded file can be stored on any system, not among those that are `taken`.

    Raises ValueError: the name is a path, hidden or empty; the message says so.
    """
    name = unicodedata.normalize("NFC", _printable(sent)).strip(" .")
    if "/" in sent or "\\" in sent:
        raise ValueError("its name contains a path; send the file by its name alone")
    if sent.startswith("."):
        raise ValueError("a hidden file; rename it without the leading dot")
    if not any(letter.isalnum() for letter in name):
        raise ValueError("it has no name; name it")
    name = _UNSAFE.sub("_", name)
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return _free(_cut(name), taken)


def shown_name(sent: str) -> str:
    """A name as messages show it: one line, without invisible marks, not too long."""
    name = _printable(sent)
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN - 20]}…{name[-19:]}"


def _printable(name: str) -> str:
    """Without control characters, and without marks that change how a name is displayed and are not seen."""
    return "".join(letter for letter in name if letter.isprintable())


def _cut(name: str, most: int = LONGEST) -> str:
    """The name with its middle left out, so that its kind can still be told by its end."""
    if len(name.encode()) <= most:
        return name
    stem, kind = _split(name)
    kept = stem.encode()[: max(1, most - len(kind.encode()))].decode(errors="ignore")
    return f"{kept}{kind}"


def _free(name: str, taken: Collection[str]) -> str:
    known = {other.casefold() for other in taken}
    stem, kind = _split(name)
    count = 1
    while name.casefold() in known:
        count += 1
        name = f"{stem} ({count}){kind}"
    return name


def _split(name: str) -> tuple[str, str]:
    """Its stem, and its suffixes: `.xml.gz` is one kind. Long suffixes are part of the stem."""
    path = PurePath(name)
    kind = "".join(path.suffixes[-2:] if path.suffix.lower() == ".gz" else path.suffixes[-1:])
    return (name[: -len(kind)], kind) if 0 < len(kind) <= 20 else (name, "")


MEGABYTE = 1_000_000


@dataclass(frozen=True)
class UploadLimits:
    """Most bytes of one file, and most files in one upload. The whole is limited while it comes (`api.bodies`)."""

    file: int = 200 * MEGABYTE
    files: int = 2_000


class FilePassedOver(Frozen):
    """A file of an upload that was not taken, and why."""

    name: str
    reason: str


@dataclass
class Received:
    """What came: the folder with the stored files, and the files that were skipped."""

    folder: Path
    files: dict[str, int] = field(default_factory=dict)
    """Bytes by stored name."""
    passed_over: list[FilePassedOver] = field(default_factory=list)


@asynccontextmanager
async def received(
    chunks: AsyncGenerator[bytes, None],
    content_type: str,
    parent: Path,
    limits: UploadLimits,
    *,
    length: int | None = None,
) -> AsyncIterator[Received]:
    """The upload once all of it is on disk. Its folder is deleted on leaving, unless it was moved away.

    Args:
        content_type: its header, which names the boundary.
        limits: the most that is taken. One file that is larger is skipped; the others are kept.
        length: the number of bytes that the request announces.

    Raises UsageError: it is not a form with files, has too many, or breaks off; StorageFailed: the disk is full or
    cannot be written to.
    """
    if not content_type.startswith("multipart/form-data"):
        raise UsageError("files are sent as multipart/form-data with a boundary")
    _check_room(parent, length)
    folder = Path(tempfile.mkdtemp(dir=parent))
    form = _Form(Headers({"content-type": content_type}), chunks, folder, limits.files)
    try:
        try:
            await form.parse()
            if not form.ended:
                raise UsageError("the upload was interrupted; send it again")
            found = await asyncio.to_thread(_sorted, folder, form.sent, limits)
        except MultiPartException as error:
            reason = error.message.rstrip(".")
            raise UsageError(f"the upload cannot be read ({reason}); send it as multipart/form-data") from None
        except OSError as error:
            raise StorageFailed(f"the upload cannot be stored ({error.strerror or error}); free some space") from None
        yield found
    finally:
        for file in form.sent:
            await file.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _check_room(parent: Path, length: int | None) -> None:
    try:
        private_folder(parent)
        free = shutil.disk_usage(parent).free
    except OSError as error:
        raise StorageFailed(f"uploads cannot be stored ({error.strerror or error})") from None
    if length is not None and length > free:
        raise StorageFailed("not enough disk space for this upload; free some space")


class _File(UploadFile):
    """A file of a form. It is closed as soon as it is whole: a process may have few files open."""

    async def seek(self, offset: int) -> None:
        await self.close()


class _Form(MultiPartParser):
    """Writes the files of a form to a folder, named by their numbers (`.0`), and never holds one in memory."""

    def __init__(self, headers: Headers, chunks: AsyncGenerator[bytes, None], folder: Path, most: int) -> None:
        super().__init__(headers, chunks, max_files=most, max_fields=_FIELDS, max_part_size=_FIELD_BYTES)
        self.folder, self.ended, self.sent = folder, False, list[UploadFile]()

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        if (part := self._current_part).file is not None:
            part.file.file.close()  # the library's own would be in memory
            path = self.folder / f".{len(self.sent)}"
            part.file = _File(path.open("xb"), size=0, filename=part.file.filename)
            self.sent.append(part.file)

    def on_end(self) -> None:
        self.ended = True


def _sorted(folder: Path, sent: Sequence[UploadFile], limits: UploadLimits) -> Received:
    """The files of a folder under safe names; those that are not taken are deleted."""
    found = Received(folder)
    for number, file in enumerate(sent):
        path, name, size = folder / f".{number}", file.filename or "", file.size or 0
        try:
            safe = safe_name(name, found.files)
            if size > limits.file:
                most = f"{limits.file / MEGABYTE:,.6g} MB"
                raise ValueError(f"larger than {most}, the limit of this server for one file")
            if not size:
                raise ValueError("the file is empty")
        except ValueError as refused:
            path.unlink()
            if name or size:  # neither: a form that was sent without choosing a file
                shown = shown_name(name) or "a file without a name"
                found.passed_over.append(FilePassedOver(name=shown, reason=str(refused)))
        else:
            path.rename(folder / safe)
            found.files[safe] = size
    return found
