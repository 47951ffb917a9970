"""Ask for known vulnerabilities of the locked packages: those that CI installs, and those that the page is built with.

    python .ci/audit.py [--seconds 90]

Needs pip-audit (`.ci/audit.lock`) and, for the page, npm. Prints a line for each audit and for each vulnerability. Ends
with 1 where one is known that a newer version mends, else with 0: also where an advisory service cannot be asked, which
is said.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class NotAudited(Exception):
    """Why an audit could not be made."""


@dataclass(frozen=True)
class Vulnerability:
    package: str
    name: str
    mended_in: str
    """Empty where no version is known to mend it."""


def answer(command: Sequence[str], folder: Path, seconds: float) -> Any:
    """The JSON that a command prints.

    Raises:
        NotAudited: it ended without an answer, or took longer than `seconds`.
    """
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise NotAudited(f"no answer in {seconds:.0f} s") from None
    try:
        return json.loads(done.stdout)
    except ValueError:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise NotAudited(lines[-1] if lines else f"exit {done.returncode}") from None


def of_python(seconds: float) -> tuple[int, list[Vulnerability]]:
    """How many packages of `requirements.lock` the advisories of the package index cover, and what they say."""
    options = ["--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json"]
    command = [sys.executable, "-m", "pip_audit", *options, "--requirement", str(ROOT / "requirements.lock")]
    records = answer(command, ROOT, seconds)["dependencies"]
    known = [record for record in records if "vulns" in record]
    if not known:
        raise NotAudited("the package index gives no advisories")
    found = [
        Vulnerability(f"{record['name']} {record['version']}", vuln["id"], ", ".join(vuln["fix_versions"]))
        for record in known
        for vuln in record["vulns"]
    ]
    return len(known), found


def of_the_page(seconds: float) -> tuple[int, list[Vulnerability]]:
    """How many packages `page/package-lock.json` names, and what npm's advisories say."""
    if shutil.which("npm") is None:
        raise NotAudited("no npm here")
    report = answer(["npm", "audit", "--package-lock-only", "--json"], ROOT / "page", seconds)
    if "vulnerabilities" not in report:
        raise NotAudited(str(report.get("message") or "npm gives no advisories"))
    found = [
        Vulnerability(name, entry["severity"], "a newer version" if entry["fixAvailable"] else "")
        for name, entry in report["vulnerabilities"].items()
    ]
    return int(report["metadata"]["dependencies"]["total"]), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=90, help="the longest that each audit may take")
    seconds = parser.parse_args().seconds
    can_be_mended = False
    for title, audit in (("Python packages", of_python), ("packages of the page", of_the_page)):
        try:
            count, found = audit(seconds)
        except NotAudited as why:
            print(f"{title}: not audited: {why}")
            continue
        print(f"{title}: {count} audited, {len(found)} known vulnerabilities")
        for one in found:
            print(f"  {one.package}: {one.name}, {'mended in ' + one.mended_in if one.mended_in else 'not mended yet'}")
            can_be_mended = can_be_mended or bool(one.mended_in)
    return int(can_be_mended)


if __name__ == "__main__":
    sys.exit(main())
