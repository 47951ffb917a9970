"""What must last is on the disk before it is said."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command_line import run

from medground.faces.service.records import Records

STRACE = shutil.which("strace")
_OPENED = re.compile(r'openat\([^"]*"([^"]+)".*\) = (\d+)')
_WRITTEN = re.compile(r"p?write64\((\d+),|write\((\d+),")


@pytest.mark.slow
@pytest.mark.skipif(STRACE is None, reason="needs strace")
@pytest.mark.parametrize("words", [("create", "bob", "--admin"), ("revoke", "ada")])
def test_a_token_is_on_the_disk_before_the_command_says_so(home: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run("token", "create", "ada") == 0
    calls = tmp_path / "calls"
    command = [STRACE, "-f", "-o", calls, "-e", "trace=openat,pwrite64,write,fsync,fdatasync", "-s", "40"]
    medground = [sys.executable, "-m", "medground", "token", *words]
    with closing(Records(home)):  # of a server, or the last to close it would write all of it out
        done = subprocess.run(
            [*map(str, command), *medground], env=os.environ, capture_output=True, text=True, check=True
        )
    assert words[1] in done.stderr or done.stdout
    unsynced = False
    changed = 0
    names: dict[str, str] = {}
    for line in calls.read_text(errors="replace").splitlines():
        if opened := _OPENED.search(line):
            names[opened[2]] = opened[1]
        elif synced := re.search(r"f(?:data)?sync\((\d+)\)", line):
            unsynced = unsynced and not names.get(synced[1], "").endswith("-wal")
        elif written := _WRITTEN.search(line):
            file = written[1] or written[2]
            if names.get(file, "").endswith("-wal"):
                unsynced, changed = True, changed + 1
            elif file in "12":
                assert changed
                assert not unsynced
