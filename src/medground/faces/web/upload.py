"""Receive uploaded files: streamed to a folder as they come, never held in memory.

Sizes are checked here. What is inside a file, such as an archive that unpacks to far more, is the readers' business.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from medground.errors import StorageFailed, UsageError
from medground.home.files import private_folder
from medground.values.document import Frozen

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks


LONGEST = 150
"""Bytes of a stored name. Most file systems allow 255, and a compressed file is unpacked under a longer one."""
_SHOWN = 80
_FIELDS, _FIELD_BYTES = 20, 2_000
"""Most fields that are no files, and most bytes of one; they are not read."""
_UNSAFE = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)


def safe_name(sent: str, taken: Collection[str] = ()) -> str:
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
    chunks: AsyncIterator[bytes], content_type: str, parent: Path, limits: UploadLimits, *, length: int | None = None
) -> AsyncIterator[Received]:
    """The upload once all of it is on disk. Its folder is deleted on leaving, unless it was moved away.

    Args:
        content_type: its header, which names the boundary.
        limits: the most that is taken. One file that is larger is skipped; the others are kept.
        length: the number of bytes that the request announces.

    Raises UsageError: it is not a form with files, has too many, or breaks off; StorageFailed: the disk is full or
    cannot be written to.
    """
    boundary = _boundary(content_type)
    _check_room(parent, length)
    folder = Path(tempfile.mkdtemp(dir=parent))
    form = _Form(folder, limits)
    parser = MultipartParser(boundary, form.callbacks())
    try:
        try:
            async for chunk in chunks:
                if chunk:
                    await asyncio.to_thread(parser.write, chunk)
            parser.finalize()
        except FormParserError:
            raise UsageError("the upload cannot be read; send it as multipart/form-data") from None
        except OSError as error:
            raise StorageFailed(f"the upload cannot be stored ({error.strerror or error}); free some space") from None
        if not form.ended:
            raise UsageError("the upload was interrupted; send it again")
        yield form.found
    finally:
        form.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _check_room(parent: Path, length: int | None) -> None:
    try:
        private_folder(parent)
        free = shutil.disk_usage(parent).free
    except OSError as error:
        raise StorageFailed(f"uploads cannot be stored ({error.strerror or error})") from None
    if length is not None and length > free:
        raise StorageFailed("not enough disk space for this upload; free some space")


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not 0 < len(boundary) <= 200:
        raise UsageError("files are sent as multipart/form-data with a boundary")
    return boundary


class _Form:
    """The parts of a form as they come: files are written to the folder."""

    def __init__(self, folder: Path, limits: UploadLimits) -> None:
        self.found = Received(folder)
        self.ended = False
        self._limits = limits
        self._headers: dict[str, bytes] = {}
        self._header, self._value = b"", b""
        self._file: IO[bytes] | None = None
        self._fields, self._field = 0, False
        self._sent = self._name = ""
        self._size = 0
        self._refused = ""

    def callbacks(self) -> MultipartCallbacks:
        """What the parser calls; the names are its own."""
        return {
            "on_part_begin": self._begin,
            "on_part_data": self._data,
            "on_part_end": self._part_end,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_end,
            "on_end": self._end,
        }

    def close(self) -> None:
        """Close the file that is being written, if any."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self) -> None:
        self._headers = {}
        self._field = False
        self._name, self._sent, self._refused, self._size = "", "", "", 0

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header.decode("latin-1").lower()] = self._value
        self._header, self._value = b"", b""

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b""))
        self._field = b"filename" not in options
        if self._field:
            self._fields += 1
            if self._fields > _FIELDS:
                raise UsageError(f"the form has more than {_FIELDS} fields")
            return
        self._sent = options[b"filename"].decode("utf-8", "replace")
        if len(self.found.files) + len(self.found.passed_over) >= self._limits.files:
            raise UsageError(f"the upload has more than {self._limits.files:,} files; send fewer files at once")
        try:
            self._name = safe_name(self._sent, self.found.files)
        except ValueError as refused:
            self._refused = str(refused)
            return
        self._file = (self.found.folder / self._name).open("xb")

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._field and self._size > _FIELD_BYTES:
            raise UsageError(f"a field of the form is longer than {_FIELD_BYTES:,} bytes")
        if self._file is not None and self._size > self._limits.file:
            most = f"{self._limits.file / MEGABYTE:,.6g} MB"
            self._refused = f"larger than {most}, the limit of this server for one file"
            self.close()
            (self.found.folder / self._name).unlink()
        elif self._file is not None:
            self._file.write(memoryview(data)[start:end])

    def _part_end(self) -> None:
        self.close()
        if self._name and not self._refused and not self._size:
            self._refused = "the file is empty"
            (self.found.folder / self._name).unlink()
        if self._refused and (self._sent or self._size):  # neither: a form that was sent without choosing a file
            name = shown_name(self._sent) or "a file without a name"
            self.found.passed_over.append(FilePassedOver(name=name, reason=self._refused))
        elif self._name:
            self.found.files[self._name] = self._size

    def _end(self) -> None:
        self.ended = True
