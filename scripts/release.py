"""Makes a release. All is done in a clone, so a step that fails leaves nothing in this checkout.

    python scripts/release.py 0.3.0 --dry-run      everything but the signature and the tag; dist has what was built
    python scripts/release.py 0.3.0 --key KEY      signed with KEY, an Ed25519 key in PEM (SLSA provenance)
    python scripts/release.py 0.3.0                signed by sigstore (PEP 740), which opens a browser or takes the
                                                   identity of a CI job; PyPI takes attestations of sigstore alone

In dist are then the wheel and the source package; what they and the image are made of, as CycloneDX; the bundle for MCP
clients; and the signatures. The checkout has two more commits and a tag. Nothing is sent anywhere: the last line says
how.

Needs what `.ci/build.lock` and `.ci/release.lock` name, in an environment of its own:
`python -m venv RELEASE && PATH=RELEASE/bin:$PATH .ci/install .ci/build.lock .ci/release.lock`. The image needs docker
or podman, the bundle npx; without them these parts are left out, and the script says so.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG, VERSION = "CHANGELOG.md", "src/medground/version.py"
OF_TREE = (VERSION, "deploy/admin.yaml", "deploy/compose.yaml", "deploy/kubernetes.yaml")
"""Files with the version of the tree: between releases, the next one with `.dev0`."""
OF_RELEASE = ("CITATION.cff", "docs/checking-reports.md", "mcpb/manifest.json", "mcpb/pyproject.toml", "server.json")
"""Files with the version that was last released, which is the one that people can install."""


class Failed(Exception):
    """Why there is no release."""


def run(*command: str, at: Path, **environment: str) -> str:
    """What a command prints. Raises Failed: it ended with an error."""
    done = subprocess.run(
        command, cwd=at, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout.strip()


def tree_version(root: Path) -> str:
    """The version that a checkout says it is."""
    found = re.search(r'^__version__ = "(.+)"$', (root / VERSION).read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def last_release(root: Path) -> str:
    """The version of the newest section of the changelog with a date."""
    found = re.search(r"^## (\d+\.\d+\.\d+) \(", (root / CHANGELOG).read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def changes(root: Path) -> str:
    """What the changelog has of the next release."""
    found = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", (root / CHANGELOG).read_text(encoding="utf-8"), re.M | re.S)
    return found[1].strip() if found else ""


def occurrences(root: Path, name: str, version: str) -> int:
    """How often a file names a version."""
    return len(_exactly(version).findall((root / name).read_text(encoding="utf-8")))


def _exactly(version: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.]){re.escape(version)}(?![\d.]|\w)")


def problems(root: Path, version: str) -> list[str]:
    """All that stands against a release."""
    found = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return [f"{version} is not a version such as 0.3.0"]
    tree, last = tree_version(root), last_release(root)
    if tree != f"{version}.dev0":
        found.append(f"{VERSION} says {tree}; it must say {version}.dev0")
    if _numbers(version) <= _numbers(last):
        found.append(f"{version} is not newer than {last}, which {CHANGELOG} has")
    if not re.search(r"^- ", changes(root), re.M):
        found.append(f"{CHANGELOG} names no change under `## Unreleased`")
    for names, expected in ((OF_TREE, tree), (OF_RELEASE, last)):
        found += [f"{name} does not name {expected}" for name in names if not occurrences(root, name, expected)]
    if run("git", "status", "--porcelain", at=root):
        found.append("the checkout has changes; commit them first")
    if run("git", "tag", "--list", f"v{version}", at=root):
        found.append(f"the tag v{version} exists")
    return found


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def stamp(root: Path, version: str, *, day: str) -> None:
    """Write a version into all places that name it, and its section into the changelog."""
    for names, before in ((OF_TREE, tree_version(root)), (OF_RELEASE, last_release(root))):
        for name in names:
            _replace(root / name, _exactly(before), version)
    _replace(root / "CITATION.cff", re.compile(r"(?<=^date-released: ).*$", re.M), day)
    _replace(root / CHANGELOG, re.compile(r"^## Unreleased$", re.M), f"## Unreleased\n\n## {version} ({day})")


def open_next(root: Path, version: str) -> str:
    """Let the tree be the version after a release; the tree's new version."""
    major, minor, _ = _numbers(version)
    following = f"{major}.{minor + 1}.0.dev0"
    for name in OF_TREE:
        _replace(root / name, _exactly(version), following)
    return following


def _replace(path: Path, what: re.Pattern[str], by: str) -> None:
    path.write_text(what.sub(by, path.read_text(encoding="utf-8")), encoding="utf-8")


def recorded(root: Path, *words: str) -> None:
    """Let git record something in a clone, as the person whose checkout this is."""
    who = []
    for name in ("user.name", "user.email"):
        who += ["-c", f"{name}={run('git', 'config', '--default', 'medground', '--get', name, at=ROOT)}"]
    run("git", *who, *words, at=root)


def build(root: Path) -> list[Path]:
    """The packages, and what they and the image are made of."""
    when = run("git", "log", "-1", "--format=%ct", at=root)
    run(sys.executable, "-m", "build", "--no-isolation", at=root, SOURCE_DATE_EPOCH=when)
    for lock, name in (("requirements.lock", "medground"), ("deploy/image.lock", "medground-image")):
        listed = ("cyclonedx-py", "requirements", "--pyproject", "pyproject.toml", "--output-reproducible")
        run(*listed, "-o", f"dist/{name}.cdx.json", lock, at=root)
    packages = sorted([*(root / "dist").glob("*.whl"), *(root / "dist").glob("*.tar.gz")])
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, packages), at=root)
    return packages


def sign(root: Path, key: Path | None) -> str:
    """Sign what was built; says how."""
    files = sorted(str(path.relative_to(root)) for path in (root / "dist").iterdir())
    if key:
        run(sys.executable, "scripts/provenance.py", "sign", str(key.resolve()), *files, at=root)
        return f"dist/provenance.dsse.json, with {key}"
    packages = [name for name in files if name.endswith((".whl", ".tar.gz"))]
    run(sys.executable, "-m", "pypi_attestations", "sign", *packages, at=root)
    return "by sigstore"


def image(root: Path) -> str | None:
    """Why there is no image; None if there is one now."""
    tool = shutil.which("docker") or shutil.which("podman")
    if not tool:
        return "neither docker nor podman is installed"
    if subprocess.run([tool, "info"], capture_output=True, check=False).returncode:
        return f"{tool} does not reach its service"
    run("scripts/image.sh", at=root)
    return None


def bundle(root: Path) -> str | None:
    """Why there is no bundle for MCP clients; None if there is one now."""
    if not shutil.which("npx"):
        return "npx is not installed"
    run("scripts/bundle.sh", at=root)
    return None


def release(version: str, key: Path | None, *, dry_run: bool) -> None:
    """Make the release. Raises Failed: there is none."""
    if found := problems(ROOT, version):
        raise Failed("\n".join(found))
    say("checked", f"version, changelog and tag of {version}; {ROOT} is clean")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "medground"
        run("git", "clone", "-q", "--no-hardlinks", str(ROOT), str(root), at=ROOT)
        stamp(root, version, day=f"{datetime.now(UTC):%Y-%m-%d}")
        recorded(root, "commit", "-q", "-a", "-m", f"Medground {version}")
        recorded(root, "tag", "-a", f"v{version}", "-m", f"Medground {version}")
        say("stamped", f"{len(OF_TREE) + len(OF_RELEASE) + 1} files, commit and tag v{version} in a clone")
        packages = build(root)
        say("built", *sorted(f"dist/{path.name}" for path in (root / "dist").iterdir()))
        wheel = next(path for path in packages if path.suffix == ".whl")
        say("tried", f"{run('scripts/try_wheel.sh', str(wheel), at=root)}, where nothing else is installed")
        for what, make in (("image", image), ("MCP bundle", bundle)):
            why = make(root)
            say(f"{what} left out" if why else f"{what} built", *([why] if why else []))
        if dry_run:
            say("not signed, not tagged", "this was a dry run")
        else:
            say("signed", sign(root, key))
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        shutil.copytree(root / "dist", ROOT / "dist")
        if dry_run:
            return
        following = open_next(root, version)
        recorded(root, "commit", "-q", "-a", "-m", f"The tree is {following}")
        run("git", "fetch", "-q", "--tags", str(root), "HEAD", at=ROOT)
        run("git", "merge", "-q", "--ff-only", "FETCH_HEAD", at=ROOT)
    say("tagged", f"v{version}; the tree is {following}")
    attested = "" if key else "--attestations dist/*.attestation "
    say("now", f"git push --follow-tags, twine upload {attested}dist/*.whl dist/*.tar.gz, push the image's tags")


def say(what: str, *more: str) -> None:
    """Tell of a step."""
    print(f"{what}: {', '.join(more)}" if more else what, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Make a release. Returns the exit status."""
    asked = argparse.ArgumentParser(description="Makes a release; see the head of this file.")
    asked.add_argument("version", help="such as 0.3.0")
    asked.add_argument("--key", type=Path, help="an Ed25519 key in PEM; sigstore without one")
    asked.add_argument("--dry-run", action="store_true", help="sign and tag nothing")
    given = asked.parse_args(words)
    try:
        release(given.version, given.key, dry_run=given.dry_run)
    except Failed as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
