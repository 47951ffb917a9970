"""What a corpus holds, told to people who use it: its files, those that were passed over, and whether it is intact."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import Field

from medground.corpus.library import Library
from medground.document import Frozen
from medground.errors import SnapshotCorrupt, UsageError

_MOST = 500
_SKIPPED = 50


class FileTold(Frozen):
    """A file that was read, with its reader, or passed over, with the reason."""

    name: str
    reader: str = ""
    reason: str | None = None


class FilesTold(Frozen):
    """Some files of a corpus, in the order of reading, and how many there are of those that were asked for."""

    files: tuple[FileTold, ...]
    offset: int
    total: int


class RecordTold(Frozen):
    """A record in a file that could not be read."""

    file: str
    position: int | None
    reason: str


class CorpusTold(Frozen):
    """What a build told about a corpus."""

    name: str
    read: int = Field(description="files that were read")
    passed_over: int
    notes: tuple[str, ...] = Field(description="what readers noted")
    same: int = Field(description="ids that several files hold; one version of each is kept")
    skipped: tuple[RecordTold, ...] = Field(description="the first records that could not be read")


class Checked(Frozen):
    """Whether every file of a corpus is as it was built."""

    name: str
    intact: bool
    files: int = 0
    bytes: int = 0
    problem: str = ""


def corpus_told(library: Library, name: str) -> CorpusTold:
    """What a build told about a corpus; file names without their folders.

    Raises:
        UsageError: no corpus has this name.
        SnapshotCorrupt: it cannot be read.
    """
    with library.open(name) as snapshot:
        told = snapshot.file_report()
        skipped = snapshot.skipped(_SKIPPED)
    over = sum(file.reason is not None for file in told.files)
    return CorpusTold(
        name=name,
        read=len(told.files) - over,
        passed_over=over,
        notes=tuple(told.notes),
        same=len(told.same),
        skipped=tuple(RecordTold(file=_name(s.file), position=s.position, reason=s.reason) for s in skipped),
    )


def files_told(
    library: Library, name: str, *, passed_over: bool = False, offset: int = 0, limit: int = 100
) -> FilesTold:
    """Some files of a corpus: all of them, or those that were passed over.

    Raises:
        UsageError: no corpus has this name, or `limit` or `offset` is out of range.
        SnapshotCorrupt: it cannot be read.
    """
    if not 1 <= limit <= _MOST or offset < 0:
        raise UsageError(f"a list of files takes a limit from 1 to {_MOST} and an offset from 0")
    with library.open(name) as snapshot:
        files = [file for file in snapshot.file_report().files if file.reason is not None or not passed_over]
    shown = files[offset : offset + limit]
    return FilesTold(
        files=tuple(
            FileTold(name=_name(f.name), reader=f.reader if f.reason is None else "", reason=f.reason) for f in shown
        ),
        offset=offset,
        total=len(files),
    )


def checked(library: Library, name: str) -> Checked:
    """Compare every file of a corpus with its hash.

    Raises:
        UsageError: no corpus has this name.
    """
    try:
        manifest = library.verify(name)
    except SnapshotCorrupt as error:
        return Checked(name=name, intact=False, problem=str(error).replace(str(library.folder.parent), "(home)"))
    return Checked(name=name, intact=True, files=len(manifest.files), bytes=manifest.size)


def _name(path: str) -> str:
    return PurePath(path).name
