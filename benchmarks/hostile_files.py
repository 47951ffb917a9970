"""Measures what hostile files cost a build: peak memory and time, beside a plain file of the same kind.

    python benchmarks/hostile_files.py --work FOLDER [--kinds KIND ...] [--only TEXT] [--source SRC] [--limit SECONDS]

Each file is made, built into a corpus of its own by `medground corpus build` in a process of its own, and removed. A
line names the file, its size, the seconds, the peak memory above that of the plain file, and the last line printed.
`!` marks more than 300 MB above the plain file, more than 10 s for each MB (and 10 s in all), a run over the limit, and
the words "internal error" or a traceback. `--source` names the `src` folder of another checkout.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hostile import PLAIN, cases

HERE = Path(__file__).resolve().parent
MEMORY, PACE = 300, 10.0
"""Limits: MB above the plain file, and seconds for each MB of the file."""


@dataclass(frozen=True)
class Cost:
    """What one build took: seconds, peak memory in MB, how it ended, and its last line."""

    seconds: float
    memory: float
    code: int
    said: str

    @property
    def broke(self) -> bool:
        """Whether it was ended from outside, or by an error that nobody expected."""
        return self.code < 0 or "internal error" in self.said.lower() or "Traceback" in self.said


def cost(path: Path, home: Path, source: Path, limit: float) -> Cost:
    """Build a corpus of one file or folder."""
    shutil.rmtree(home, ignore_errors=True)
    command = [sys.executable, "-m", "medground", "corpus", "build", "hostile", str(path)]
    environ = os.environ | {"MEDGROUND_HOME": str(home), "PYTHONPATH": str(source)}
    with tempfile.TemporaryFile() as told:
        begun = time.perf_counter()
        process = subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        memory = 0.0
        while process.poll() is None:
            memory = max(memory, peak(process.pid))
            if time.perf_counter() - begun > limit:
                process.kill()
            time.sleep(0.01)
        spent = time.perf_counter() - begun
        told.seek(0)
        text = told.read().decode("utf-8", "replace")
    shutil.rmtree(home, ignore_errors=True)
    return Cost(spent, memory, process.returncode, text)


def peak(pid: int) -> float:
    """Peak resident memory of a process in MB; 0 once it has ended. (`ru_maxrss` would count this process too.)"""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def gist(text: str) -> str:
    """The line that says why a file was refused, else the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "hostile" in line and ("skipped" in line or ": " in line)]
    return (telling or lines or [""])[-1][-150:]


def size(path: Path) -> int:
    """Bytes of a file, or of the files of a folder."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file() and not one.is_symlink()]
    return sum(one.stat().st_size for one in files)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--source", type=Path, default=HERE.parent / "src")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", nargs="+", default=list(PLAIN), choices=list(PLAIN))
    parser.add_argument("--limit", type=float, default=100)
    given = parser.parse_args(arguments)
    peers: dict[str, Cost] = {}
    broken = count = 0
    print(f"{'file':44} {'size':>9} {'s':>6} {'MB more':>8}")
    for kind, name, make in cases(given.kinds):
        if given.only not in f"{kind}: {name}":
            continue
        if kind not in peers:
            peers[kind] = _measured(given, kind, PLAIN[kind])[0]
        found, bytes_ = _measured(given, kind, make)
        more = found.memory - peers[kind].memory
        slow = found.seconds > max(PACE, PACE * bytes_ / 1e6)
        wrong = found.broke or more > MEMORY or slow
        broken, count = broken + wrong, count + 1
        mark = "!" if wrong else " "
        print(
            f"{mark}{kind + ': ' + name:43} {bytes_:>9,} {found.seconds:6.1f} {more:8.0f}  "
            f"{found.code} {gist(found.said)}",
            flush=True,
        )
    print(f"{broken} of {count} files are over a limit or end the build")


def _measured(given: argparse.Namespace, kind: str, make: object) -> tuple[Cost, int]:
    assert callable(make)
    place = given.work / "hostile"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    make(place)
    found = cost(place, given.work / "home", given.source, given.limit)
    bytes_ = size(place)
    shutil.rmtree(place)
    return found, bytes_


if __name__ == "__main__":
    main()
