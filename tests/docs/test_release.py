"""`scripts/release.py`: all that stands against a release is told, and what it writes names one version."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from medground.version import __version__

ROOT = Path(__file__).resolve().parents[2]
NAMED = (
    *(
        ".gitignore",
        "CHANGELOG.md",
        "CITATION.cff",
        "docs/checking-reports.md",
        "mcpb/manifest.json",
        "mcpb/pyproject.toml",
    ),
    *("server.json", "deploy/admin.yaml", "deploy/compose.yaml", "deploy/kubernetes.yaml", "src/medground/version.py"),
)
NEXT = __version__.removesuffix(".dev0")
TOOLS = {
    "build": "import os; os.makedirs('dist'); open('dist/medground-1-py3-none-any.whl', 'w').close()",
    "twine": "",
}
PROGRAMS = {
    "cyclonedx-py": 'touch "$6"',
    "docker": '[ "$1" = build ] && echo "$@" >>"$TOLD" || true',
    "npx": 'echo "$@" >>"$TOLD"',
}
BEFORE, UNRELEASED, REST = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("## Unreleased\n")
REST = REST[REST.index("\n## ") + 1 :]
LAST = REST.split()[1]
pytestmark = [
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "git"))), reason="needs bash and git"),
    pytest.mark.skipif(__version__ == NEXT, reason="this is the tree of a release"),
]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the files that name a version, and stand-ins of the tools that build."""
    root, tools, programs = tmp_path / "checkout", tmp_path / "tools", tmp_path / "programs"
    for name in (*NAMED, "scripts/release.py", "scripts/bundle.sh", "scripts/image.sh"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "CHANGELOG.md").write_text(f"{BEFORE}{UNRELEASED}\n### Added\n- A change.\n\n{REST}")
    (root / "scripts" / "try_wheel.sh").write_text('#!/bin/sh\necho "medground of $(basename "$1")"\n')
    (root / "scripts" / "try_wheel.sh").chmod(0o755)
    for name, code in TOOLS.items():
        (tools / name).mkdir(parents=True)
        (tools / name / "__main__.py").write_text(code)
    programs.mkdir()
    for name, code in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/bash\n{code}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(tools))
    monkeypatch.setenv("TOLD", str(tmp_path / "told.txt"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(root, "init", "-q")
    save(root)
    return root


def git(root: Path, *words: str) -> str:
    """What git prints."""
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def save(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")


def released(root: Path, version: str, *words: str) -> tuple[int, str]:
    """The exit status of the script, and what it printed."""
    line = [sys.executable, "scripts/release.py", version, *words]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_all_that_stands_against_a_release_is_told_at_once(checkout: Path) -> None:
    assert released(checkout, "3")[1] == "no release: 3 is not a version such as 0.3.0\n"
    (checkout / "CHANGELOG.md").write_text(f"{BEFORE}{UNRELEASED}\n{REST}")
    (checkout / "server.json").write_text("{}")
    git(checkout, "tag", "v0.1.0")
    status, said = released(checkout, "0.1.0", "--dry-run")
    assert status == 1
    for part in (
        f"version.py says {__version__}; it must say 0.1.0.dev0",
        f"0.1.0 is not newer than {LAST}",
        "names no change under `## Unreleased`",
        f"server.json does not name {LAST}",
        "the checkout has changes",
        "the tag v0.1.0 exists",
    ):
        assert part in said
    assert not (checkout / "dist").exists()


def test_a_dry_run_builds_everything_and_leaves_the_checkout_as_it_is(checkout: Path, tmp_path: Path) -> None:
    before = git(checkout, "rev-parse", "HEAD")
    status, said = released(checkout, NEXT, "--dry-run")
    assert status == 0, said
    for part in (
        "tried: medground of medground-1-py3-none-any.whl",
        "image built",
        "MCP bundle built",
        "not signed, not tagged",
    ):
        assert part in said
    told = (tmp_path / "told.txt").read_text()
    assert f"--tag medground:{NEXT} --tag medground:{NEXT.rpartition('.')[0]} --tag medground:latest" in told
    assert f"medground-{NEXT}.mcpb" in told
    assert {path.name for path in (checkout / "dist").iterdir()} >= {"medground.cdx.json", "medground-image.cdx.json"}
    assert (git(checkout, "rev-parse", "HEAD"), git(checkout, "tag")) == (before, "")
    assert git(checkout, "status", "--porcelain") == ""


def test_a_release_is_a_commit_whose_files_name_one_version_and_the_tree_goes_on(checkout: Path) -> None:
    (checkout / "scripts" / "provenance.py").write_text(
        "import sys; open('dist/provenance.dsse.json', 'w').write(' '.join(sys.argv))"
    )
    save(checkout)
    key = checkout.parent / "key.pem"
    key.touch()
    status, said = released(checkout, NEXT, "--key", str(key))
    assert status == 0, said
    assert "git push --follow-tags" in said
    tagged = {name: git(checkout, "show", f"v{NEXT}:{name}") for name in NAMED[1:]}
    assert all(NEXT in content for content in tagged.values())
    others = "".join(content for name, content in tagged.items() if name != "CHANGELOG.md")
    assert LAST not in others and ".dev0" not in others
    assert re.search(
        rf"^## Unreleased\n\n## {NEXT} \(\d{{4}}-\d\d-\d\d\)\n\n### Added\n- ", tagged["CHANGELOG.md"], re.M
    )
    assert re.search(r'= "[0-9.]+\.dev0"', (checkout / "src/medground/version.py").read_text())
    assert NEXT not in (checkout / "src/medground/version.py").read_text()
    assert (checkout / "dist" / "provenance.dsse.json").is_file()
