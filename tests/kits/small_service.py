"""A home with two papers for the service and its faces, people, and a clock that only the test moves."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.faces.service.values import Person
from medground.home.settings import Settings

QUESTION = "Does aspirin reduce the risk of stroke?"
PAPERS = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]
ADA = Person(id="ada", name="Ada")
BOB = Person(id="bob", name="Bob")


class Clock:
    """Seconds that the test sets."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def papers(home: Path) -> Settings:
    """Settings of a home with the corpus `papers`, which is searched."""
    shutil.copytree(_home_of_papers()[1], home, dirs_exist_ok=True)
    return Settings.load(options={"retrieval.corpora": ("papers",)})


@cache
def _home_of_papers() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """A home with the papers, built once and deleted at the end."""
    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name)
    built(folder / "home", folder, "papers", PAPERS)
    return kept, folder / "home"


def built(home: Path, folder: Path, name: str, records: list[dict[str, str]]) -> None:
    """Build a corpus of some records; `folder` takes their file."""
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    build(Library(home), name, find_inputs([file]))


@contextmanager
def tokens_of(home: Path) -> Iterator[Tokens]:
    """The tokens of a home folder."""
    records = Records(home)
    try:
        yield Tokens(records)
    finally:
        records.close()
