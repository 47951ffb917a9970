"""The files that a small base is built from."""

from __future__ import annotations

from pathlib import Path

import pytest
from knowledge_base import filled


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder with the files of all five sources; a specification is written into it."""
    return filled(tmp_path / "in")
