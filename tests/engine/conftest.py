"""What the tests of the engine ask about: two small corpora in a home of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs

PAPERS: list[dict[str, Any]] = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> Path:
    """A home with the corpora `papers` and `others`, which has the second paper alone."""
    for name, records in (("papers", PAPERS), ("others", PAPERS[1:])):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        build(Library(home), name, find_inputs([file]))
    return home
