"""A small home folder for the service, and a person beside the local one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.service.records import Records
from medground.settings import Settings

PAPERS = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]


@pytest.fixture
def papers(home: Path, tmp_path: Path) -> Settings:
    """Settings of a home with the corpus `papers`, which is searched, and `others`."""
    for name, records in (("papers", PAPERS), ("others", PAPERS[1:])):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        build(Library(home), name, find_inputs([file]))
    return Settings.load(options={"retrieval.corpora": ("papers",)})


@pytest.fixture
def records(home: Path) -> Iterator[Records]:
    """What a service writes down, in an empty home."""
    opened = Records(home)
    yield opened
    opened.close()
