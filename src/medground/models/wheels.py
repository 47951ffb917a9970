"""Models published on PyPI inside wheels: fetched once, checked, and kept under `home/models`.

The wheels only serve as containers. They are downloaded without their dependencies and never installed, so a package
that depends on torch does not pull it in. pip does the download because it knows the user's index and proxy.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from itertools import groupby
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import IO

from filelock import FileLock

from medground.errors import ConfigError, SourceUnavailable, StorageFailed
from medground.home.files import writing_to
from medground.models.catalogue import Piece, WheelModel
from medground.values.steps import Progress, no_progress

Download = Callable[[str, Path], Path]
"""Downloads the wheel of a requirement such as `name==1.0` into a folder and returns its path."""

_BLOCK = 1 << 20


def _unpack(model: WheelModel, work: Path, progress: Progress) -> None:
    """Write the members that the catalogue names beside the archive, whose pieces were checked.

    No path comes from the archive.
    """
    total = sum(member.size for member in model.members)
    done = 0
    with zipfile.ZipFile(work / model.archive) as archive:
        for member in model.members:
            with archive.open(member.path) as source, (work / member.file).open("wb") as out:
                shutil.copyfileobj(source, out)
            done += member.size
            progress(f"unpack {model.name} (MB)", done >> 20, total >> 20)


def _copied(source: IO[bytes], out: IO[bytes], size: int, sha256: str) -> bool:
    """Copy a file to disk; whether it is the one with this hash. No more than a block is read beyond its size."""
    digest, done = hashlib.sha256(), 0
    while done <= size and (block := source.read(_BLOCK)):
        digest.update(block)
        done += len(block)
        out.write(block)
    out.flush()
    os.fsync(out.fileno())
    return digest.hexdigest() == sha256


def _wrong(requirement: str, what: str) -> SourceUnavailable:
    reason = f"{requirement} is not the package that Medground was tested with: {what}; it was not used"
    return SourceUnavailable(reason, source="package index")


def find(model: WheelModel, models: Path) -> Path | None:
    """The folder with the model's files, fetched or part of an installed package, or None."""
    folder = model.folder(models)
    return folder if folder.is_dir() else _installed_folder(model)


def require(model: WheelModel, models: Path) -> Path:
    """The folder with the model's files. Raises ConfigError: the model has not been fetched."""
    folder = find(model, models)
    if folder is None:
        name, size = model.name, model.size >> 20
        raise ConfigError(f"the model {name} ({size} MB) has not been fetched; run: medground models fetch {name}")
    return folder


def fetch(
    model: WheelModel, models: Path, *, progress: Progress = no_progress, download: Download | None = None
) -> Path:
    """Fetch the model unless it is already available. After an interruption, the next call resumes.

    Two processes may call this at once: one fetches, the other waits. The disk never holds more than the model, its
    archive if it has one, and one wheel. `models` is the folder of all models, created if missing.

    Raises ConfigError: pip is missing; SourceUnavailable: a wheel could not be downloaded, or its content does not
    match the catalogue; StorageFailed: the disk is full or cannot be written to.
    """
    with writing_to(models):
        models.mkdir(parents=True, exist_ok=True)
        with FileLock(models / f".{model.name}.lock"):
            folder = find(model, models)
            if folder is None:
                folder = _fetched(model, models, progress, download or pip_download)
            if model.archive:  # its content lies beside it
                (folder / model.archive).unlink(missing_ok=True)
            return folder


def _fetched(model: WheelModel, models: Path, progress: Progress, download: Download) -> Path:
    work = models / f".{model.name}.part"
    for stale in models.glob(f"{work.name}-*"):  # left by a killed process
        shutil.rmtree(stale)
    work.mkdir(exist_ok=True)
    done = 0
    for _, group in groupby(model.pieces, key=attrgetter("requirement")):
        pieces = list(group)
        missing = [piece for piece in pieces if not _present(piece, work)]
        if missing:
            with _source(missing[0], work, download) as root:
                for piece in missing:
                    _extract(piece, root, work)
        done += sum(piece.size for piece in pieces)
        progress(f"fetch {model.name} (MB)", done >> 20, model.size >> 20)
    if model.archive:
        _unpack(model, work, progress)
    return work.replace(model.folder(models))


def pip_download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip, without its dependencies and without a copy in pip's cache.

    Raises ConfigError: this Python has no pip; SourceUnavailable: pip failed; StorageFailed: pip ran out of disk space.
    """
    if importlib.util.find_spec("pip") is None:
        raise ConfigError(
            f"fetching {requirement} needs pip, which is not installed; run: {sys.executable} -m ensurepip"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]
    # pip keeps unfinished downloads in the temporary folder; ours is on the right disk and is deleted afterwards.
    done = subprocess.run(  # noqa: S603 - our own interpreter and a requirement from our catalogue
        command, env={**os.environ, "TMPDIR": str(folder)}, capture_output=True, text=True, check=False
    )
    wheel = next(iter(sorted(folder.glob("*.whl"))), None)
    if done.returncode == 0 and wheel is not None:
        return wheel
    if "No space left on device" in done.stderr:
        raise StorageFailed(f"no space left in {folder.parent} for {requirement}; free some and run the command again")
    reason = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "no reason given")
    raise SourceUnavailable(
        f"pip could not download {requirement} ({reason.removeprefix('ERROR: ')}); check the network and `pip config"
        " list`, then run the same command to resume",
        source="package index",
    )


def _present(piece: Piece, work: Path) -> bool:
    path = work / piece.file
    if not path.is_file():
        return False
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(piece.offset)
        for at in range(0, piece.size, _BLOCK):
            digest.update(file.read(min(_BLOCK, piece.size - at)))
    return digest.hexdigest() == piece.sha256


@contextmanager
def _source(piece: Piece, work: Path, download: Download) -> Iterator[Traversable]:
    """The root of the piece's wheel: site-packages if it is installed, or else the downloaded wheel."""
    installed = _installed(piece)
    if installed is not None:
        yield installed
        return
    with tempfile.TemporaryDirectory(dir=work.parent, prefix=f"{work.name}-") as folder:
        wheel = download(piece.requirement, Path(folder))
        try:
            with zipfile.ZipFile(wheel) as archive:
                yield zipfile.Path(archive)
        except (zipfile.BadZipFile, KeyError, FileNotFoundError) as error:
            raise _wrong(piece.requirement, f"the wheel cannot be read ({error})") from None


def _extract(piece: Piece, root: Traversable, work: Path) -> None:
    """Copy the member that the catalogue names to the file that it names. No path comes from the wheel."""
    path = work / piece.file
    path.touch()
    with root.joinpath(piece.member).open("rb") as source, path.open("r+b") as out:
        out.truncate(piece.offset)
        out.seek(piece.offset)
        if not _copied(source, out, piece.size, piece.sha256):
            out.truncate(piece.offset)
            raise _wrong(piece.requirement, f"{piece.member} has a different SHA-256")


def _installed(piece: Piece) -> Path | None:
    """site-packages, if exactly this version is installed there. Imports nothing."""
    name, _, version = piece.requirement.partition("==")
    try:
        if importlib.metadata.version(name) != version:
            return None
    except importlib.metadata.PackageNotFoundError:
        return None
    spec = importlib.util.find_spec(PurePosixPath(piece.member).parts[0])
    return None if spec is None or spec.origin is None else Path(spec.origin).parent.parent


def _installed_folder(model: WheelModel) -> Path | None:
    """The folder of an installed package, if it holds every file of the model under its own name."""
    if (root := _installed(model.pieces[0])) is None:
        return None
    folder = root / PurePosixPath(model.pieces[0].member).parent
    files = [folder / piece.file for piece in model.pieces]
    named, sizes = [root / piece.member for piece in model.pieces], [piece.size for piece in model.pieces]
    return folder if files == named and [f.stat().st_size for f in files if f.is_file()] == sizes else None
