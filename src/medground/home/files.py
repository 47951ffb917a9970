"""Files that are whole or not there: the one way to write a file in place of another, and to flush it to disk.

The content goes to a new file next to the target, is flushed, and gets its name in one step. A reader, a killed process
or a power failure sees the old content or the new, never a part of it. All of this raises OSError where it cannot be
done; what was there stays then, and nothing else is left.
"""

import errno
import hashlib
import json
import logging
import os
import re
import secrets
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

from medground.errors import StorageFailed, UsageError

_SUFFIX = ".part"
_RANDOM = 8
_FOLDER, _PRIVATE_FOLDER = 0o777, 0o700
_FILE, _PRIVATE_FILE = 0o666, 0o600


def digest(content: object) -> str:
    """SHA-256 of JSON values, whatever the order of their names."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_whole(path: Path, content: str | bytes, *, private: bool = False, synced: bool = True) -> None:
    """Write a file in place of what is there, whole or not at all. Its folder is made where it is missing.

    Text is stored as UTF-8, without changing its line ends. `private`: its owner alone may read it, and its folder
    where that is made. `synced`: it survives a power failure; a cache may do without, which is faster.
    """
    with replacing(path, private=private, synced=synced) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path, *, private: bool = False, synced: bool = True) -> Iterator[Path]:
    """An empty file to write to, which takes the place of `path` if the block ends without an error."""
    with unfinished_in(path.parent, private=private, synced=synced) as unfinished:
        yield unfinished
        put(unfinished, path, synced=synced)


@contextmanager
def unfinished_in(folder: Path, *, private: bool = False, synced: bool = True) -> Iterator[Path]:
    """An empty file of this process in a folder, to be written and `put` in its place; otherwise it is removed."""
    make_folder(folder, private=private, synced=synced)
    path = folder / f".{secrets.token_hex(_RANDOM)}{_SUFFIX}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE if private else _FILE))
    try:
        yield path
    finally:
        with suppress(OSError):
            path.unlink()


def put(unfinished: Path, path: Path, *, synced: bool = True) -> None:
    """Move a finished file, or a folder whose content is flushed, to its place in one step, for good if `synced`."""
    if synced:
        sync(unfinished)
    unfinished.replace(path)
    if synced:
        sync(path.parent)


def link(source: Path | str, target: Path | str) -> None:
    """Share a file that never changes again between two folders; a disk without links gets a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        sync(Path(target))


def make_folder(folder: Path, *, private: bool = False, synced: bool = True) -> None:
    """Make a folder, unless it is there, with those that it is in, for good if `synced`."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER if private else _FOLDER)
    for path in reversed(missing if synced else ()):
        sync(path.parent)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes left of files in a folder. Only this process may write there now."""
    for path in folder.glob(f".{'?' * 2 * _RANDOM}{_SUFFIX}*"):  # SQLite adds -journal to the name
        path.unlink(missing_ok=True)


def sync_tree(folder: Path) -> None:
    """Flush every file and file name below a folder to disk, so that they survive a power failure."""
    paths = sorted(folder.rglob("*"))
    for path in (*(p for p in paths if p.is_file()), *(p for p in paths if p.is_dir()), folder):
        sync(path)


def sync(path: Path) -> None:
    """Flush a file, or the file names in a folder, to disk."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder for this
        return
    handle = os.open(path, os.O_RDWR if path.is_file() and os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn what a full or protected disk raises into one line.

    Raises StorageFailed: there is no space, or no permission.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed(f"no space left in {folder}; free some and run the command again") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise StorageFailed(
                f"cannot write to {folder}: {error.strerror}; grant permission or change MEDGROUND_HOME"
            ) from None
        raise


def locked(path: Path, busy: str) -> AbstractContextManager[object]:
    """A lock that one process at a time can hold, acquired, for a `with` block; its folder is made.

    Raises UsageError: another process holds it, and `busy` says what that does.
    """
    from filelock import FileLock, Timeout  # late: most commands lock nothing

    make_folder(path.parent)
    try:
        return FileLock(path, timeout=0).acquire()
    except Timeout:
        raise UsageError(busy) from None


# Files that hold questions and answers: their owner alone may read them, and each is written whole or not at all.

log = logging.getLogger(__name__)


def private_folder(path: Path) -> None:
    """Make a folder that its owner alone may open, unless it is there."""
    make_folder(path, private=True, synced=False)


def open_private(path: Path) -> IO[str]:
    """Open a text file for additions that its owner alone may read; its folder is made where it is missing."""
    private_folder(path.parent)
    return open(path, "a", encoding="utf-8", opener=private_opener)


def private_opener(path: str, flags: int) -> int:
    """For `open`: a file that it makes is for its owner alone."""
    return os.open(path, flags, _PRIVATE_FILE)


def keep_private(path: Path, text: str) -> None:
    """Write a file in place of what is there, whole or not at all. It is not flushed to disk, which would take a third
    of the time of an answer: what a power failure takes within seconds is asked again.
    """
    write_whole(path, text, private=True, synced=False)


def tell_not_kept(path: Path, error: OSError) -> None:
    """Log that a file in a folder of the home folder cannot be kept: once, whatever files follow. An answer is worth
    more than its copy."""
    tell_once(f"answers and their traces are not saved: cannot write to {path.parents[1]}", error)


def tell_once(what: str, error: OSError) -> None:
    """Log that something cannot be kept, and why: once, however often it is tried."""
    _warn(f"{what} ({error.strerror or error})")


@cache
def _warn(message: str) -> None:
    log.warning(message)


# Data of the package that is neither Python nor a setting.


def script(room: str, name: str) -> str:
    """The SQL of `NAME.sql` in a room of the package."""
    return (resources.files("medground") / room / f"{name}.sql").read_text(encoding="utf-8")


def rows(room: str, name: str) -> list[list[str]]:
    """The rows of `NAME.tsv` in a room of the package, without those that begin with `#`."""
    lines = (resources.files("medground") / room / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


_LONGEST_TOML = 1_000_000
_LONG_NAME = re.compile(r"(?:\.\s*[^\s.=]{1,100}\s*){50}")
"""A name of so many parts: each costs the more, the more stand before it."""


def parsed_toml(text: str) -> dict[str, Any]:
    """The values of a TOML file that somebody wrote. Raises TOMLDecodeError: it is none, too long, or too deep."""
    if len(text) > _LONGEST_TOML or _LONG_NAME.search(text):
        raise tomllib.TOMLDecodeError(f"it has more than {_LONGEST_TOML:,} characters, or a name of 50 parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None


@cache
def tables(room: str, name: str) -> dict[str, Any]:
    """The tables of `NAME.toml` in a room of the package."""
    return tomllib.loads((resources.files("medground") / room / f"{name}.toml").read_text(encoding="utf-8"))
