"""Whether Medground can be installed beside other packages: the newest release of each, resolved together with this
checkout by uv, which downloads metadata alone and installs nothing.

    pip install uv && python scripts/beside.py      writes the table of docs/beside.md; exit 1 if anything conflicts
    python scripts/beside.py docling streamlit      only prints what it found for these

A row is the release that a fresh environment would get of the package alone: a release made older, so that it fits,
would prove nothing. Run it by hand or by a scheduled job: what it finds changes with each release of somebody else.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "beside.md"
MARK = "<!-- written by scripts/beside.py -->"
END = "<!-- end -->"
PYTHON = "3.12"
PACKAGES = (
    *("chainlit", "crewai", "docling", "dspy", "gradio", "haiku.rag", "haystack-ai", "jupyterlab", "langchain"),
    *("llama-index", "open-webui", "paper-qa", "scispacy", "streamlit", "unstructured"),
)
EXTRAS = {"alone": (), "server": ("mcp", "pubmed", "serve"), "with models": ("models",), "embedding": ("dense",)}
"""The extras that are tried, by the head of their column."""


@dataclass(frozen=True)
class Resolved:
    """What uv said: the versions that it chose, or why there are none."""

    versions: dict[str, str]
    why: str = ""


def resolve(requirements: Sequence[str], *extras: str, medground: bool = True) -> Resolved:
    """The versions that fit some requirements, together with those of this checkout."""
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--python-version", PYTHON, "-"]
    if medground:
        command += ["pyproject.toml", *(word for extra in extras for word in ("--extra", extra))]
    sent = "\n".join(requirements)
    done = subprocess.run(command, input=sent, cwd=ROOT, capture_output=True, text=True, check=False)
    pairs = re.findall(r"^([\w.-]+)==(\S+)", done.stdout, re.M)
    return Resolved(dict(pairs), " ".join(done.stderr.split()) if done.returncode else "")


def conflict(why: str, package: str) -> str:
    """The bound of Medground in a message of uv, whose last sentence has what excludes each other."""
    found = re.findall(r"medground(?:\[[\w-]+\])? depends on (.*?), we can conclude", why.split(". ")[-1])
    own = [one for each in found for one in each.split(" and ") if not _plain(one).startswith(_plain(package))]
    return f"`{'`, `'.join(own)}`" if own else "see uv's message"


def row(package: str) -> tuple[str, dict[str, str]]:
    """The newest release of a package, and for each column `yes`, or the bounds in conflict."""
    alone = resolve([package], medground=False)
    version = next(
        (found for name, found in alone.versions.items() if _plain(name) == _plain(package)), "does not resolve alone"
    )
    cells = {}
    for column, extras in EXTRAS.items():
        together = resolve([f"{package}=={version}"], *extras) if alone.versions else alone
        cells[column] = "yes" if together.versions else conflict(together.why, package)
        if together.why:
            print(f"{package} {version}, {column}: {together.why}", file=sys.stderr)
    return version, cells


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def table(rows: dict[str, tuple[str, dict[str, str]]]) -> str:
    """The rows in Markdown, with the date."""
    alone = sum(cells["alone"] == "yes" for _, cells in rows.values())
    every = sum(set(cells.values()) == {"yes"} for _, cells in rows.values())
    lines = [
        f"Resolved on {datetime.now(UTC):%Y-%m-%d} for Python {PYTHON}: {alone} of {len(rows)} beside Medground, "
        f"{every} also beside each of the extras.",
        "",
        f"| package | release | {' | '.join(EXTRAS)} |",
        f"| --- | --- |{' --- |' * len(EXTRAS)}",
        *(f"| {name} | {version} | {' | '.join(cells.values())} |" for name, (version, cells) in rows.items()),
    ]
    return "\n".join(lines)


def main() -> int:
    """Resolve, print, and write the page where all packages were asked for. Returns the exit status."""
    rows = {}
    for package in sys.argv[1:] or PACKAGES:
        rows[package] = row(package)
        print(package, *rows[package], flush=True)
    if len(sys.argv) == 1:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{MARK}\n{table(rows)}\n{END}{after}", encoding="utf-8")
    return int(any(set(cells.values()) != {"yes"} for _, cells in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
