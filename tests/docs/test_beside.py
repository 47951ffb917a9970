"""`scripts/beside.py`: what uv finds is told in a row, and the page has a row for each package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = r"""#!/bin/bash
asked=$(cat)
case "$asked $*" in
  *clashes==3*models*)
    echo "error: Because clashes==3 depends on b<2, we can conclude c. And because medground
      depends on clashes==3 and b>=9,<10, we can conclude that your requirements are unsatisfiable." >&2
    exit 1 ;;
  *Some.Pack*) echo "some-pack==2.1" ;;
  *) echo "clashes==3" ;;
esac
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_package_that_conflicts_is_told_with_the_bound(tmp_path: Path) -> None:
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    line = [sys.executable, str(ROOT / "scripts" / "beside.py"), "Some.Pack", "clashes"]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    fits, clashes = done.stdout.splitlines()
    assert fits.startswith("Some.Pack 2.1 ")
    assert set(re.findall(r": '([^']*)'", fits)) == {"yes"}
    assert clashes.startswith("clashes 3 ")
    assert "'with models': '`b>=9,<10`'" in clashes and "'alone': 'yes'" in clashes
    assert done.returncode == 1


def test_the_page_has_a_row_for_each_package_and_all_fit_beside_medground() -> None:
    page = (ROOT / "docs" / "beside.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w.-]+) \| [\d.]+ \| (\S+) \|", page, re.M)
    assert len(rows) == 15
    assert {alone for _, alone in rows} == {"yes"}
    assert re.search(r"^Resolved on \d{4}-\d\d-\d\d for Python 3\.\d+: 15 of 15 beside Medground", page, re.M)
    script = (ROOT / "scripts" / "beside.py").read_text(encoding="utf-8")
    assert [name for name, _ in rows if f'"{name}"' not in script] == []
