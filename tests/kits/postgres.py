"""A real PostgreSQL in a temporary folder, reached by a socket there, with a password; skipped where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "a secret that no line shows"


@dataclass
class Server:
    """A server of its own. `options`: settings of a new, empty database each time."""

    folder: Path
    binaries: Path
    user: dict[str, Any]
    _names: Iterator[int] = field(default_factory=count)

    def options(self) -> dict[str, str]:
        name = f"group{next(self._names)}"
        self.sql(f"CREATE DATABASE {name}")
        return {"serve.state": f"postgresql://postgres@/{name}?host={self.folder}", "keys.state": PASSWORD}

    def sql(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(host=str(self.folder), user="postgres", password=PASSWORD, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]

    def run(self, *words: str) -> None:
        data = ("-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-w")
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off"
        command = [str(self.binaries / "pg_ctl"), *data, "-o", options, *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="needs the extra group")
    found = shutil.which("initdb") or next(iter(Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        folder, user = Path(name), {}
        if os.getuid() == 0:  # it does not run as root
            user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(folder, "nobody", "nogroup")
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        server = Server(folder, Path(found).resolve().parent, user)
        made = ("-U", "postgres", "--auth=scram-sha-256", f"--pwfile={folder / 'password'}", "--locale=C.UTF-8", "-N")
        initdb = [str(server.binaries / "initdb"), "-D", str(folder / "data"), *made]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd="/", **user)
        server.run("start")
        try:
            yield server
        finally:
            server.run("stop", "-m", "immediate")
