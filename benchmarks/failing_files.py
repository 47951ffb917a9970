"""Run a program whose files fail: `failing_files.c`, compiled where there is a compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from power import Disk

Kind = Literal["kill", "full", "once", "sync", "cut"]
SOURCE = Path(__file__).with_suffix(".c")
_SKIPPED = 77
_KILLED = -9


@dataclass(frozen=True)
class Fault:
    """What fails, and at which change of a file or a name, from 1.

    Attributes:
        names: after a power failure, how much of the names that were not synced is there: 0, 1, or between them a
            random part.
        content: the chance of each change of a file that was not synced.
        seed: of what is random.
    """

    kind: Kind
    at: int
    names: float = 0
    content: float = 0
    seed: int = 0


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        code: its exit status, -9 if it was killed.
        output: what it printed.
        errors: what it printed to stderr.
        changes: how many changes it made; 0 if it was killed.
    """

    code: int
    output: str
    errors: str
    changes: int


class NoLayer(Exception):
    """This machine cannot run the layer; the message says why."""


def compiled(folder: Path) -> Path:
    """The layer as a library in `folder`.

    Raises:
        NoLayer: there is no compiler, or this is not Linux on x86-64.
    """
    compiler = shutil.which("cc")
    if sys.platform != "linux" or platform.machine() != "x86_64" or compiler is None:
        raise NoLayer("needs Linux on x86-64 and a C compiler")
    library = folder / "failing_files.so"
    done = subprocess.run(
        [compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], capture_output=True, text=True
    )
    if done.returncode:
        raise NoLayer(done.stderr)
    return library


def run(layer: Path, command: Sequence[str], folder: Path, fault: Fault | None = None) -> Ended:
    """Run a program whose changes below `folder` fail as told; after a power failure, leave there what it leaves.

    Raises:
        NoLayer: the kernel does not let a program filter its system calls.
    """
    log = layer.with_name("changes.log")
    log.unlink(missing_ok=True)
    folder = folder.resolve()
    is_cut = fault is not None and fault.kind == "cut"
    disk = Disk(folder) if is_cut else None
    environment = os.environ | {"LD_PRELOAD": str(layer), "FAILING_FOLDER": str(folder)}
    if fault is not None:
        environment |= {"FAILING_AT": str(fault.at), "FAILING_HOW": fault.kind}
    if is_cut or fault is None:
        environment["FAILING_LOG"] = str(log)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode == _SKIPPED:
        raise NoLayer(done.stderr)
    if disk is not None and fault is not None and done.returncode == _KILLED:
        disk.follow(log)
        disk.cut(names=fault.names, content=fault.content, seed=fault.seed)
    return Ended(done.returncode, done.stdout, done.stderr, _count(log) if fault is None else 0)


def _count(log: Path) -> int:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 100))
        return int(file.read().rpartition(b"#\t")[2].split(b"\t")[1])
