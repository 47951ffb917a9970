"""The structure keeps the rules that docs/architecture.md states."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "architecture.py"


def test_rooms_circles_and_functions_keep_the_rules() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
