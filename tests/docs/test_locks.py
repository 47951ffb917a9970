"""The structure keeps its rules; CI installs what was locked, and known vulnerabilities are told."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rows import each_row

ROOT = Path(__file__).resolve().parent.parent.parent
FRAMEWORKS = ("langchain", "llamaindex", "haystack", "dspy", "smolagents")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def printed(status: int, *command: str, **environment: str) -> str:
    """What a command prints that ends with this status."""
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def locked(path: Path) -> dict[str, list[str]]:
    """Name and version of each locked package, with the lines that follow it."""
    entries: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if "==" in line and not line.startswith(("#", " ")):
            entries[line.split()[0]] = []
        elif line.startswith("    --hash="):
            entries[list(entries)[-1]].append(line)
    return entries


def test_every_locked_package_has_a_hash_and_every_requirement_is_locked() -> None:
    names = set()
    for lock in (ROOT / "requirements.lock", *ROOT.glob(".ci/*.lock")):
        entries = locked(lock)
        assert [name for name, hashes in entries.items() if not hashes] == []
        names |= {canonicalize_name(name.partition("==")[0]) for name in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        *project["dependencies"],
        *(one for e in ("starter", "test", *FRAMEWORKS) for one in project["optional-dependencies"][e]),
    ]
    wanted = {canonicalize_name(Requirement(one).name) for one in asked}
    assert wanted - names - {canonicalize_name(project["name"])} == set()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package that holds nothing, where pip looks for packages."""
    path = tmp_path / "index" / "nothing-1.0-py3-none-any.whl"
    path.parent.mkdir()
    about = "nothing-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nothing.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return path


@pytest.mark.slow
@each_row(
    ("version", "honest", "ends", "says"),
    [
        ("1.0", True, 0, ""),
        ("1.0", False, 1, "a downloaded file is not the one that was locked; nothing was installed from it"),
        ("2.0", True, 3, "No matching distribution found for nothing==2.0"),
    ],
)
def test_only_locked_files_are_installed(
    version: str, honest: bool, ends: int, says: str, wheel: Path, tmp_path: Path
) -> None:
    sums = hashlib.sha256(wheel.read_bytes() if honest else b"another file").hexdigest()
    lock = tmp_path / "some.lock"
    lock.write_text(f"nothing=={version} \\\n    --hash=sha256:{sums}\n", encoding="utf-8")
    there = tmp_path / "there"
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_TARGET": str(there)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings |= {"PATH": path, "PIP_CONFIG_FILE": os.devnull}
    assert says in printed(ends, "bash", str(ROOT / ".ci" / "install"), str(lock), **settings)
    assert (there / "nothing.py").exists() == (ends == 0)


PYTHON = {
    "none": {"dependencies": [{"name": "a", "version": "1", "vulns": []}]},
    "mended": {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}]},
    "not mended": {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": []}]}]},
    "no advisories": {"dependencies": [{"name": "a", "skip_reason": "not found"}]},
    "no answer": None,
}


@each_row(
    ("known", "ends", "says"),
    [
        ("none", 0, "Python packages: 1 audited, 0 known vulnerabilities"),
        ("mended", 1, "a 1: PYSEC-1, mended in 2"),
        ("not mended", 0, "a 1: PYSEC-1, not mended yet"),
        ("no advisories", 0, "Python packages: not audited: the package index gives no advisories"),
        ("no answer", 0, "Python packages: not audited: no route to host"),
    ],
)
def test_a_vulnerability_that_can_be_mended_ends_the_audit(known: str, ends: int, says: str, tmp_path: Path) -> None:
    """pip-audit is replaced by one that prints what the real one was seen to print."""
    report = PYTHON[known]
    told = "raise SystemExit('no route to host')" if report is None else f"print({json.dumps(json.dumps(report))})"
    (tmp_path / "pip_audit.py").write_text(told, encoding="utf-8")
    there = printed(ends, sys.executable, str(ROOT / ".ci" / "audit.py"), PYTHONPATH=str(tmp_path), PATH=str(tmp_path))
    assert says in there and "packages of the page: not audited: no npm here" in there


def test_rooms_circles_and_functions_keep_the_rules() -> None:
    """Those of docs/architecture.md."""
    printed(0, sys.executable, str(ROOT / "scripts" / "architecture.py"), "check")
