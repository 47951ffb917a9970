"""The manifest of a snapshot, and whether its files are as the build left them."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, Field, NonNegativeInt, ValidationError

from medground.corpus.faults import corrupt, reading
from medground.errors import ConfigError
from medground.values.document import AtLeastOne, Frozen
from medground.values.source_plan import SourceDescription

FORMAT = 2
_READ = (1, FORMAT)
"""In the first, no snapshot shared a file that is not all that it has."""
FILE_NAME = "manifest.json"
CHECKED = "checked.json"
"""Remembers when the files were last compared with the manifest; it is not one of them."""


class FileEntry(Frozen):
    """One file of the snapshot."""

    size: NonNegativeInt = Field(description="bytes")
    sha256: str


class InputEntry(Frozen):
    """One input that was read, or all files that one reader read in a folder."""

    name: str
    reader: str
    fingerprint: str
    license: str | None = None
    files: int = 1


class EmbeddingEntry(Frozen):
    """The model that made the vectors."""

    name: str
    identity: str
    dimensions: AtLeastOne


class Counts(Frozen):
    """How much was read."""

    documents: int = 0
    passages: int = 0
    skipped: int = 0
    """Records that could not be read."""
    passed_over: int = 0
    """Files that could not be read, or not to their end."""
    deleted: int = 0
    """Documents that their source has withdrawn."""
    retracted: int = 0


class Enriched(Frozen):
    """A source of records: a corpus, `pubmed` or an address; and the state in which it was last asked."""

    name: str
    source: str
    state: str = ""

    __repr__ = BaseModel.__repr__  # whole, since `DatabaseWriter.sources` hashes it


class Manifest(Frozen):
    """The description of a snapshot, stored with its files."""

    format: int = FORMAT
    name: str
    hash: str
    """Hash of all documents and of the settings that shape the snapshot; equal content gives an equal hash."""
    created: datetime
    made_by: str
    counts: Counts
    inputs: tuple[InputEntry, ...]
    chunk_limit: int
    embedding: EmbeddingEntry | None = None
    attachments: tuple[str, ...] = ()
    removed: int = 0
    """Passages that were removed since the word index was made, which still count in its statistics."""
    origin: str = ""
    """Hash of the snapshot from which they were last removed. It is part of the hash: equal hashes promise equal
    rankings."""
    sources: str = ""
    """Hash of what is known of the files that were read: names, sizes, times, and why some were skipped."""
    enriched: tuple[Enriched, ...] = ()
    """The sources of records with which its documents are joined."""
    described: SourceDescription | None = None
    """What it holds, for a planner of sources; None where it was built without a description."""
    files: Mapping[str, FileEntry] = Field(default_factory=dict)

    @property
    def licenses(self) -> tuple[str, ...]:
        """Licence notes of the inputs."""
        return tuple(dict.fromkeys(entry.license for entry in self.inputs if entry.license))

    @property
    def size(self) -> int:
        """Total size of all files in bytes."""
        return sum(entry.size for entry in self.files.values())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest with a checksum of its own content."""
    content = manifest.model_dump(mode="json")
    stored = {"checksum": _checksum(content), **content}
    (folder / FILE_NAME).write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest and check it against its own checksum.

    Raises SnapshotCorrupt: it is missing, damaged or edited; ConfigError: it was made by a newer Medground.
    """
    try:
        content = (folder / FILE_NAME).read_bytes()
    except OSError:
        content = b""
    return manifest_of(content, folder)


def manifest_of(content: bytes, folder: Path | str) -> Manifest:
    """The manifest in the content of its file; raises as `read_manifest`."""
    try:
        stored = json.loads(content.decode())
        checksum = stored.pop("checksum")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise corrupt(folder, f"{FILE_NAME} is missing or damaged") from None
    if checksum != _checksum(stored):
        raise corrupt(folder, f"{FILE_NAME} does not match its own checksum")
    if stored.get("format") not in _READ:
        raise ConfigError(
            f"{folder} has format {stored.get('format')}, not {FORMAT}; upgrade Medground or rebuild the corpus"
        )
    try:
        return Manifest.model_validate(stored)
    except ValidationError:
        raise corrupt(folder, f"{FILE_NAME} has an unknown structure") from None


def describe_files(
    folder: Path, known: Mapping[str, FileEntry] = MappingProxyType({}), base: Path | None = None
) -> dict[str, FileEntry]:
    """Size and SHA-256 of every file of a folder, by relative path, except lock files, the manifest and what is
    remembered of them.

    A file that is the very same file in `base` has the entry that is `known` of it.
    """
    found = {}
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*")):
        if not path.is_file() or path.suffix == ".lock" or path.name in (FILE_NAME, CHECKED):
            continue
        if base is not None and name in known and _is_shared(folder, base, name):
            found[name] = known[name]
        else:
            found[name] = FileEntry(size=path.stat().st_size, sha256=hash_file(path))
    return found


def _is_shared(folder: Path, base: Path | None, name: str) -> bool:
    return base is not None and (base / name).exists() and (folder / name).samefile(base / name)


def hash_file(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


_REMEMBERED = 86_400.0
"""Seconds."""
_SETTLED = 1.0
"""Seconds since the last change of a file, before which a further change may leave its time as it is."""
_unwritten: dict[Path, tuple[str, float]] = {}
"""What this process found in folders that it cannot write to."""


def check_files(
    folder: Path,
    files: Mapping[str, FileEntry],
    *,
    again: bool = False,
    base: Path | None = None,
    now: Callable[[], float] = time.time,
) -> None:
    """Compare every file with its size and SHA-256, unless that was done less than a day ago.

    With `again` they are compared even then. Files that `base` has too were compared when that was opened. `now` is a
    clock that returns seconds since 1970.

    Raises SnapshotCorrupt: a file is missing or has changed; the message names it.
    """
    began = now()
    mark, changed = _identity(folder, files)
    known = _remembered(folder)
    if not again and known[0] == mark and 0 <= began - known[1] < _REMEMBERED:
        return
    for name, entry in files.items():
        if _is_shared(folder, base, name):
            continue
        with reading(folder, name):
            found = hash_file(folder / name)
        if found != entry.sha256:
            raise corrupt(folder, f"{name} does not match its SHA-256 in the manifest")
    if base is not None:
        began = min(began, _remembered(base)[1])
    elif changed >= began - _SETTLED:
        return
    try:
        (folder / CHECKED).write_text(json.dumps({"mark": mark, "at": began}))  # half of it is as good as none
    except OSError:  # reading needs no write
        _unwritten[folder] = mark, began


def _remembered(folder: Path) -> tuple[str, float]:
    """By what the files were known when they were last compared, and when that was."""
    try:
        stored = json.loads((folder / CHECKED).read_bytes())
        return stored["mark"], float(stored["at"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return _unwritten.get(folder, ("", 0.0))


def _identity(folder: Path, files: Mapping[str, FileEntry]) -> tuple[str, float]:
    """A hash of what the files are to be and of which files they are, and when the last of them was changed."""
    digest, changed = hashlib.sha256(), 0.0
    for name, entry in files.items():
        with reading(folder, name):
            found = (folder / name).stat()
        if found.st_size != entry.size:
            raise corrupt(folder, f"{name} has {found.st_size} bytes instead of {entry.size}")
        # not the time of its last change of status, which another snapshot changes that shares the file or is removed
        digest.update(f"{name}\0{entry.sha256}\0{found.st_ino} {found.st_mtime_ns}\0".encode())
        changed = max(changed, found.st_mtime)
    return digest.hexdigest(), changed
