"""A SolrCloud cluster on loopback: ZooKeeper and three nodes, each a process that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

_SOURCE = Path(__file__).parent / "solr" / "Node.java"
_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.security.egd=file:/dev/urandom")
_SECONDS = 300


class Cluster:
    """Three nodes. Skips the test where Java, its compiler or the jars are missing."""

    def __init__(self, folder: Path) -> None:
        jars = os.environ.get("SOLR_FOR_TESTS", "")
        if not (shutil.which("java") and shutil.which("javac") and jars and [*Path(jars).glob("solr-core-*.jar")]):
            pytest.skip("needs Java and the jars of Solr: tests/kits/solr/pom.xml tells how to fetch them")
        self._folder, self._path = folder, f"{folder}:{jars}/*"
        subprocess.run(["javac", "-cp", f"{jars}/*", "-d", str(folder), str(_SOURCE)], check=True)
        self.ports = [_free_port() for _ in range(4)]
        self.processes = [self._start("96m", "zookeeper", str(self.ports[0]), str(folder / "zookeeper"))]
        for port in self.ports[1:]:
            self.processes.append(self._start("320m", str(port), str(folder / str(port)), f"127.0.0.1:{self.ports[0]}"))
        try:
            self._await_nodes()
        except BaseException:
            self.stop()
            raise

    @property
    def address(self) -> str:
        """What a user names: all nodes, so that any of them may be gone."""
        return f"solr+http://{','.join(f'127.0.0.1:{port}' for port in self.ports[1:])}/solr"

    def kill(self, node: int) -> None:
        """Kill -9 node 1, 2 or 3."""
        self.processes[node].kill()
        self.processes[node].communicate()

    def stop(self) -> None:
        """Kill all of them. They end by themselves, too, when this process does."""
        for process in self.processes:
            process.kill()
            process.communicate()

    def _await_nodes(self) -> None:
        """Wait until all nodes know each other."""
        end = time.monotonic() + _SECONDS
        status = f"http://127.0.0.1:{self.ports[1]}/solr/admin/collections?action=CLUSTERSTATUS"
        while time.monotonic() < end:
            with contextlib.suppress(OSError), urlopen(status, timeout=10) as reply:
                if len(json.load(reply)["cluster"]["live_nodes"]) == len(self.ports) - 1:
                    return
            time.sleep(0.5)
        raise AssertionError(f"no cluster after {_SECONDS} s; see {self._folder}/*.log")

    def _start(self, memory: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{arguments[0]}.log").open("ab")
        command = ["java", f"-Xmx{memory}", *_OPTIONS, f"-Dsolr.log.dir={self._folder}", "-cp", self._path, "Node"]
        with log:
            return subprocess.Popen([*command, *arguments], stdin=subprocess.PIPE, stdout=log, stderr=log)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
