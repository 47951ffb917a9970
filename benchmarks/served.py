"""A server in a process of its own, for the benchmarks of what is served."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Served:
    """A running server.

    Attributes:
        address: where it is, without a slash at the end.
        pid: its process.
    """

    address: str
    pid: int

    @property
    def resident(self) -> float:
        """Resident memory in MB (Linux)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1000 if found else 0.0

    @property
    def cpu(self) -> float:
        """CPU seconds used so far (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(
    home: Path, corpora: Sequence[str], sets: Mapping[str, str] | None = None, seconds: float = 120.0
) -> Iterator[Served]:
    """`medground serve` on a free port of loopback, until the block ends.

    Raises:
        RuntimeError: it ended, or named no address in time.
    """
    options = [
        f"--set={key}={value}" for key, value in {"retrieval.corpora": ",".join(corpora), **(sets or {})}.items()
    ]
    command = [sys.executable, "-m", "medground", "serve", "--port", "0", *options]
    environment = {**os.environ, "MEDGROUND_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    lines: list[str] = []
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    try:
        yield Served(_address(process, lines, seconds), process.pid)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read(process: subprocess.Popen[str], lines: list[str]) -> None:
    if process.stdout is not None:
        lines.extend(process.stdout)  # until it ends: a full pipe would stop the server


def _address(process: subprocess.Popen[str], lines: list[str], seconds: float) -> str:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := _ADDRESS.search("".join(lines)):
            return found[0]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError("the server did not start:\n" + "".join(lines[-20:]))
