"""The papers of the examples as a corpus, and one more whose text is hostile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from example_papers import PAPERS, run

HOSTILE = (
    "Hostile juice lowered blood pressure <script>alert(1)</script><img src=x onerror=alert(2)> in 12 <b>adults</b> "
    "[click](javascript:alert(3)) & \"quoted\" 'text'."
)


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> str:
    """The name of the corpus."""
    hostile = tmp_path / "hostile.jsonl"
    record = {"id": "X:1", "title": "<b>A trial</b>", "text": HOSTILE, "url": "javascript:alert(5)"}
    hostile.write_text(json.dumps(record), encoding="utf-8")
    run("corpus", "build", "papers", PAPERS, hostile, "-q")
    return "papers"
