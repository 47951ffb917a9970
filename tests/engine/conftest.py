"""What the tests of the engine ask about: small corpora, built once and copied into a home of their own."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from awaited import pytest_pyfunc_call  # noqa: F401

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs

PAPERS: list[dict[str, Any]] = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]
Build = Callable[[dict[str, list[dict[str, Any]]]], Path]


@pytest.fixture(scope="session")
def build_home(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Makes a home with these corpora."""

    def make(corpora: dict[str, list[dict[str, Any]]]) -> Path:
        home = tmp_path_factory.mktemp("built")
        for name, records in corpora.items():
            file = tmp_path_factory.mktemp("files") / f"{name}.jsonl"
            file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
            build(Library(home), name, find_inputs([file]))
        return home

    return make


@pytest.fixture(scope="session")
def built(build_home: Build) -> Path:
    """A home that is only copied."""
    return build_home({"papers": PAPERS, "others": PAPERS[1:]})


@pytest.fixture
def papers(home: Path, built: Path) -> Path:
    """A home with the corpora `papers` and `others`, which has the second paper alone."""
    return Path(shutil.copytree(built, home))
